import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { ChatPlace } from "../chats/chat-place.ts";
import type { Talk } from "../chats/talk.ts";
import type { ConversationMessage } from "../messages.ts";
import { hasPolicies } from "../safeguards/active-policy.ts";
import { groupMessage, interAgentMessage } from "../safeguards/screens.ts";
import type { Group } from "./group.ts";

/** A message after the policies: in the transcript, and as single members receive it. */
export type ScreenedMessage = {
  readonly message: ConversationMessage;
  /** Messages by member, for members that receive another message than the transcript's. */
  readonly received: Readonly<Record<string, ConversationMessage>>;
  readonly usage: Readonly<Record<string, Usage>>;
};

/** Screens a message to a group, as steps below `place` if a model has to judge or mask. */
export async function screenedMessage(
  { talk, group }: { readonly talk: Talk; readonly group: Group },
  place: RunScope,
  {
    message: said,
    source,
  }: { readonly message: ConversationMessage; readonly source: ConversableAgent },
): Promise<ScreenedMessage> {
  if (!hasPolicies(place, source)) return { message: said, received: {}, usage: {} };
  const chat = new ChatPlace(place);
  const { message } = await groupMessage(talk, chat, { message: said, source, key: "group" });
  const others = group.members.filter((member) => member !== source);
  const copies = await Promise.all(
    others.map(async ({ name }) => {
      const key = `to:${keySegment(name)}`;
      const sent = { message, source, destination: name, key };
      const { message: copy } = await interAgentMessage(talk, chat, sent);
      return [name, copy] as const;
    }),
  );
  const received = Object.fromEntries(copies.filter(([, copy]) => copy !== message));
  return { message, received, usage: chat.cost.byAgent };
}
