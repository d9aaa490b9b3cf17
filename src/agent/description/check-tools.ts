import { invalidDefinition } from "../../base/invalid-definition.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import { isToolSource, type ToolSource } from "../../tools/tool-source.ts";
import type { Tool } from "../../tools/tool.ts";

/** Entry of `tools`: a tool, or a server whose tools arrive with the run. */
export type ToolEntry = Tool | ToolSource;

/** Splits a list into tools and servers. Throws `invalid_definition` for anything else. */
export function partTools(
  entries: readonly ToolEntry[],
  owner: string,
): { readonly tools: readonly Tool[]; readonly servers: readonly ToolSource[] } {
  const servers = Array.isArray(entries) ? entries.filter(isToolSource) : [];
  if (servers.length === 0)
    return { tools: checkTools(entries as readonly Tool[], owner), servers };
  const tools = entries.filter((entry): entry is Tool => !isToolSource(entry));
  return { tools: checkTools(tools, owner), servers };
}

/** Throws `invalid_definition` for a value other than a tool, with advice on how to make a tool from it. */
export function checkTools(tools: readonly Tool[], owner: string): readonly Tool[] {
  if (!Array.isArray(tools))
    throw invalidDefinition(`${owner}: tools must be a list of tools, got ${preview(tools)}`);
  for (const [index, each] of tools.entries()) {
    if (isTool(each)) continue;
    const where = `${owner}: tools[${index}] must be made with tool()`;
    throw invalidDefinition(`${where}, got ${preview(each)}: ${remedy(each)}`);
  }
  return tools;
}

function isTool(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { call, name, safeName, description, parameters }: Partial<Record<keyof Tool, unknown>> =
    value;
  const texts = [name, safeName, description];
  return (
    typeof call === "function" &&
    texts.every((text) => typeof text === "string") &&
    isJsonObject(parameters)
  );
}

/** Call methods of tools from other frameworks. */
const FOREIGN_METHODS = ["execute", "invoke", "call", "callTool"];

function remedy(value: unknown): string {
  if (typeof value === "function") {
    const name = value.name === "" ? "…" : value.name;
    return `wrap the function, tool({ name: ${JSON.stringify(name)}, description: "purpose, and when to use it", input: z.object({ … }), run: (input) => … })`;
  }
  const fields: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {};
  if (typeof fields["func"] === "function")
    return "a tool of another framework becomes one with toolFrom(…)";
  const made = "tool({ name, description, input: z.object({ … }), run: (input) => … })";
  return FOREIGN_METHODS.some((name) => typeof fields[name] === "function")
    ? `a tool of another framework becomes one with convertTool(…) of edgecrew/interop; or write ${made}`
    : made;
}
