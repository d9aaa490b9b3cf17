// Agents of conversations as tests need them.
import { DEFAULT_PROMPTS, fill } from "../../src/agent/prompts/prompts.ts";
import { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../src/conversation/agents/conversable-agent-options.ts";
import type { LiveEvent, RunEvent } from "../../src/events/run-event.ts";
import { contentText } from "../../src/conversation/messages.ts";
import { scriptedModel, type Script } from "../../src/llm/scripted/scripted-model.ts";

/** The system text of a group's member, with its own words in front. */
export const toldInGroup = (name: string, own = ""): string =>
  [own, fill(DEFAULT_PROMPTS.slices.groupMember, { name })]
    .filter((text) => text !== "")
    .join("\n\n");

/** The system text of one of two that talk. */
export const toldInChat = (name: string, other: string, own = ""): string =>
  [own, fill(DEFAULT_PROMPTS.slices.chatMember, { name, other })]
    .filter((text) => text !== "")
    .join("\n\n");

type Options = Partial<ConversableAgentOptions>;

/** An agent without a person. */
export const quiet = (name: string, options: Options = {}): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: "NEVER", ...options });

/** An agent whose model follows a script. */
export const scripted = (name: string, script: Script, options: Options = {}): ConversableAgent =>
  quiet(name, { llm: scriptedModel(script), systemMessage: `You are ${name}.`, ...options });

/** An agent that asks nobody and says these things, by a model. */
export const speaker = (name: string, script: Script, options: Options = {}): ConversableAgent =>
  quiet(name, { llm: scriptedModel(script), ...options });

/** An agent that answers with its name and how many messages it was sent. */
export const counting = (name: string, options: Options = {}): ConversableAgent =>
  scripted(name, ({ messages }) => `${name} ${messages.length}`, options);

/** An agent whose person says these things, and then "exit". */
export function person(
  name: string,
  words: readonly string[],
  options: Options = {},
): ConversableAgent {
  const left = [...words];
  return new ConversableAgent({
    name,
    humanInputMode: "ALWAYS",
    getHumanInput: () => left.shift() ?? "exit",
    ...options,
  });
}

/** The same, asked only before it would end the chat. */
export const askedSpeaker = (
  name: string,
  words: readonly string[],
  options: Options = {},
): ConversableAgent => person(name, words, { humanInputMode: "TERMINATE", ...options });

/** A text as it is, anything else as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? "");

/** Messages as `name: text`. */
export function lines(
  messages: ReadonlyArray<{ readonly name?: string; readonly content: unknown }>,
): readonly string[] {
  return messages.map(({ name, content }) => `${name ?? ""}: ${contentText(content)}`);
}

/** All events of a run, up to its last. Reading them asks no model for a stream. */
export async function allEvents(handle: {
  events(options: { readonly words: "receive" }): AsyncIterable<RunEvent | LiveEvent>;
}): Promise<ReadonlyArray<RunEvent | LiveEvent>> {
  const events: Array<RunEvent | LiveEvent> = [];
  for await (const event of handle.events({ words: "receive" })) events.push(event);
  return events;
}
