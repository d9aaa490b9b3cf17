export { mergeAgentHandler } from "./merge-agent-handler.ts";
