// Answer of an agent after chats with others.
//
//   NRP1. The chats run below the turn that they answer, in a talk of their own. Only their summary and their changes
//         to the agent's variables remain.
//   NRP2. Functions for a message or a carryover are called once, in the order of the chats, before the first chat.
import type { RunScope } from "../../events/run-scope.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { runChatsInOrder, type ChatOfMembers } from "../chats/chat-queue.ts";
import { ChatPlace } from "../chats/chat-place.ts";
import { reflection } from "../chats/chat-summary.ts";
import type { InnerChat } from "../chats/inner-chat.ts";
import type { Talk } from "../chats/talk.ts";
import type { ConversationMessage } from "../messages.ts";
import { handedOn, openedChats, withHandedOn } from "../nested-chats.ts";
import type { StepsReply, StepsRequest } from "./reply-function.ts";

/** Runs the chats. `talk` is their own. */
export async function nestedReply(
  place: RunScope,
  {
    talk,
    agent,
    sender,
    messages,
    contextVariables,
    chats,
  }: StepsRequest & { readonly chats: ReadonlyArray<InnerChat & ChatOfMembers> },
): Promise<StepsReply> {
  const preparing = new ChatPlace(place.at("handed-on"));
  const queue: Array<Omit<InnerChat, "message"> & ChatOfMembers & { readonly message?: string }> =
    [];
  for (const [index, chat] of chats.entries()) {
    const { message, carryoverConfig, ...rest } = chat;
    const made = place.at(`message:${index + 1}`);
    const own =
      typeof message === "function"
        ? await made.callOnce(async () => {
            const about = { agent, sender, messages, contextVariables: contextVariables.copy() };
            return (await message(about)) ?? "";
          })
        : message;
    const text =
      index === 0 && carryoverConfig !== undefined
        ? await handedOnText(talk, preparing, { chat, agent, messages })
        : undefined;
    const opening = text === undefined ? own : withHandedOn(own, text);
    queue.push({ ...rest, ...(opening === undefined ? undefined : { message: opening }) });
  }
  const opened = openedChats(queue, messages).map(({ chat, message }) => ({ ...chat, message }));
  const results = await runChatsInOrder(talk, place, { chats: opened, sender: agent });
  const usage = [preparing.cost.byAgent, ...results.map(({ cost }) => cost.byAgent)];
  const last = results.at(-1);
  if (last === undefined) return { usage };
  return { reply: { role: "assistant", content: last.summary, name: agent.name }, usage };
}

async function handedOnText(
  talk: Talk,
  place: ChatPlace,
  {
    chat: { carryoverConfig, recipient },
    agent,
    messages,
  }: {
    readonly chat: InnerChat & ChatOfMembers;
    readonly agent: TalkingMember;
    readonly messages: readonly ConversationMessage[];
  },
): Promise<string> {
  if (carryoverConfig === undefined) return "";
  const { summaryMethod, summaryArgs = {} } = carryoverConfig;
  const { messages: known, text } = handedOn(carryoverConfig, messages);
  if (text !== undefined) return text;
  if (typeof summaryMethod === "function")
    return place.scope.callOnce(async () => summaryMethod(known, summaryArgs));
  return reflection(talk, place, { pair: [agent, recipient], messages: known, summaryArgs });
}
