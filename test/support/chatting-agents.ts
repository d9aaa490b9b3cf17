// Agents of conversations as tests make them.
import { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../src/conversation/agents/conversable-agent-options.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedModel,
} from "../../src/llm/scripted/scripted-model.ts";

/** An agent that asks nobody. */
export function quietAgent(
  name: string,
  options: Partial<ConversableAgentOptions> = {},
): ConversableAgent {
  return new ConversableAgent({ name, humanInputMode: "NEVER", ...options });
}

/** An agent whose model answers by a script, and is at hand. */
export function modelAgent(
  name: string,
  script: Script,
  options: Partial<ConversableAgentOptions> = {},
): { readonly agent: ConversableAgent; readonly model: ScriptedModel } {
  const model = scriptedModel(script);
  return { model, agent: quietAgent(name, { systemMessage: "", llm: model, ...options }) };
}

/** What a model was sent in each of its calls, without system texts. */
export function askedOf({ calls }: ScriptedModel): ReadonlyArray<readonly unknown[]> {
  return calls.map(({ request }) =>
    request.messages.filter(({ role }) => role !== "system").map(({ content }) => content),
  );
}
