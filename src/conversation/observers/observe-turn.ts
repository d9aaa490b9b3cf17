// Observers of a turn of an agent's model.
//
//   OBS1. Alerts are events of the turn; a replay raises none of them twice. A fatal alert ends the conversation in
//         place of the model's reply: none of its calls is executed.
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import type { ConversationMessage } from "../messages.ts";

/** Returns the model's reply, or the reason for the end. `tokensBefore` are the run's tokens before the turn. */
export function observedReply(
  place: RunScope,
  agent: ConversationMember,
  {
    messages,
    reply,
    tokensBefore: before,
  }: {
    readonly messages: readonly ConversationMessage[];
    readonly reply: ConversationMessage;
    readonly tokensBefore: number;
  },
): { readonly reply: ConversationMessage } | { readonly ended: string } {
  const { name, options } = agent;
  const { observers = [] } = options;
  if (observers.length === 0) return { reply };
  const tokens = { before, after: place.usage.totalTokens };
  const turn = { agent: name, messages: [...messages, reply], tokens };
  const alerts = observers.flatMap(({ name: observer, observe }) =>
    observe(turn).map((alert) => ({ agent: name, observer, ...alert })),
  );
  for (const [index, alert] of alerts.entries()) place.emit("chat_alert_raised", alert, index + 1);
  const fatal = alerts.find(({ severity }) => severity === "fatal");
  return fatal === undefined ? { reply } : { ended: `${fatal.observer}: ${fatal.message}` };
}
