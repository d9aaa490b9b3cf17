// An agent's tools as shown to the model.
//
//   SHW1. A tool the model's provider has built in is passed on to the provider. With other providers its replacement
//         is called, if there is one.
//   SHW2. If there are more tools than the agent shows at once, the model searches: with the provider's own search if
//         it has one, else with `tool_search`.
import { EngineError } from "../../base/error.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { BuiltinTool } from "../../llm/builtin-tools.ts";
import type { Message, ModelRequest } from "../../llm/language-model.ts";
import { DeferringToolBox } from "../../tools/deferring-tool-box.ts";
import { toolBox, ToolBox } from "../../tools/tool-box.ts";
import { requireNeeds } from "../../tools/tool-needs.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork } from "../agent-work.ts";

/** The tools of one conversation. */
export type ShownTools = {
  /** Tools called by Edgecrew. */
  readonly box: ToolBox;
  /** Request fields beside the schemas in the box. */
  readonly request: Pick<ModelRequest, "builtinTools" | "searchesTools">;
};

type Place = {
  readonly services: RunServices;
  /** The provider has refused its own tools. @default false */
  readonly builtinRefused?: boolean;
};

/** The tools as the agent shows them. Throws as `allTools`. */
export function shownTools(
  work: Pick<AgentWork, "tools" | "model" | "agent">,
  { messages = [], ...place }: Place & { readonly messages?: readonly Message[] | undefined },
): ShownTools {
  const { own, passed } = parted(work, place);
  const { deferTools } = work.agent;
  if (deferTools === undefined || own.length <= deferTools) return whole(work, { own, passed });
  if (work.model.capabilities.toolSearch === true) {
    const { box, request } = whole(work, { own, passed });
    return { box, request: { ...request, searchesTools: true } };
  }
  const box = new DeferringToolBox(own, namesOf(passed));
  box.recall(messages);
  return { box, request: requestOf(passed) };
}

/**
 * Returns all tools with their full schemas. Throws `invalid_definition` for a built-in tool without support by the
 * model and without replacement.
 */
export function allTools(work: Pick<AgentWork, "tools" | "model">, place: Place): ShownTools {
  return whole(work, parted(work, place));
}

type Parted = { readonly own: readonly Tool[]; readonly passed: readonly BuiltinTool[] };

function parted(
  { tools, model }: Pick<AgentWork, "tools" | "model">,
  { services, builtinRefused = false }: Place,
): Parted {
  if (tools.every(({ builtin }) => builtin === undefined)) return { own: tools, passed: [] };
  const kinds = builtinRefused ? [] : (model.capabilities.builtinTools ?? []);
  const isPassed = ({ builtin }: Tool): boolean =>
    builtin !== undefined && kinds.includes(builtin.kind);
  const own = tools
    .filter((each) => !isPassed(each))
    .map((each): Tool => {
      if (each.builtin === undefined) return each;
      if (each.onlyBuiltin === true) throw worksNowhere(each, model.id);
      const { builtin: _, ...standingIn } = each;
      requireNeeds([standingIn], services);
      return standingIn;
    });
  return { own, passed: tools.flatMap((each) => (isPassed(each) ? (each.builtin ?? []) : [])) };
}

/** Returns the same box for the same tools, so adapters convert them once. */
function whole({ tools }: Pick<AgentWork, "tools">, { own, passed }: Parted): ShownTools {
  const box = own === tools ? toolBox(tools) : new ToolBox(own, namesOf(passed));
  return { box, request: requestOf(passed) };
}

function requestOf(passed: readonly BuiltinTool[]): ShownTools["request"] {
  return passed.length === 0 ? {} : { builtinTools: passed };
}

/** Returns the names providers use for their own tools. */
function namesOf(passed: readonly BuiltinTool[]): readonly string[] {
  return passed.map(({ kind }) => kind);
}

function worksNowhere({ name }: Tool, modelId: string): EngineError {
  return new EngineError(
    "invalid_definition",
    `tool "${name}" is run by providers that have it, and ${modelId} has none such: use another model, or name a substitute tool here (otherwise: …)`,
  );
}
