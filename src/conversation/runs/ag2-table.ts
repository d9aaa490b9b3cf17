// Mapping of this library's events to AG2's. Other events have no counterpart: turns, hooks, steps and tasks,
// guardrails (AG2 does not report their targets), and changes of variables. AG2's events for code execution and
// printing are absent, and so is `clear_conversable_agent_history`, as agents have no history of their own.
import {
  TERMINAL_EVENTS,
  type EventOf,
  type EventType,
  type LiveEvent,
  type RunEvent,
} from "../../events/run-event.ts";
import { ag2Cost, type Ag2Usage } from "./ag2-cost.ts";
import type { HandoffCause } from "../events.ts";
import type { Ag2Contents, Ag2Draft } from "./ag2-contents.ts";
import type { Ag2Fold } from "./ag2-fold.ts";
import { ag2Message } from "./ag2-message.ts";
import { outcomeOf } from "./conversation-outcome.ts";

type Rows = {
  readonly [Type in EventType]?: (event: EventOf<Type>, fold: Ag2Fold) => readonly Ag2Draft[];
};

const NO_INPUT = "The person was asked and said nothing.";

const ATTEMPTS = {
  selected: "speaker_attempt_successful",
  several: "speaker_attempt_failed_multiple_agents",
  none: "speaker_attempt_failed_no_agents",
} as const;

const TRANSITIONS: Readonly<Partial<Record<HandoffCause, TransitionType>>> = {
  context: "on_context_condition_transition",
  model: "on_condition_l_l_m_transition",
  tool: "reply_result_transition",
  after_work: "after_works_transition",
  group_after_work: "after_works_transition",
  function: "after_works_transition",
};

type TransitionType = {
  [Type in keyof Ag2Contents]: Ag2Contents[Type] extends { readonly transition_target: string }
    ? Type
    : never;
}[keyof Ag2Contents];

const TABLE: Rows = {
  chat_message_sent: (event) => [messageDraft(event)],
  chat_auto_reply_used: ({ humanInputMode, sender, recipient }) => [
    {
      type: "using_auto_reply",
      content: { human_input_mode: humanInputMode, sender, recipient },
    },
  ],
  chat_human_input_empty: ({ sender, recipient }) => [
    {
      type: "termination_and_human_reply_no_input",
      content: { no_human_input_msg: NO_INPUT, sender, recipient },
    },
  ],
  chat_terminated: ({ reason, sender, recipient }) => [
    {
      type: "termination",
      content: {
        termination_reason: reason,
        sender,
        ...(recipient === undefined ? undefined : { recipient }),
      },
    },
  ],
  chat_carryover_added: ({
    carryover,
    message = null,
    sender,
    recipient,
    summaryMethod,
    maxTurns,
  }) => [
    {
      type: "post_carryover_processing",
      content: {
        carryover,
        message,
        verbose: false,
        sender,
        recipient,
        summary_method: summaryMethod ?? "none",
        ...(maxTurns === undefined ? undefined : { max_turns: maxTurns }),
      },
    },
  ],
  chat_history_cleared: ({ agent, kept }) => [
    {
      type: "clear_agents_history",
      content: { ...(agent === undefined ? undefined : { agent }), nr_events_to_preserve: kept },
    },
  ],
  chat_resumed: ({ lastSpeaker, messages }) => [
    {
      type: "group_chat_resume",
      content: { last_speaker_name: lastSpeaker, event_count: messages },
    },
  ],
  chat_speaker_selected: ({ speaker }) => [{ type: "group_chat_run_chat", content: { speaker } }],
  chat_speaker_attempt: ({ outcome, mentions, attempt, attemptsLeft }) => [
    { type: ATTEMPTS[outcome], content: { mentions, attempt, attempts_left: attemptsLeft } },
  ],
  chat_speaker_asked: ({ agents }) => [{ type: "select_speaker", content: { agents } }],
  chat_speaker_input_refused: ({ attempts, isFallback }, { candidates: agents }) => [
    isFallback
      ? { type: "select_speaker_try_count_exceeded", content: { try_count: attempts, agents } }
      : { type: "select_speaker_invalid_input", content: { agents } },
  ],
  chat_handoff: ({ cause, source, target }) => {
    const type = TRANSITIONS[cause];
    if (type === undefined) return [];
    return [{ type, content: { source_agent: source, transition_target: target } }];
  },
  chat_safeguard_violated: ({ source, target, action, check, message, preview }) =>
    (["violation", "action"] as const).map((event_type) => ({
      type: "safeguard",
      content: {
        event_type,
        message,
        source_agent: source,
        target_agent: target,
        guardrail_type: check,
        action,
        content_preview: preview,
      },
    })),
  tool_usage_started: ({ path, toolName, toolArgs, agentRole }, fold) => [
    {
      type: "execute_function",
      content: {
        func_name: toolName,
        ...callIdOf(path, fold),
        arguments: toolArgs,
        recipient: agentRole,
      },
    },
  ],
  custom_event_emitted: ({ name, data = null, toolName, agentRole }) => [
    { type: "custom", content: { name, data, func_name: toolName, sender: agentRole } },
  ],
  tool_usage_finished: (event, fold) => [
    executed(event, fold, { content: event.output, succeeded: event.failure === undefined }),
  ],
  tool_usage_error: (event, fold) => [
    executed(event, fold, { content: event.error, succeeded: false }),
  ],
  tool_selection_error: (event, fold) => [
    executed(event, fold, { content: event.error, succeeded: false }),
  ],
  tool_validate_input_error: (event, fold) => [
    executed(event, fold, { content: event.error, succeeded: false }),
  ],
  wait_opened: ({ key, kind, prompt = "" }) =>
    kind === "human" || kind === "input"
      ? [{ type: "input_request", content: { id: key, prompt, password: false } }]
      : [],
  llm_stream_chunk: ({ chunk }) =>
    chunk === "" ? [] : [{ type: "stream", content: { content: chunk } }],
  run_completed: ({ output }, fold) => {
    const outcome = outcomeOf(output);
    return completion(fold, outcome, { context_variables: outcome.contextVariables });
  },
  run_failed: ({ error: { message } }) => [{ type: "error", content: { error: message } }],
  run_cancelled: ({ reason = "the run was cancelled" }) => [
    { type: "error", content: { error: reason } },
  ],
};

