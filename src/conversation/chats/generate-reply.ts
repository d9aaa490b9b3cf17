// One answer of an agent to given messages, as one turn of its reply chain.
//
//   GRP1. The messages are the whole history of the agent and the sender. An assistant's are the
//         agent's own, all others the sender's. Hooks on received messages run, those on sent ones do not.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ConversationMessage } from "../messages.ts";
import { takeTurn } from "../turns/turn.ts";
import { ChatPlace } from "./chat-place.ts";
import { here, type ChatRunOptions } from "./conversation-run.ts";
import type { Talk } from "./talk.ts";

/** Returns the agent's answer to the last message; null without one. Throws `invalid_input` for an empty list. */
export async function generateReply(
  pair: { readonly agent: TalkingMember; readonly sender: TalkingMember },
  messages: readonly unknown[],
  run: ChatRunOptions = {},
): Promise<ConversationMessage | null> {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new EngineError(
      "invalid_input",
      `generateReply needs the messages to answer as a list, got ${preview(messages)}`,
    );
  const code = (talk: Talk, scope: RunScope): Promise<JsonValue> =>
    answered(talk, scope, { ...pair, messages });
  return (await here(pair.agent.name, code, run)) as ConversationMessage | null;
}

async function answered(
  outer: Talk,
  scope: RunScope,
  {
    agent,
    sender,
    messages,
  }: {
    readonly agent: TalkingMember;
    readonly sender: TalkingMember;
    readonly messages: readonly unknown[];
  },
): Promise<JsonValue> {
  const talk = outer.apart();
  for (const message of messages) {
    const isOwn =
      isJsonObject(message) && (message["role"] === "assistant" || message["name"] === agent.name);
    if (isOwn) talk.say(agent, sender, message);
    else talk.say(sender, agent, message);
  }
  const place = new ChatPlace(scope);
  const { reply } = await talk.knowing(scope, [agent], () =>
    takeTurn(talk, place, { agent, sender }),
  );
  return reply ?? null;
}
