import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";

/** Which senders a reply function answers: one by name or as itself, those for which a function says so, or any of a list. */
export type ReplyTrigger =
  | string
  | ConversableAgent
  | ((sender: ConversableAgent) => boolean)
  | readonly ReplyTrigger[];

/** What a reply function knows. */
export type ReplyRequest = {
  readonly agent: ConversableAgent;
  readonly sender: ConversableAgent;
  /** What was said between the two, the message to be answered last. */
  readonly messages: readonly ConversationMessage[];
  /** Changes are kept, also when the function leaves the answer to the next. */
  readonly contextVariables: ContextVariables;
};

/** A reply that is final ends the chain, also without a message: then nothing is said. */
export type ReplyResponse =
  | undefined
  | null
  | { readonly final: false }
  | { readonly final: true; readonly reply: unknown };

/** Answers a message, or leaves it to the next function. Called once per message; what it returns is recorded. */
export type ReplyFunction = (request: ReplyRequest) => ReplyResponse | Promise<ReplyResponse>;

/** A link of an agent's reply chain, before the built-in ones. */
export type ReplyRegistration = { readonly trigger: ReplyTrigger; readonly reply: ReplyFunction };

/** Whether a trigger is for this sender. */
export function triggers(trigger: ReplyTrigger, sender: ConversableAgent): boolean {
  if (typeof trigger === "string") return trigger === sender.name;
  if (typeof trigger === "function") return trigger(sender);
  if (Array.isArray(trigger))
    return (trigger as readonly ReplyTrigger[]).some((each) => triggers(each, sender));
  return trigger === sender;
}
