import type { ToolUnion } from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import type { BuiltinTool } from "../builtin-tools.ts";

/** Servers of the Model Context Protocol are in beta. */
export const MCP_BETA = "mcp-client-2025-11-20";

/** The tools as a request names them; those of other providers are left out. */
export function builtinTools(tools: readonly BuiltinTool[]): ToolUnion[] {
  return tools.flatMap((tool): ToolUnion[] => {
    switch (tool.kind) {
      case "web_search": {
        const { userLocation } = tool;
        return [
          defined({
            type: "web_search_20250305",
            name: "web_search",
            max_uses: tool.maxUses,
            ...domains(tool),
            user_location: userLocation && defined({ type: "approximate", ...userLocation }),
          }),
        ];
      }
      case "web_fetch":
        return [
          defined({
            type: "web_fetch_20250910",
            name: "web_fetch",
            max_uses: tool.maxUses,
            ...domains(tool),
            max_content_tokens: tool.maxContentTokens,
          }),
        ];
      case "code_execution":
        return [{ type: "code_execution_20250825", name: "code_execution" }];
      case "mcp": {
        const { label, allowedTools } = tool;
        return [
          defined({
            type: "mcp_toolset",
            mcp_server_name: label,
            ...(allowedTools && {
              default_config: { enabled: false },
              configs: Object.fromEntries(allowedTools.map((name) => [name, { enabled: true }])),
            }),
          }),
        ];
      }
      default:
        return [];
    }
  });
}

/** Returns the request fields for MCP servers, beside the tools. */
export function mcpServers(tools: readonly BuiltinTool[]): JsonObject {
  const servers = tools.flatMap((tool): JsonObject[] => {
    if (tool.kind !== "mcp") return [];
    const { label: name, url, token } = tool;
    return [
      { type: "url", name, url, ...(token === undefined ? {} : { authorization_token: token }) },
    ];
  });
  return servers.length === 0 ? {} : { mcp_servers: servers };
}

/** The API takes one of the lists. */
function domains({
  allowedDomains,
  blockedDomains,
}: {
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
}): object {
  if (allowedDomains !== undefined) return { allowed_domains: [...allowedDomains] };
  return blockedDomains === undefined ? {} : { blocked_domains: [...blockedDomains] };
}

function defined(fields: object): ToolUnion {
  return toJson(fields) as unknown as ToolUnion;
}
