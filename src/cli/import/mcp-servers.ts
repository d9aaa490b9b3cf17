// MCP servers of a class: `mcp_server_params`, with `self.get_mcp_tools(…)` among the tools of its agents.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { asJson, type PythonCall, type PythonValue } from "./python-value.ts";

type Split = {
  /** Calls of `get_mcp_tools`. */
  readonly calls: readonly PythonCall[];
  /** The other tools, if any. */
  readonly others: PythonValue | undefined;
};

/** Separates the tools of MCP servers from the others. */
export function splitServers(tools: PythonValue): Split {
  if (isOfServers(tools)) return { calls: [tools], others: undefined };
  if (tools.kind !== "list") return { calls: [], others: tools };
  const calls = tools.items.flatMap((item) => {
    const of = item.kind === "items" ? item.of : item;
    return isOfServers(of) ? [of] : [];
  });
  const items = tools.items.filter((item) => !isOfServers(item.kind === "items" ? item.of : item));
  return {
    calls,
    others: calls.length > 0 && items.length === 0 ? undefined : { ...tools, items },
  };
}

function isOfServers(value: PythonValue): value is PythonCall {
  return value.kind === "call" && /^self\.get_mcp_tools$/.test(value.name);
}

/** Returns the servers of a call with their settings. Undefined if one of them has no address, or cannot be read. */
export function serversOf(
  { args }: PythonCall,
  params: JsonValue | undefined,
): readonly JsonObject[] | undefined {
  const all = Array.isArray(params) ? (params as readonly JsonValue[]) : [params];
  const names = args.map(asJson);
  if (names.some((name) => typeof name !== "string")) return undefined;
  const servers = all.map((each) =>
    isJsonObject(each) && typeof each["url"] === "string"
      ? { ...each, ...(names.length > 0 && { toolFilter: names as JsonValue[] }) }
      : undefined,
  );
  return servers.includes(undefined) ? undefined : (servers as JsonObject[]);
}

/** Returns the transport of `MCPServerHTTP(url="…")`. Undefined for another class. */
export function transportOf(className: string): string | undefined {
  const [, kind] = /(?:^|\.)MCPServer(HTTP|SSE)$/.exec(className) ?? [];
  return kind?.toLowerCase();
}