/** Ends of a chat for readers of that chat alone. */
const CHAT_ENDS: Rows = {
  chat_completed: ({ path, summary }, fold) => {
    const { messages = [], lastSpeaker } = fold.chat(path) ?? {};
    return completion(fold, { summary, messages, lastSpeaker });
  },
  chat_failed: ({ error }) => [{ type: "error", content: { error } }],
  run_completed: () => [
    { type: "error", content: { error: "the run completed without this chat" } },
  ],
};

/** Converts an event to AG2's drafts. `chat` is the path of the only selected chat. */
export function draftsOf(
  event: RunEvent | LiveEvent,
  fold: Ag2Fold,
  chat: string | undefined,
): readonly Ag2Draft[] {
  const isEnd = event.path === chat || TERMINAL_EVENTS.has(event.type);
  const rows = chat !== undefined && isEnd ? { ...TABLE, ...CHAT_ENDS } : TABLE;
  const row = rows[event.type] as
    | ((event: unknown, fold: Ag2Fold) => readonly Ag2Draft[])
    | undefined;
  return row?.(event, fold) ?? [];
}

function messageDraft({ sender, recipient, message }: EventOf<"chat_message_sent">): Ag2Draft {
  const sent = { sender, recipient };
  const {
    role,
    content,
    name,
    tool_calls,
    function_call,
    tool_responses = [],
  } = ag2Message(message);
  if (role === "function")
    return {
      type: "function_response",
      content: { ...(name === undefined ? undefined : { name }), role, content, ...sent },
    };
  if (role === "tool")
    return { type: "tool_response", content: { role, tool_responses, content, ...sent } };
  if (function_call !== undefined)
    return { type: "function_call", content: { content, function_call, ...sent } };
  if (tool_calls !== undefined)
    return { type: "tool_call", content: { content, role, tool_calls, ...sent } };
  return { type: "text", content: { content, ...sent } };
}

type Execution = EventOf<
  "tool_usage_finished" | "tool_usage_error" | "tool_selection_error" | "tool_validate_input_error"
>;

function executed(
  event: Execution,
  fold: Ag2Fold,
  { content, succeeded }: { readonly content: string; readonly succeeded: boolean },
): Ag2Draft {
  return {
    type: "executed_function",
    content: {
      func_name: event.toolName,
      ...callIdOf(event.path, fold),
      ...("toolArgs" in event ? { arguments: event.toolArgs } : undefined),
      content,
      recipient: event.agentRole,
      is_exec_success: succeeded,
    },
  };
}

function callIdOf(path: string, fold: Ag2Fold): { readonly call_id?: string } {
  const id = fold.callId(path);
  return id === undefined ? {} : { call_id: id };
}

function completion(
  fold: Ag2Fold,
  {
    summary,
    messages,
    lastSpeaker,
  }: Pick<ReturnType<typeof outcomeOf>, "summary" | "messages"> & {
    readonly lastSpeaker?: string | null | undefined;
  },
  more?: object,
): readonly Ag2Draft[] {
  return [
    ...usageSummary(fold),
    {
      type: "run_completion",
      content: {
        summary,
        history: messages.map(ag2Message),
        cost: ag2Cost(fold.usage.summary),
        ...(typeof lastSpeaker === "string" ? { last_speaker: lastSpeaker } : undefined),
        ...more,
      },
    },
  ];
}

/** AG2 prints it on request; here it comes before the end of each run with model calls. */
function usageSummary({ usage }: Ag2Fold): readonly Ag2Draft[] {
  const cost = ag2Cost(usage.summary);
  const total = listed(cost.usage_including_cached_inference);
  const actual = listed(cost.usage_excluding_cached_inference);
  if (total.usages.length === 0) return [];
  return [{ type: "usage_summary", content: { actual, total, mode: "both" } }];
}

function listed({ total_cost, models }: Ag2Usage) {
  const usages = Object.entries(models).map(([model, usage]) => ({ model, ...usage }));
  return { usages, total_cost };
}
