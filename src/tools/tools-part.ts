import { EngineError } from "../base/error.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Part } from "../parts/part.ts";
import { toolOperations } from "./operations/tools.ts";
import { APP_TOOLS, type ToolCatalog } from "./tool-catalog.ts";
import { isToolSource } from "./tool-source.ts";
import type { Tool } from "./tool.ts";

/** Lists the tools available to definitions, for callers. */
export function toolsPart(named: {
  readonly tools: readonly Tool[];
  readonly catalogs: readonly ToolCatalog[];
}): Part {
  return {
    name: "tools",
    docs: "tool-catalogue.md",
    ...(named.catalogs.length === 0
      ? undefined
      : { services: { apps: () => appsOf(named.catalogs) } }),
    bind: (host) => ({ operations: toolOperations(named, host) }),
  };
}

/** Connects agents in code to their apps, if a catalogue supports it. */
function appsOf(catalogs: readonly ToolCatalog[]): RunServices["apps"] {
  return (apps) => {
    const request = { name: APP_TOOLS, options: { apps }, fromData: false, asksNobody: false };
    const [answer] = catalogs.flatMap((catalog) => catalog.make(request) ?? []);
    if (answer === undefined) return undefined;
    if ("tool" in answer && isToolSource(answer.tool)) return answer.tool;
    const why = "refused" in answer ? answer.refused : `${APP_TOOLS} is one tool`;
    throw new EngineError("invalid_definition", `apps cannot be connected: ${why}`);
  };
}
