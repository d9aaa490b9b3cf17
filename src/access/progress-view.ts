// A run as shown to front ends: its progress and its results.
//
//   PG1. Everything not listed here is hidden: prompts, system texts, messages of agents and models other than final
//        ones, arguments and results of tools, texts of memory and knowledge, reasoning, inputs.
//   PG2. Every event is shown, with the fields listed for its type, so `seq` has no gap.
//   PG3. Waits are shown whole to callers who may answer them, and without their questions to others.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Fields of every event. */
const OF_ALL = ["seq", "id", "type", "at", "runId", "path", "parentId", "startedId"];
const SPEAKER = ["callId", "agentRole", "taskName", "taskId", "attempt"];
const TOOL = ["toolName", "agentRole"];
const MESSAGE = ["id", "mode", "state", "sentAt"];
const NOTHING: readonly string[] = [];

/** Fields shown for each event type, in addition to `OF_ALL`. Other event types show only `OF_ALL`. */
export const PROGRESS_FIELDS: Readonly<Record<string, readonly string[]>> = {
  run_started: ["kind", "name"],
  run_waiting: ["waits"],
  run_completed: ["output"],
  run_failed: ["error"],
  step_restarted: ["key", "attempt"],
  step_retrying: ["key", "attempt", "delayMs"],
  wait_opened: ["key", "kind", "dueAt", "childRunId"],
  wait_settled: ["key", "expired"],
  message_received: ["messageId", "mode"],
  message_delivered: ["messageId"],
  message_withdrawn: ["messageId"],
  message_undelivered: ["messageId"],
  llm_call_started: ["callId", "stream"],
  llm_call_completed: ["callId", "callType", "agentRole"],
  llm_call_failed: ["callId"],
  llm_stream_chunk: [...SPEAKER, "chunk", "offset", "reset"],
  llm_stream_snapshot: [...SPEAKER, "text"],
  agent_execution_started: ["agentRole", "taskName"],
  agent_execution_completed: ["agentRole", "taskName"],
  agent_execution_error: ["agentRole", "taskName", "attempt"],
  context_window_summarization_started: ["agentRole", "taskName"],
  context_window_summarization_completed: ["agentRole", "taskName"],
  context_window_summarization_failed: ["agentRole", "taskName"],
  agent_reasoning_started: ["agentRole", "taskId", "attempt"],
  agent_reasoning_completed: ["agentRole", "taskId", "attempt", "ready"],
  agent_reasoning_failed: ["agentRole", "taskId", "attempt"],
  human_feedback_requested: ["agentRole", "taskName", "methodName", "requestId"],
  crew_kickoff_started: ["crewName"],
  crew_kickoff_completed: ["crewName", "output", "totalTokens"],
  crew_kickoff_failed: ["crewName"],
  crew_train_started: ["crewName", "nIterations"],
  crew_train_completed: ["crewName", "nIterations"],
  crew_train_failed: ["crewName"],
  crew_test_started: ["crewName", "nIterations"],
  crew_test_completed: ["crewName"],
  crew_test_failed: ["crewName"],
  crew_test_result: ["crewName", "taskName", "iteration", "quality", "executionDuration"],
  task_started: ["taskId", "taskName", "agentRole", "childRunId"],
  task_completed: ["taskName", "agentRole", "output"],
  task_failed: ["taskName", "agentRole"],
  flow_started: ["flowName"],
  flow_finished: ["flowName", "result"],
  flow_failed: ["flowName"],
  method_execution_started: ["flowName", "methodName"],
  method_execution_finished: ["flowName", "methodName"],
  method_execution_failed: ["flowName", "methodName"],
  conversation_turn_started: ["flowName", "sessionId"],
  conversation_turn_completed: ["flowName", "sessionId"],
  conversation_turn_failed: ["flowName", "sessionId"],
  chat_started: ["chat"],
  chat_completed: ["chat", "summary"],
  chat_failed: ["chat"],
  chat_speaker_selected: ["speaker", "round"],
  chat_handoff: ["source", "target"],
  tool_usage_started: [...TOOL, "runAttempts"],
  tool_usage_finished: [...TOOL, "fromCache", "attempts", "startedAt", "finishedAt"],
  tool_usage_error: TOOL,
  custom_event_emitted: ["name", ...TOOL],
  tool_job_started: ["toolName"],
  tool_job_finished: ["toolName", "status"],
  mcp_tool_progress: ["progress", "total"],
  mcp_tool_execution_started: TOOL,
  mcp_tool_execution_completed: [...TOOL, "executionDurationMs"],
  mcp_tool_execution_failed: TOOL,
  knowledge_document_progress: ["indexed", "chunks"],
};

/** Rights that extend the view. */
export type ProgressOptions = { readonly mayAnswer: boolean };

/** Returns an event in its shown form. */
export function progressEvent(event: JsonObject, { mayAnswer }: ProgressOptions): JsonObject {
  const type = textOf(event["type"]);
  const own = Object.hasOwn(PROGRESS_FIELDS, type) ? (PROGRESS_FIELDS[type] ?? NOTHING) : NOTHING;
  const asked = mayAnswer && type === "wait_opened" ? ["prompt"] : NOTHING;
  return shownValues(picked(event, [...OF_ALL, ...own, ...asked]));
}

/** Returns a message to a run without its words: the bearer may not be its author. */
export function progressMessage(json: JsonObject, options: ProgressOptions): JsonObject {
  return "waits" in json ? progressRun(json, options) : picked(json, MESSAGE);
}

