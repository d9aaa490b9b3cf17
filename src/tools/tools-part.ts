import type { Part } from "../parts/part.ts";
import { toolOperations, toolShapes } from "./operations/tools.ts";
import type { ToolCatalog } from "./tool-catalog.ts";
import type { Tool } from "./tool.ts";

/** What definitions can name, for callers to see. */
export function toolsPart(named: {
  readonly tools: readonly Tool[];
  readonly catalogs: readonly ToolCatalog[];
}): Part {
  return {
    name: "tools",
    docs: "tool-catalogue.md",
    bind: (host) => ({ operations: toolOperations(named, host), shapes: toolShapes }),
  };
}
