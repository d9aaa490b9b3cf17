import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ConversationMessage } from "../messages.ts";
import type { Ag2FunctionCall, Ag2Message, Ag2ToolCall, Ag2ToolResponse } from "./ag2-message.ts";
import type { Ag2Cost, Ag2ModelUsage } from "./ag2-cost.ts";

type Text = ConversationMessage["content"];

type Sent = { readonly sender: string; readonly recipient: string };

type Attempt = {
  readonly mentions: Readonly<Record<string, number>>;
  readonly attempt: number;
  readonly attempts_left: number;
};

type Transition = { readonly source_agent: string; readonly transition_target: string };

type UsageTotal = {
  readonly usages: ReadonlyArray<Ag2ModelUsage & { readonly model: string }>;
  readonly total_cost: number;
};

/** Fields of AG2's events beside their `uuid`, by type. */
export type Ag2Contents = {
  readonly text: Sent & { readonly content: Text };
  readonly tool_call: Sent & {
    readonly content: Text;
    readonly role: string;
    readonly tool_calls: readonly Ag2ToolCall[];
  };
  readonly tool_response: Sent & {
    readonly role: "tool";
    readonly content: Text;
    readonly tool_responses: readonly Ag2ToolResponse[];
  };
  readonly function_call: Sent & {
    readonly content: Text;
    readonly function_call: Ag2FunctionCall;
  };
  readonly function_response: Sent & {
    readonly name?: string;
    readonly role: "function";
    readonly content: Text;
  };
  readonly post_carryover_processing: Sent & {
    readonly carryover: readonly JsonValue[];
    readonly message: JsonValue;
    readonly verbose: boolean;
    readonly summary_method: string;
    readonly max_turns?: number;
  };
  readonly clear_agents_history: {
    readonly agent?: string;
    readonly nr_events_to_preserve: number;
  };
  readonly speaker_attempt_successful: Attempt;
  readonly speaker_attempt_failed_multiple_agents: Attempt;
  readonly speaker_attempt_failed_no_agents: Attempt;
  /** Without the messages, which are inputs of the run. */
  readonly group_chat_resume: {
    readonly last_speaker_name: string;
    readonly event_count: number;
  };
  readonly group_chat_run_chat: { readonly speaker: string };
  readonly termination_and_human_reply_no_input: Sent & { readonly no_human_input_msg: string };
  readonly using_auto_reply: Sent & { readonly human_input_mode: string };
  readonly termination: {
    readonly termination_reason: string;
    readonly sender: string;
    readonly recipient?: string;
  };
  readonly execute_function: {
    readonly func_name: string;
    readonly call_id?: string;
    readonly arguments: JsonValue;
    readonly recipient: string;
  };
  readonly executed_function: {
    readonly func_name: string;
    readonly call_id?: string;
    readonly arguments?: JsonValue;
    readonly content: string;
    readonly recipient: string;
    readonly is_exec_success: boolean;
  };
  readonly select_speaker: { readonly agents: readonly string[] };
  readonly select_speaker_invalid_input: { readonly agents: readonly string[] };
  readonly select_speaker_try_count_exceeded: {
    readonly try_count: number;
    readonly agents: readonly string[];
  };
  readonly input_request: {
    /** Id of the question, repeated in the answer; see `ag2-frames.ts`. */
    readonly id: string;
    readonly prompt: string;
    readonly password: boolean;
    /** Answers it. Present for readers in this process, absent in frames. */
    readonly respond?: (text: string) => Promise<void>;
  };
  /** Event of a tool's own, by `emit` of its context. */
  readonly custom: {
    readonly name: string;
    readonly data: JsonValue;
    readonly func_name: string;
    readonly sender: string;
  };
  readonly error: { readonly error: string };
  readonly run_completion: {
    readonly summary: string;
    readonly history: readonly Ag2Message[];
    readonly cost: Ag2Cost;
    readonly last_speaker?: string;
    readonly context_variables?: JsonObject;
  };
  readonly stream: { readonly content: string };
  readonly usage_summary: {
    readonly actual: UsageTotal;
    readonly total: UsageTotal;
    readonly mode: "both";
  };
  readonly after_works_transition: Transition;
  readonly on_context_condition_transition: Transition;
  readonly on_condition_l_l_m_transition: Transition;
  readonly reply_result_transition: Transition;
  readonly safeguard: {
    readonly event_type: "violation" | "action";
    readonly message: string;
    readonly source_agent: string;
    readonly target_agent: string;
    readonly guardrail_type: string;
    readonly action: string;
    readonly content_preview: string;
  };
};

/** Types of AG2's events in runs. */
export type Ag2Type = keyof Ag2Contents;

/** An event in AG2's envelope. */
export type Ag2Event<Type extends Ag2Type = Ag2Type> = {
  [Each in Type]: {
    readonly type: Each;
    readonly content: { readonly uuid: string } & Ag2Contents[Each];
  };
}[Type];

/** An event without an envelope. */
export type Ag2Draft = {
  [Each in Ag2Type]: { readonly type: Each; readonly content: Ag2Contents[Each] };
}[Ag2Type];
