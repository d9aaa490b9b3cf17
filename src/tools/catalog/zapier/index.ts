export { zapierAction } from "./zapier-action.ts";
export { zapierActionTools } from "./zapier-action-tools.ts";
