export { webhookPost } from "./webhook-post.ts";
