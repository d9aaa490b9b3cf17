import type { ToolSource } from "../../tools/tool-source.ts";

/** An external server of tools, by its settings. */
export type McpServer = Readonly<Record<string, unknown>>;

/**
 * Server of tools: an address, the name of a server known to the deployment, settings, or a value with its own
 * connection.
 */
export type McpEntry = string | McpServer | ToolSource;
