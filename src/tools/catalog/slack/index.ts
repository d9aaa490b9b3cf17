export { slackPost } from "./slack-post.ts";
export { slackRetrieveReplies } from "./slack-retrieve-replies.ts";
export { slackRetrieve } from "./slack-retrieve.ts";
export { slackSend } from "./slack-send.ts";
