// What a model is shown of an agent's tools.
//
//   SHW1. A tool that the model's provider has is passed on to it; elsewhere what stands in for it is called, if there is anything.
//   SHW2. With more tools than the agent shows at once the model searches: by the provider's own means where it has them, else by
//         `tool_search`.
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
  /** Those that are called here. */
  readonly box: ToolBox;
  /** What requests say beside the schemas in the box. */
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

/** All tools, whole. Throws `invalid_definition` for one that works nowhere: the model has none such, and nothing stands in for it. */
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

/** The same box for the same tools, so that adapters convert them once. */
function whole({ tools }: Pick<AgentWork, "tools">, { own, passed }: Parted): ShownTools {
  const box = own === tools ? toolBox(tools) : new ToolBox(own, namesOf(passed));
  return { box, request: requestOf(passed) };
}

function requestOf(passed: readonly BuiltinTool[]): ShownTools["request"] {
  return passed.length === 0 ? {} : { builtinTools: passed };
}

/** Names that providers give to their own tools. */
function namesOf(passed: readonly BuiltinTool[]): readonly string[] {
  return passed.map(({ kind }) => kind);
}

function worksNowhere({ name }: Tool, modelId: string): EngineError {
  return new EngineError(
    "invalid_definition",
    `tool "${name}" is run by providers that have it, and ${modelId} has none such: use another model, or name what does its work here (otherwise: …)`,
  );
}
