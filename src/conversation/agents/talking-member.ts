import type { GroupHost } from "../chats/group-host.ts";
import type { Handoffs } from "../targets/handoffs.ts";
import type { RegisteredTargets } from "../targets/recorded-target.ts";
import type { ConversationGuardrail } from "../safeguards/guardrails.ts";
import type { ReplyLink } from "../turns/reply-function.ts";
import type { ConversableAgentOptions } from "./conversable-agent-options.ts";
import type { ConversationHookName, ConversationHooks } from "./conversation-hooks.ts";
import type { ConversationMember } from "./conversation-member.ts";

/** A participant of a conversation, as its turns see it: `ConversableAgent` without the methods that start chats. */
export interface TalkingMember extends ConversationMember {
  readonly options: ConversableAgentOptions;
  readonly targets: RegisteredTargets;
  /** Hand-over conditions and targets. A conversation uses their state from its start. */
  readonly handoffs: Handoffs;
  /** Links of its reply chain, in order. */
  readonly replyChain: readonly ReplyLink[];
  /** Checks on received messages, in order. */
  readonly inputGuardrails: readonly ConversationGuardrail[];
  /** Checks on the agent's messages, in order. */
  readonly outputGuardrails: readonly ConversationGuardrail[];
  /** Group for discussing received messages. Only group managers have one. */
  readonly host: GroupHost | undefined;
  /** Its hooks of one name, in the order of their registration. */
  hooksOf<Name extends ConversationHookName>(name: Name): ReadonlyArray<ConversationHooks[Name]>;
}
