import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { shownMessage } from "../chats/chat-events.ts";
import type { ConversationMessage } from "../messages.ts";
import type { GroupRun, RoundOutcome, SpeakerDecision } from "./group.ts";
import { screenedMessage } from "./screened-message.ts";

/** Emits the event for the next speaker. */
export function announce(
  { transcript }: GroupRun,
  place: RunScope,
  about: Pick<Extract<SpeakerDecision, { kind: "speaker" }>, "cause"> & {
    readonly speaker: string;
  },
): void {
  place.emit("chat_speaker_selected", { ...about, round: transcript.length });
}

/** Passes a message through the policies, and emits its event. */
export async function passedMessage(
  run: GroupRun,
  place: RunScope,
  {
    speaker,
    source,
    message: said,
  }: {
    readonly speaker: string;
    /** The member behind the message. */
    readonly source: ConversableAgent;
    readonly message: ConversationMessage;
  },
): Promise<
  Pick<RoundOutcome, "message" | "received"> & {
    readonly screening: Readonly<Record<string, Usage>>;
  }
> {
  const { message, received, usage } = await screenedMessage(run, place, { message: said, source });
  const { name: recipient } = run.group.manager;
  place.emit("chat_message_sent", { sender: speaker, recipient, message: shownMessage(message) });
  return {
    message,
    ...(Object.keys(received).length === 0 ? undefined : { received }),
    screening: usage,
  };
}
