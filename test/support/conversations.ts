// Agents of conversations as tests need them.
import { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../src/conversation/agents/conversable-agent-options.ts";
import { contentText } from "../../src/conversation/messages.ts";
import { scriptedModel, type Script } from "../../src/llm/scripted/scripted-model.ts";

type Options = Partial<ConversableAgentOptions>;

/** An agent without a person. */
export const quiet = (name: string, options: Options = {}): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: "NEVER", ...options });

/** An agent whose model follows a script. */
export const scripted = (name: string, script: Script, options: Options = {}): ConversableAgent =>
  quiet(name, { llm: scriptedModel(script), systemMessage: `You are ${name}.`, ...options });

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

/** Messages as `name: text`. */
export function lines(
  messages: ReadonlyArray<{ readonly name?: string; readonly content: unknown }>,
): readonly string[] {
  return messages.map(({ name, content }) => `${name ?? ""}: ${contentText(content)}`);
}
