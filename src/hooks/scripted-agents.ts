import type { LanguageModel } from "../llm/language-model.ts";
import type { RunScope } from "../events/run-scope.ts";

/** Replacements for agents and people in a test. */
export interface ScriptedAgents {
  /** Returns the model for an agent with these names; undefined for an agent with its own model. */
  modelOf(names: readonly string[]): LanguageModel | undefined;
  /** Returns the scripted person for an agent; undefined if people are asked as outside of tests. */
  personOf(name: string): ScriptedPerson | undefined;
}

/** `nobody`: the agent asks no person. Otherwise answers come immediately, each from a step with this label. */
export type ScriptedPerson = "nobody" | { readonly label: string; readonly answer: () => string };

declare module "../events/run-services.ts" {
  interface RunServices {
    readonly scriptedAgents?: ScriptedAgents | undefined;
  }
}

/** Returns the model of an agent in this run: `own`, unless a script replaces it. A scripted `own` has a model by name. */
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
