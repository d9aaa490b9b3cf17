// Chats of two as tests hold them: with all that happened in them.
import type { EventType, RunEvent } from "../../src/events/run-event.ts";
import { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../src/conversation/agents/conversable-agent-options.ts";
import type { ChatOptions } from "../../src/conversation/chats/chat-options.ts";
import type { ChatResult } from "../../src/conversation/chats/chat-result.ts";
import { contentText } from "../../src/conversation/messages.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedModel,
} from "../../src/llm/scripted/scripted-model.ts";

/** An agent that says one thing after another, by a model, and its model. */
export function scriptedMember(
  name: string,
  script: Script = [],
  options: Partial<ConversableAgentOptions> = {},
): { readonly agent: ConversableAgent; readonly model: ScriptedModel } {
  const model = scriptedModel(script);
  const base = { systemMessage: `You are ${name}.`, humanInputMode: "NEVER", llm: model } as const;
  return { agent: new ConversableAgent({ name, ...base, ...options }), model };
}

export type HeldChat = {
  readonly result: ChatResult;
  /** What was said, oldest first. */
  readonly texts: readonly string[];
  readonly events: readonly RunEvent[];
  /** The kept events of one type. */
  readonly of: <Type extends EventType>(type: Type) => ReadonlyArray<RunEvent & { type: Type }>;
};

/** Has two agents talk to the end. Rejects with the chat's error. */
export async function heldChat(
  [initiator, recipient]: readonly [ConversableAgent, ConversableAgent],
  options: ChatOptions,
): Promise<HeldChat> {
  const handle = initiator.startChat(recipient, options);
  const result = await handle.output();
  const events: RunEvent[] = [];
  for await (const event of handle.events()) if ("seq" in event) events.push(event);
  return {
    result,
    texts: result.chatHistory.map(({ content }) => contentText(content)),
    events,
    of: (type) =>
      events.filter((event): event is RunEvent & { type: typeof type } => event.type === type),
  };
}
