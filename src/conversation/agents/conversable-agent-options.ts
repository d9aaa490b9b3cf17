import type { Handoffs } from "../targets/handoffs.ts";
import type { RegisteredTargets } from "../targets/recorded-target.ts";
import type { ConversationGuardrail } from "../safeguards/guardrails.ts";
import type { MemberOptions } from "./member-options.ts";

/** Options of a `ConversableAgent`. Only `name` is required. */
export type ConversableAgentOptions = MemberOptions & {
  /**
   * Targets with chats, groups or functions that tools may return, by stable names. The record of a call stores the
   * target's name. Other targets need no name.
   * @default {}
   */
  readonly targets?: RegisteredTargets;
  /**
   * Checks on received messages, before the agent answers. The first activated guardrail answers in its place. @default
   * []
   */
  readonly inputGuardrails?: readonly ConversationGuardrail[];
  /** Checks on the agent's messages. The text of the first activated guardrail replaces the message. @default [] */
  readonly outputGuardrails?: readonly ConversationGuardrail[];
  /** Hand-over conditions and targets, for groups with hand-overs. The agent takes a copy. @default no hand-overs */
  readonly handoffs?: Handoffs;
};