/** Returns the list of messages in this form. */
export function progressMessages({ items = [] }: JsonObject): JsonObject {
  const messages = (Array.isArray(items) ? items : []).filter(isJsonObject);
  return { items: messages.map((each) => picked(each, MESSAGE)) };
}

/** Returns a page of events, each in its shown form. */
export function progressPage(page: JsonObject, options: ProgressOptions): JsonObject {
  const { items = [] } = page;
  const events = (Array.isArray(items) ? items : []).filter(isJsonObject);
  const shown = events.map((event) => progressEvent(event, options));
  return { ...picked(page, ["next", "more", "ended"]), items: shown };
}

const OF_RUN = [
  "id",
  "kind",
  "name",
  "status",
  "paused",
  "tasks",
  "lastSeq",
  "definitionVersion",
  "parent",
  "createdAt",
  "startedAt",
  "finishedAt",
];

/** Returns a run in its shown form, for answers of runs and of kickoffs. */
export function progressRun(run: JsonObject, { mayAnswer }: ProgressOptions): JsonObject {
  const { waits, usage } = run;
  const shown = picked(run, [...OF_RUN, "links", "sessionId", "output", "error"]);
  const isWhole = Array.isArray(waits);
  return shownValues({
    ...shown,
    ...(isWhole ? { inputs: {} } : undefined),
    ...(isJsonObject(usage) ? { usage: withoutModels(usage) } : undefined),
    ...(isWhole ? { waits: mayAnswer ? waits : waits.map(withoutQuestion) } : undefined),
  });
}

const OF_PLACE = ["x", "y", "width", "height"];
const OF_NODE = ["id", "kind", "label", "group", "key", "start", "router", "conditional", "async"];
const OF_EDGE = ["id", "from", "to", "kind", "back", "path", "count"];
const OF_STATE = ["state", "count", "durationMs", "costUsd"];
/** Labels of these edges are names. Other labels may be conditions, which are prompts. */
const NAMED_EDGES = new Set<JsonValue | undefined>(["listens", "routes", "all", "any"]);

/** Returns the graph with only the names, places and states of its groups, nodes and edges. */
export function progressGraph(graph: JsonObject, { mayAnswer }: ProgressOptions): JsonObject {
  const items = (name: string): readonly JsonObject[] =>
    Array.isArray(graph[name]) ? graph[name].filter(isJsonObject) : [];
  return {
    ...picked(graph, ["kind", "name", "size"]),
    groups: items("groups").map((group) => picked(group, ["id", "label", ...OF_PLACE])),
    nodes: items("nodes").map((node) => ({
      ...picked(node, [...OF_NODE, "human", "copied", ...OF_PLACE]),
      ...(node["kind"] === "task" ? picked(node, ["sub"]) : undefined), // the task's agent
      ...(isJsonObject(node["state"])
        ? { state: picked(node["state"], mayAnswer ? [...OF_STATE, "waits"] : OF_STATE) }
        : undefined),
    })),
    edges: items("edges").map((edge) =>
      picked(edge, NAMED_EDGES.has(edge["kind"]) ? [...OF_EDGE, "label"] : OF_EDGE),
    ),
    warnings: [],
  };
}

/** Returns the session's messages, without its state. */
export function progressSession(session: JsonObject): JsonObject {
  const { state: _, ...rest } = session;
  return rest;
}

function picked(value: JsonObject, fields: readonly string[]): JsonObject {
  const found = fields.flatMap((field) => {
    const item = value[field];
    return item === undefined ? [] : [[field, item] as const];
  });
  return Object.fromEntries(found);
}

function shownValues(value: JsonObject): JsonObject {
  const { output, error } = value;
  return {
    ...value,
    ...(output === undefined ? undefined : { output: shownOutput(output) }),
    ...(isJsonObject(error) ? { error: shownError(error) } : undefined),
  };
}

const OF_TASK = ["name", "agent", "raw", "object"];
const OF_OUTPUT = ["raw", "object", "value", "reply", "summary", "sessionId", "turn", "ended"];

/** Returns an output without descriptions, transcripts and state. */
function shownOutput(output: JsonValue): JsonValue {
  if (!isJsonObject(output)) return output;
  const { tasks, items } = output;
  return {
    ...picked(output, OF_OUTPUT),
    ...(Array.isArray(tasks)
      ? { tasks: tasks.flatMap((task) => (isJsonObject(task) ? picked(task, OF_TASK) : [])) }
      : undefined),
    ...(Array.isArray(items)
      ? {
          items: items.flatMap((item) =>
            isJsonObject(item)
              ? shownValues(picked(item, ["index", "id", "runId", "status", "output", "error"]))
              : [],
          ),
        }
      : undefined),
  };
}

/** An error text may quote anything. */
function shownError({ code = "internal" }: JsonObject): JsonObject {
  return { code, message: `the run has failed: ${textOf(code)}`, retryable: false };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function withoutQuestion(wait: JsonValue): JsonValue {
  return isJsonObject(wait)
    ? picked(wait, ["key", "kind", "openedAt", "expiresAt", "dueAt"])
    : wait;
}

function withoutModels(usage: JsonObject): JsonObject {
  return picked(usage, [
    "promptTokens",
    "cachedPromptTokens",
    "cacheCreationTokens",
    "completionTokens",
    "reasoningTokens",
    "totalTokens",
    "requests",
    "costUsd",
  ]);
}
