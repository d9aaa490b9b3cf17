// The reducer of runs: folds events into a page's state.
// Pure: the same events in the same order give the same state, live, in pages or after a reconnect.
//
//   RUD1. An event already in the state changes nothing, and returns the same object.
//   RUD2. Chunks matter only until their call is finished: then its text is the same with and without them. Text of a
//         call cut off by the end of its run stays for readers of its chunks, and so do thoughts.
//   RUD3. A finished run has no open waits, no working agent, and no open task.
import type { ErrorCode } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import { callIdOf, foldCall, type CallWords } from "../../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../feature-events.ts";
import type { RunStatus, TaskState, Wait } from "../../runtime/run.ts";
import {
  hasEnded,
  type AgentState,
  type CallText,
  type Message,
  type RunState,
} from "./run-state.ts";

/** Returns the state after one more event of the run. Returns the same object if the event changes nothing. */
export function reduceRun(state: RunState, event: RunEvent | LiveEvent): RunState {
  // A chunk after the run's end belongs to a cut-off call.
  if (!("seq" in event)) return hasEnded(state) ? state : withCall(state, event);
  if (event.seq <= state.lastSeq) return state;
  return { ...withCall(withEvent(state, event), event), lastSeq: event.seq };
}

/** Returns the state after an event of the run itself or of its waits. */
function withEvent(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "run_started":
      return { ...state, status: "running", kind: event.kind, name: event.name };
    case "run_waiting":
      return { ...state, status: "waiting" };
    case "run_resumed": {
      const { held: _, ...rest } = state;
      return { ...rest, status: "running", paused: false };
    }
    case "run_paused":
      return { ...state, paused: true };
    case "run_held": {
      const { message, key } = event;
      const code = event.code as ErrorCode;
      const held = { code, message, ...(key === undefined ? undefined : { key }) };
      return { ...state, status: "waiting", held };
    }
    case "run_completed": {
      const answer = finalAnswer(state, event.output, event.at);
      const ended = withEnd(state, "completed", event.at);
      const messages = answer === undefined ? state.messages : [...state.messages, answer];
      return { ...ended, output: event.output, messages };
    }
    case "run_failed":
      return { ...withEnd(state, "failed", event.at), error: event.error };
    case "run_cancelled": {
      const { reason } = event;
      const message = reason === undefined ? "the run was cancelled" : `cancelled: ${reason}`;
      const error = { code: "run_cancelled", message, retryable: false } as const;
      return { ...withEnd(state, "cancelled", event.at), error };
    }
    case "wait_opened": {
      const { key, kind, prompt, dueAt, childRunId } = event;
      const wait: Wait = {
        key,
        kind: kind as Wait["kind"],
        ...(prompt === undefined ? undefined : { prompt }),
        ...(dueAt === undefined ? undefined : { expiresAt: dueAt }),
        ...(childRunId === undefined ? undefined : { runId: childRunId }),
      };
      return { ...state, waits: [...without(state, key), wait] };
    }
    case "wait_settled":
      return { ...state, waits: without(state, event.key) };
    default:
      return withWork(state, event);
  }
}

/** Returns the state after an event of a task, an agent, a tool or a model. */
function withWork(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "task_started": {
      const { taskId: key, taskName: name, agentRole: agent, at: startedAt } = event;
      return withTask(state, { key, name, agent, status: "running", startedAt });
    }
    case "task_completed":
      return withTaskEnd(state, event, "completed");
    case "task_failed":
      return withTaskEnd(state, event, "failed");
    case "agent_execution_started":
      return withAgent(state, event.agentRole, { status: "working", ...taskOf(event) });
    case "agent_execution_completed":
      return withAgent(state, event.agentRole, { status: "idle" });
    case "agent_execution_error":
      return withAgent(state, event.agentRole, { status: "failed", ...taskOf(event) });
    case "tool_usage_started": {
      const { task } = state.agents[event.agentRole] ?? {};
      const tool = { status: "tool", tool: event.toolName } as const;
      return withAgent(state, event.agentRole, { ...tool, ...taskOf({ taskName: task }) });
    }
    case "tool_usage_finished":
    case "tool_usage_error": {
      const { task } = state.agents[event.agentRole] ?? {};
      return withAgent(state, event.agentRole, {
        status: "working",
        ...taskOf({ taskName: task }),
      });
    }
    case "llm_call_completed": {
      // Views for tokens may lack it.
      const { usage } = event as { readonly usage?: Usage };
      if (usage === undefined) return state;
      return { ...state, usage: addUsage(state.usage, { ...NO_USAGE, ...usage }) };
    }
    default:
      return withMessage(state, event);
  }
}

