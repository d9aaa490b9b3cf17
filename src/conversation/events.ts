import type { JsonObject, JsonValue } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";
import type { ExpertGroup } from "./capabilities/captain/expert-group.ts";
import type { ThinkNode } from "./capabilities/reasoning/think-node.ts";
import type { ConversationMessage } from "./messages.ts";
import type { ExpectationAction, ExpectationKind } from "./network/expectations.ts";
import type { ChannelKind } from "./network/network-rules.ts";
import type { AlertSeverity } from "./observers/observer.ts";

/**
 * Events of chats of two and of groups. `sender` and `recipient` are names; in a group the recipient is its manager.
 */
export interface ChatEvents {
  chat_started: { chat: string; members: readonly ChatMember[] };
  /** End of a chat announced by `chat_started`. */
  chat_completed: { chat: string; reason: string; summary: string };
  chat_failed: { chat: string; error: string };
  /** A new message. Replies of members, inputs of people, calls of tools and their results are all messages. */
  chat_message_sent: { sender: string; recipient: string; message: ConversationMessage };
  /** A member answers by itself although it could ask its person. */
  chat_auto_reply_used: { sender: string; recipient: string; humanInputMode: string };
  /** A person was asked and gave no input. */
  chat_human_input_empty: { sender: string; recipient: string };
  /** Reason for a member's missing reply, or for a group's end. */
  chat_terminated: { reason: string; sender: string; recipient?: string };
  /** Carryover of earlier chats into a new one, and its message, unless that is a function. */
  chat_carryover_added: {
    sender: string;
    recipient: string;
    carryover: readonly JsonValue[];
    message?: JsonValue;
    summaryMethod: string | null;
    maxTurns?: number;
  };
  /** A history was shortened to its last messages; all histories, if no member is named. */
  chat_history_cleared: { agent?: string; kept: number };
  /** A group continues from messages. */
  chat_resumed: { lastSpeaker: string; messages: number };
  /** Next speaker of a group, and the cause of the choice. `round` is the number of messages so far. */
  chat_speaker_selected: { speaker: string; cause: SpeakerCause; round: number };
  /** An answer of the speaker-selecting model. */
  chat_speaker_attempt: {
    outcome: "selected" | "several" | "none";
    mentions: Readonly<Record<string, number>>;
    attempt: number;
    attemptsLeft: number;
  };
  /** A person is asked to choose the next speaker among these. */
  chat_speaker_asked: { agents: readonly string[] };
  /**
   * A person's answer matches no candidate. `attempts` counts such answers; `isFallback` is true if the order of
   * members decides instead.
   */
  chat_speaker_input_refused: { attempts: number; isFallback: boolean };
  chat_handoff: { cause: HandoffCause; source: string; target: string };
  chat_guardrail_activated: {
    agent: string;
    guardrail: string;
    side: "input" | "output";
    justification: string;
    target: string;
  };
  chat_safeguard_violated: {
    kind: "agent" | "tool" | "llm" | "user";
    source: string;
    target: string;
    action: "block" | "mask" | "warning";
    check: "regex" | "llm";
    message: string;
    /** The first 100 characters. */
    preview: string;
  };
  /** An agent has finished thinking, before its answer; the trees are plain data, see `ThinkNode`. */
  chat_reasoning_completed: { agent: string; method: string; trees: readonly ThinkNode[] };
  chat_channel_opened: {
    channel: string;
    kind: ChannelKind;
    initiator: string;
    participants: readonly string[];
  };
  /** An invited member accepts or declines. */
  chat_channel_acknowledged: {
    channel: string;
    member: string;
    isAccepted: boolean;
    reason?: string;
  };
  chat_channel_closed: { channel: string; status: "closed" | "expired"; reason: string };
  /** `late` is empty if no particular member is late. */
  chat_expectation_violated: {
    channel: string;
    expectation: ExpectationKind;
    action: ExpectationAction;
    withinMs: number;
    late: readonly string[];
  };
  /** A member over its rate limit waits before its turn. */
  chat_rate_limited: { channel: string; member: string; waitMs: number };
  /** A watch, identified by its index, has fired and calls its member. */
  chat_watch_fired: { channel: string; member: string; watch: number };
  chat_alert_raised: { agent: string; observer: string; severity: AlertSeverity; message: string };
  chat_task_started: { task: string; agent: string; title: string; capability?: string };
  /** `progress` is the complete progress so far. */
  chat_task_progressed: { task: string; progress: JsonObject };
  chat_task_ended: {
    task: string;
    state: "completed" | "failed" | "expired" | "cancelled";
    error?: string;
  };
  /** A captain asks a group of experts, composed by a model or already existing. */
  chat_experts_chosen: {
    agent: string;
    group: string;
    origin: "built" | "kept" | "saved";
    experts: ExpertGroup;
  };
  /** Variables shared by several members were changed. */
  chat_context_changed: { agent: string; set: JsonObject; removed: readonly string[] };
  /** A field of a stored conversation has no effect in this run, because the deployment lacks a service for it. */
  conversation_warning: { conversation: string; field: string; message: string };
}

/** A member in the form for events and pages. */
export type ChatMember = {
  readonly name: string;
  readonly description: string;
  /** True if a person speaks in its place. */
  readonly isHuman: boolean;
};

/** Cause of the choice of a speaker. */
export type SpeakerCause =
  | "initial"
  | "tools"
  | "tool_result"
  | "handoff"
  | "after_work"
  | "before_user"
  | "round_robin"
  | "random"
  | "only_candidate"
  | "model"
  | "person"
  | "function"
  | "graph"
  | "watch"
  | "message"
  | "fallback";

/** Cause of a hand-over. */
export type HandoffCause =
  | "context"
  | "model"
  | "tool"
  | "after_work"
  | "group_after_work"
  | "guardrail"
  | "function";

declare module "../events/run-event.ts" {
  interface EventPayloads extends ChatEvents {}
}

export const chatEvents = eventTypes<ChatEvents>({
  chat_started: true,
  chat_completed: true,
  chat_failed: true,
  chat_message_sent: true,
  chat_auto_reply_used: true,
  chat_human_input_empty: true,
  chat_terminated: true,
  chat_carryover_added: true,
  chat_history_cleared: true,
  chat_resumed: true,
  chat_speaker_selected: true,
  chat_speaker_attempt: true,
  chat_speaker_asked: true,
  chat_speaker_input_refused: true,
  chat_handoff: true,
  chat_guardrail_activated: true,
  chat_safeguard_violated: true,
  chat_reasoning_completed: true,
  chat_channel_opened: true,
  chat_channel_acknowledged: true,
  chat_channel_closed: true,
  chat_expectation_violated: true,
  chat_rate_limited: true,
  chat_watch_fired: true,
  chat_alert_raised: true,
  chat_task_started: true,
  chat_task_progressed: true,
  chat_task_ended: true,
  chat_experts_chosen: true,
  chat_context_changed: true,
  conversation_warning: true,
});
