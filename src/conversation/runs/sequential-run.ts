import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { QueuedChat } from "../chats/chat-queue.ts";
import type { ChatRunOptions } from "../chats/conversation-run.ts";
import { startChats } from "../chats/initiate-chat.ts";
import { RunResponse } from "./run-response.ts";

/**
 * Starts chats one after another as one run, and returns a response for each, in their order. The events of a response end with its
 * chat's; the values come when the run has ended. Throws `invalid_input` for a queue that cannot be had whole.
 */
export function sequentialRun(
  chats: readonly QueuedChat[],
  sender?: ConversableAgent,
  run?: ChatRunOptions,
): readonly RunResponse[] {
  const handle = startChats(chats, sender, run);
  return chats.map(
    (_, index) =>
      new RunResponse(handle, {
        path: `chat/chat:${index + 1}`,
        result: (output) => (Array.isArray(output) ? output[index] : null),
      }),
  );
}
