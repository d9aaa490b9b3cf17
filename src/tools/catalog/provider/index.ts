export { mcpServerTool, type McpServerToolOptions } from "./mcp-server-tool.ts";
export {
  codeExecutionTool,
  fileSearchTool,
  imageGenerationTool,
  webFetchTool,
  webSearchTool,
  type Otherwise,
} from "./provider-tools.ts";
