export { mcpServerAdapter } from "./mcp-server-adapter.ts";
