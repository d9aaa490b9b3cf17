// Agents that converse as tests script them.
import { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../src/conversation/agents/conversable-agent-options.ts";
import type { LiveEvent, RunEvent } from "../../src/events/run-event.ts";
import { scriptedModel, type Script } from "../../src/llm/scripted/scripted-model.ts";

/** An agent that asks nobody and says these things, by a model. */
export function speaker(
  name: string,
  script: Script,
  options: Partial<ConversableAgentOptions> = {},
): ConversableAgent {
  const llm = scriptedModel(script);
  return new ConversableAgent({ name, humanInputMode: "NEVER", llm, ...options });
}

/** An agent whose person is asked in this process and says these things, then "exit". */
export function askedSpeaker(
  name: string,
  words: readonly string[],
  options: Partial<ConversableAgentOptions> = {},
): ConversableAgent {
  const left = [...words];
  return new ConversableAgent({ name, getHumanInput: () => left.shift() ?? "exit", ...options });
}

/** All events of a run, up to its last. */
export async function allEvents(handle: {
  events(): AsyncIterable<RunEvent | LiveEvent>;
}): Promise<ReadonlyArray<RunEvent | LiveEvent>> {
  const events: Array<RunEvent | LiveEvent> = [];
  for await (const event of handle.events()) events.push(event);
  return events;
}
