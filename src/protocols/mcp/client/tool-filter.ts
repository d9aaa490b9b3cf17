// Selection of a server's tools for agents.
import { sanitizeToolName } from "../../../wire/tool-name.ts";

/**
 * Names of tools, in the server's or the models' spelling. `block` takes precedence; without `allow`, all are
 * permitted.
 */
export type StaticToolFilter = {
  readonly allow?: readonly string[] | undefined;
  readonly block?: readonly string[] | undefined;
};

/** A tool in the form for filters. */
export type FilteredTool = {
  /** Name in the models' spelling, without the server's name. */
  readonly name: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
};

/** Agent and server of a selection. */
export type ToolFilterContext = { readonly agent: string; readonly serverName: string };

/** Names, or code for the decision on each tool. An error of the code ends the run. */
export type McpToolFilter =
  | StaticToolFilter
  | ((tool: FilteredTool, context: ToolFilterContext) => boolean | Promise<boolean>);

/** True if the filter admits a tool for an agent. */
export async function admits(
  filter: McpToolFilter | undefined,
  tool: FilteredTool,
  context: ToolFilterContext,
): Promise<boolean> {
  if (filter === undefined) return true;
  if (typeof filter === "function") return filter(tool, context);
  const { allow = [], block = [] } = filter;
  const isNamed = (names: readonly string[]): boolean =>
    names.some((name) => sanitizeToolName(name) === tool.name);
  return !isNamed(block) && (allow.length === 0 || isNamed(allow));
}