function withMessage(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "conversation_message_added": {
      const { role, content, messageIndex: index, at } = event;
      return { ...state, messages: [...state.messages, { role, content, index, at }] };
    }
    case "chat_message_sent": {
      const { sender, message, at } = event;
      const { role, content } = message as { readonly role?: string; readonly content?: JsonValue };
      if (content === undefined || content === null || content === "") return state;
      const said = { role: role ?? "assistant", content: textOf(content), name: sender, at };
      return { ...state, messages: [...state.messages, said] };
    }
    default:
      return state;
  }
}

/** Returns the state with an event's text of a model call. */
function withCall(state: RunState, event: RunEvent | LiveEvent): RunState {
  const callId = callIdOf(event);
  if (callId === undefined) return state;
  const known = Object.hasOwn(state.text, callId) ? state.text[callId] : undefined;
  if (known?.done === true) return state;
  const before = known && wordsOf(callId, known);
  // For readers of progress only, the event has no text: their received chunks stay.
  const isCut = event.type === "llm_call_completed" && !("response" in event);
  const after = isCut ? before && { ...before, done: true } : foldCall(before, event);
  if (after === undefined || after === before) return state;
  return { ...state, text: { ...state.text, [callId]: shownCall(state, after) } };
}

function wordsOf(callId: string, call: CallText): CallWords {
  const { agent, task, ...words } = call;
  return {
    attempt: 1,
    thinking: "",
    toolCalls: [],
    ...words,
    callId,
    ...(agent === undefined ? undefined : { agentRole: agent }),
    ...(task === undefined ? undefined : { taskName: task }),
  };
}

function shownCall(state: RunState, words: CallWords): CallText {
  const { callId, text, toolCalls, done, attempt } = words;
  const place = state.tasks.find(({ key }) => callId === key || callId.startsWith(`${key}/`));
  const agent = place?.agent || words.agentRole;
  const task = place?.name ?? words.taskName;
  return {
    text,
    ...(words.thinking === "" ? undefined : { thinking: words.thinking }),
    ...(agent === undefined ? undefined : { agent }),
    ...(task === undefined ? undefined : { task }),
    ...(toolCalls.length === 0 ? undefined : { toolCalls }),
    done,
    ...(done ? undefined : { attempt }),
  };
}

function withTask(state: RunState, task: TaskState): RunState {
  const at = state.tasks.findIndex(({ key }) => key === task.key);
  const tasks = at < 0 ? [...state.tasks, task] : state.tasks.with(at, task);
  return { ...state, tasks };
}

function withTaskEnd(
  state: RunState,
  { path, taskName, at }: { readonly path: string; readonly taskName: string; readonly at: string },
  status: "completed" | "failed",
): RunState {
  const task =
    state.tasks.find(({ key }) => key === path) ??
    state.tasks.findLast(({ name, status: now }) => name === taskName && now === "running");
  return task === undefined ? state : withTask(state, { ...task, status, finishedAt: at });
}

function withAgent(state: RunState, role: string | undefined, agent: AgentState): RunState {
  if (role === undefined) return state; // absent in views of progress only
  return { ...state, agents: { ...state.agents, [role]: agent } };
}

function withEnd(state: RunState, status: RunStatus, at: string): RunState {
  const { held: _, ...rest } = state;
  const rested = Object.entries(state.agents).map(([role, agent]) =>
    agent.status === "failed" ? [role, agent] : [role, { status: "idle" } as const],
  );
  return {
    ...rest,
    status,
    paused: false,
    waits: [],
    agents: Object.fromEntries(rested) as RunState["agents"],
    tasks: state.tasks.map((task) =>
      task.status === "running" ? { ...task, status: "cancelled", finishedAt: at } : task,
    ),
    text: finished(state.text),
  };
}

function finished(text: RunState["text"]): RunState["text"] {
  const calls = Object.entries(text);
  if (calls.every(([, { done }]) => done)) return text;
  const ended = calls.map(([key, call]) => {
    const { attempt: _, ...said } = call;
    return [key, { ...said, done: true }];
  });
  return Object.fromEntries(ended) as RunState["text"];
}

function without({ waits }: RunState, key: string): RunState["waits"] {
  return waits.filter((wait) => wait.key !== key);
}

function taskOf({
  taskName,
}: {
  readonly taskName?: string | undefined;
}): { readonly task: string } | undefined {
  return taskName === undefined ? undefined : { task: taskName };
}

/** Returns the answer of a crew or an agent. Conversations already have theirs as messages. */
function finalAnswer(
  { kind, messages }: RunState,
  output: JsonValue,
  at: string,
): Message | undefined {
  if (kind !== "crew" && kind !== "agent") return undefined;
  const raw =
    typeof output === "object" && output !== null && !Array.isArray(output)
      ? (output as JsonObject).raw
      : undefined;
  if (typeof raw !== "string" || messages.at(-1)?.content === raw) return undefined;
  return { role: "assistant", content: raw, at };
}

function textOf(content: JsonValue): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part) =>
      typeof part === "object" && part !== null && !Array.isArray(part) ? part.text : part,
    )
    .filter((part) => typeof part === "string")
    .join("\n");
}
