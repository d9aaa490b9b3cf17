export { composioTool } from "./composio-tool.ts";
