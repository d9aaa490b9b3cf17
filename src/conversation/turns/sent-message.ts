import type { RunScope } from "../../events/run-scope.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ConversationMessage } from "../messages.ts";

/** Passes a message through the hooks of its sender, each called once, at `hook:<n>` below `place`. */
export async function sentMessage(
  place: RunScope,
  sender: TalkingMember,
  { recipient, message }: { readonly recipient: string; readonly message: ConversationMessage },
): Promise<ConversationMessage> {
  const about = { sender: sender.name, recipient };
  let sent = message;
  for (const [index, hook] of sender.hooksOf("process_message_before_send").entries()) {
    const before = sent;
    sent = await place.at(`hook:${index}`).callOnce(async () => hook(before, about));
  }
  return sent;
}
