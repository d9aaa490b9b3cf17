export { aiSearch } from "./ai-search.ts";
export { sendEmail } from "./send-email.ts";
export { toMarkdown } from "./to-markdown.ts";
