import type { LanguageModel } from "../llm/language-model.ts";
import type { RunScope } from "../events/run-scope.ts";

/** What stands in for agents and for people in a test. */
export interface ScriptedAgents {
  /** The model of an agent that goes by these names; undefined for one that keeps its own. */
  modelOf(names: readonly string[]): LanguageModel | undefined;
  /** Who speaks for an agent; undefined where people are asked as they are without a test. */
  personOf(name: string): ScriptedPerson | undefined;
}

/** `nobody`: the agent asks no person. Otherwise answers come at once, each from a step with this label. */
export type ScriptedPerson = "nobody" | { readonly label: string; readonly answer: () => string };

declare module "../events/run-services.ts" {
  interface RunServices {
    readonly scriptedAgents?: ScriptedAgents | undefined;
  }
}

/** The model of an agent in this run: `own`, unless a script stands in for it, or is what it has for a model. */
export function agentModel(
  { services }: RunScope,
  names: readonly string[],
  own: LanguageModel,
): LanguageModel {
  const scripted = services.scriptedAgents?.modelOf(names);
  if (scripted !== undefined) return scripted;
  return isScripted(own) ? (own.modelOf(names) ?? own) : own;
}

function isScripted(model: LanguageModel): model is LanguageModel & ScriptedAgents {
  return "modelOf" in model;
}
