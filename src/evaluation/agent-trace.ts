// Traces of agents at tasks, read from the events of a run.
//
//   EVT1. All work of one agent at one task is one trace, including retries of guardrails and rounds with people. Work
//         delegated to a coworker is the coworker's trace.
//   EVT2. Model calls and tool calls belong to the agent of the innermost enclosing execution.
import type { JsonValue } from "../base/json.ts";
import type { EventOf, RunEvent } from "../events/run-event.ts";
import { EventTracer, type Traced } from "../events/traced-event.ts";

/** One call of a tool. Texts longer than 16 384 characters are cut, as in events. */
export type TracedTool = {
  readonly name: string;
  readonly arguments: JsonValue;
  readonly output?: string;
  readonly error?: string;
};

/** An agent's work at a task. */
export type AgentTrace = {
  readonly agentRole: string;
  /** Absent for an agent without a task. */
  readonly taskName?: string;
  /** The task's step key. */
  readonly taskId?: string;
  /**
   * Number of the iteration, from 1; higher in the runs of a test or training, and for further executions of a flow's
   * method.
   */
  readonly iteration: number;
  /** The agent's prompt. */
  readonly prompt: string;
  /** Names of the tools available to the agent. */
  readonly tools: readonly string[];
  readonly toolCalls: readonly TracedTool[];
  /** Replies of its model, call by call: text, and names of the called tools. */
  readonly modelCalls: ReadonlyArray<{ readonly text: string; readonly tools: readonly string[] }>;
  readonly totalTokens: number;
  readonly seconds: number;
  /** Its last answer; null if it gave no answer. */
  readonly output: string | null;
  readonly error?: string;
};

type MutableTrace = {
  -readonly [Key in keyof AgentTrace]: AgentTrace[Key] extends readonly (infer Item)[]
    ? Item[]
    : AgentTrace[Key];
};

/**
 * Returns the traces of a run's agents, in the order of their starts. `events` is the whole log, or the available part.
 */
export function agentTraces(events: Iterable<RunEvent>): AgentTrace[] {
  const tracer = new EventTracer();
  const traces = new Map<string, MutableTrace>();
  /** Trace of each open scope's agent. */
  const within = new Map<string, MutableTrace>();
  const began = new Map<string, number>();
  for (const untraced of events) {
    const event = tracer.trace(untraced);
    const enclosing = within.get(event.parentId ?? "");
    switch (event.type) {
      case "agent_execution_started":
      case "lite_agent_execution_started": {
        const begun = newTrace(event);
        const key = JSON.stringify([begun.agentRole, event.taskId ?? event.path]);
        const trace = traces.get(key) ?? begun;
        traces.set(key, trace);
        within.set(event.id, trace);
        began.set(event.id, Date.parse(event.at));
        continue;
      }
      case "agent_execution_completed":
      case "lite_agent_execution_completed":
      case "agent_execution_error":
      case "lite_agent_execution_error": {
        const trace = within.get(event.startedId ?? "");
        if (trace === undefined) break;
        const start = began.get(event.startedId ?? "") ?? Date.parse(event.at);
        trace.seconds += (Date.parse(event.at) - start) / 1000;
        if ("output" in event) trace.output = event.output;
        else trace.error = event.error;
        break;
      }
      case "llm_call_completed":
        if (enclosing === undefined) break;
        enclosing.totalTokens += event.usage.totalTokens;
        enclosing.modelCalls.push({ text: event.response, tools: namesOf(event.toolCalls) });
        break;
      case "tool_usage_finished":
      case "tool_usage_error": {
        const { toolName: name, toolArgs } = event;
        const trace = within.get(event.startedId ?? "") ?? enclosing;
        const outcome = "output" in event ? { output: event.output } : { error: event.error };
        trace?.toolCalls.push({ name, arguments: toolArgs, ...outcome });
        break;
      }
      case "tool_selection_error":
      case "tool_validate_input_error": {
        const { toolName: name, error } = event;
        const toolArgs = event.type === "tool_validate_input_error" ? event.toolArgs : {};
        enclosing?.toolCalls.push({ name, arguments: toolArgs, error });
        break;
      }
      default:
    }
    if (enclosing !== undefined) within.set(event.id, enclosing);
  }
  return [...traces.values()];
}

/** Returns the trace of an agent at its start. */
function newTrace(
  event: Traced<EventOf<"agent_execution_started" | "lite_agent_execution_started">>,
): MutableTrace {
  const { taskId, taskName, path, tools } = event;
  const lite = event.type === "lite_agent_execution_started";
  return {
    agentRole: lite ? textOf(event.agentInfo["role"]) : event.agentRole,
    ...(taskName === undefined ? undefined : { taskName }),
    ...(taskId === undefined ? undefined : { taskId }),
    iteration: iterationOf(taskId ?? path),
    prompt: lite ? saidTo(event.messages) : event.taskPrompt,
    tools: [...tools],
    toolCalls: [],
    modelCalls: [],
    totalTokens: 0,
    seconds: 0,
    output: null,
  };
}

/** `iteration:2/task:page` is the second; so is `method:draft~2`. */
function iterationOf(place: string): number {
  const numbers = [...place.matchAll(/(?:^|\/)(?:iteration:|method:[^/~]+~)(\d+)/g)];
  return Number(numbers.at(-1)?.[1] ?? 1);
}

function saidTo(messages: JsonValue): string {
  if (typeof messages === "string") return messages;
  if (!Array.isArray(messages)) return "";
  const last = (messages as ReadonlyArray<{ content?: JsonValue }>).at(-1)?.content ?? "";
  return typeof last === "string" ? last : JSON.stringify(last);
}

function namesOf(toolCalls: JsonValue | undefined): string[] {
  if (!Array.isArray(toolCalls)) return [];
  return (toolCalls as ReadonlyArray<{ name?: JsonValue }>).map(({ name }) => textOf(name));
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
