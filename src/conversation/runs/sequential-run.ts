import type { JsonValue } from "../../base/json.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import { withMembers, type ConversableAgent } from "../agents/conversable-agent.ts";
import type { ChatResult } from "../chats/chat-result.ts";
import type { ChatRunOptions } from "../chats/conversation-run.ts";
import { startChats } from "../chats/initiate-chat.ts";
import type { QueuedChat } from "../chats/queued-chat.ts";
import { Ag2Fold } from "./ag2-fold.ts";
import { RunResponse } from "./run-response.ts";

/**
 * Starts chats in sequence as one run, and returns a response for each, in their order. The events of a response end
 * with its chat's; the values come when the run has ended, also if a later chat failed. Throws `invalid_input` for an
 * invalid queue.
 */
export function sequentialRun(
  chats: readonly QueuedChat[],
  sender?: ConversableAgent,
  run?: ChatRunOptions,
): readonly RunResponse[] {
  const handle = startChats(chats.map(withMembers), sender, run);
  return chats.map((_, index) => {
    const path = `chat/chat:${index + 1}`;
    const result = (): Promise<JsonValue> => resultOf(handle, path, index);
    return new RunResponse(handle, { path, result });
  });
}

async function resultOf(
  handle: RunHandle<ChatResult[]>,
  path: string,
  index: number,
): Promise<JsonValue> {
  try {
    return (await handle.output())[index] ?? null;
  } catch (error) {
    const finished = await finishedChat(handle, path);
    if (finished === undefined) throw error;
    return finished;
  }
}

/** Returns the result, from its events, of a chat that ended before its run failed. */
async function finishedChat(
  handle: RunHandle<ChatResult[]>,
  path: string,
): Promise<JsonValue | undefined> {
  const fold = new Ag2Fold();
  for await (const event of handle.events({ types: ["chat_message_sent", "chat_completed"] })) {
    fold.add(event);
    if (event.type !== "chat_completed" || event.path !== path) continue;
    const { messages = [], lastSpeaker = null } = fold.chat(path) ?? {};
    return { summary: event.summary, chatHistory: [...messages], lastSpeaker };
  }
  return undefined;
}
