import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { ToolCallDelta } from "../llm/language-model.ts";

/**
 * What happens in a run, as listeners, dashboards and streams see it. The names are those the field knows; a type
 * that ends a scope names the type that opened it in `SCOPE_OF_END`.
 */
export interface EventPayloads {
  // The run
  run_started: { kind: string; name: string; inputs: JsonObject };
  run_waiting: { waits: readonly string[] };
  run_resumed: object;
  run_paused: object;
  run_completed: { output: JsonValue };
  run_failed: { error: ErrorRecord };
  run_cancelled: { reason?: string };
  // Steps
  step_restarted: { key: string; attempt: number };
  step_retrying: { key: string; attempt: number; delayMs: number; error: ErrorRecord };
  wait_opened: {
    key: string;
    kind: string;
    prompt?: string;
    dueAt?: string;
    /** Of kind `child`. */
    childRunId?: string;
  };
  wait_settled: { key: string; expired?: boolean; by?: string };
  // Crews
  crew_kickoff_started: { crewName: string; inputs: JsonObject; fingerprint?: string };
  crew_kickoff_completed: { crewName: string; output: JsonValue; totalTokens: number };
  crew_kickoff_failed: { crewName: string; error: string };
  /** An event that the outside world sent to the run. */
  outside_event_received: { name: string; eventId?: string; outcome: "delivered" | "kept" };
  /** One that was kept, and does not fit the wait that was opened for it: it is gone. */
  outside_event_refused: { name: string; eventId?: string; reason: string };
  // Flows
  flow_started: { flowName: string; inputs: JsonObject };
  flow_finished: { flowName: string; result: JsonValue } & ShownState;
  /** The flow begins with the state that is kept under `flowId`; with its own where none is found. */
  flow_state_restored: { flowName: string; flowId: string; found: boolean; method?: string };
  flow_failed: { flowName: string; error: string };
  method_execution_started: {
    flowName: string;
    methodName: string;
    params?: JsonObject;
  } & ShownState;
  method_execution_finished: {
    flowName: string;
    methodName: string;
    result: JsonValue;
  } & ShownState;
  flow_input_requested: { message: string; metadata: JsonObject };
  flow_input_received: {
    message: string;
    response: string | null;
    responseMetadata?: JsonObject;
    /** Why an input provider gave nothing. */
    error?: string;
  };
  method_execution_failed: { flowName: string; methodName: string; error: string };
  // Conversations: the turns of a session. Messages are numbered from 0, and keep their numbers.
  conversation_turn_started: { flowName: string; sessionId: string };
  conversation_turn_completed: { flowName: string; sessionId: string };
  conversation_turn_failed: { flowName: string; sessionId: string; error: string };
  conversation_message_added: {
    sessionId: string;
    role: string;
    content: string;
    messageIndex: number;
  };
  conversation_route_selected: {
    sessionId: string;
    route: string;
    userMessage: string;
    messageIndex: number;
    previousIntent?: string;
  };
  // Training and testing. `filename` is the name that a training is kept under.
  crew_train_started: {
    crewName: string;
    nIterations: number;
    filename: string;
    inputs: JsonObject;
  };
  crew_train_completed: { crewName: string; nIterations: number; filename: string };
  crew_train_failed: { crewName: string; error: string };
  crew_test_started: {
    crewName: string;
    nIterations: number;
    evalLlm: string;
    inputs: JsonObject;
  };
  crew_test_completed: { crewName: string };
  crew_test_failed: { crewName: string; error: string };
  /** `executionDuration` is in seconds. */
  crew_test_result: {
    crewName: string;
    taskName: string;
    iteration: number;
    quality: number;
    executionDuration: number;
    model: string;
  };
  task_evaluation: { evaluationType: string; taskName?: string; agentRole?: string };
  // Judging agents; see `src/evaluation`.
  agent_evaluation_started: AboutEvaluation;
  agent_evaluation_completed: AboutEvaluation & { metricCategory: string; score: number | null };
  agent_evaluation_failed: AboutEvaluation & { metricCategory: string; error: string };
  // Tasks
  task_started: {
    taskName: string;
    agentRole: string;
    context: string;
    fingerprint?: string;
    /** The run that does the task, where it is not this one: what happens meanwhile is told there. */
    childRunId?: string;
  };
  task_completed: { taskName: string; agentRole: string; output: JsonValue };
  task_failed: { taskName: string; agentRole: string; error: string };
  // Agents
  agent_execution_started: {
    agentRole: string;
    taskName?: string;
    tools: readonly string[];
    taskPrompt: string;
    fingerprint?: string;
  };
  agent_execution_completed: { agentRole: string; taskName?: string; output: string };
  agent_execution_error: { agentRole: string; taskName?: string; error: string; attempt: number };
  /** Something about an agent that does not stop it and should be known. */
  agent_warning: { agentRole: string; message: string };
  lite_agent_execution_started: {
    agentInfo: JsonObject;
    tools: readonly string[];
    messages: JsonValue;
  };
  lite_agent_execution_completed: { agentInfo: JsonObject; output: string };
  lite_agent_execution_error: { agentInfo: JsonObject; error: string };
  // Plans of agents. `taskId` is the task's name, or `kickoff` where an agent works on its own.
  agent_reasoning_started: { agentRole: string; taskId: string; attempt: number };
  agent_reasoning_completed: {
    agentRole: string;
    taskId: string;
    attempt: number;
    plan: string;
    ready: boolean;
  };
  agent_reasoning_failed: { agentRole: string; taskId: string; attempt: number; error: string };
  plan_step_started: PlanStepFields & { toolToUse?: string };
  plan_step_completed: PlanStepFields & {
    toolToUse?: string;
    success: boolean;
    result?: string;
    error?: string;
  };
  step_observation_started: PlanStepFields;
  step_observation_completed: PlanStepFields & {
    stepCompletedSuccessfully: boolean;
    keyInformationLearned: string;
    remainingPlanStillValid: boolean;
    suggestedRefinements: JsonValue;
    needsFullReplan: boolean;
    replanReason?: string;
    goalAlreadyAchieved: boolean;
  };
  step_observation_failed: PlanStepFields & { error: string };
  plan_refinement: { agentRole: string; refinedStepCount: number; refinements: JsonValue };
  plan_replan_triggered: {
    agentRole: string;
    replanReason: string;
    replanCount: number;
    completedStepsPreserved: number;
  };
  goal_achieved_early: { agentRole: string; stepsRemaining: number; stepsCompleted: number };
  // Skills
  skill_loaded: { skillName: string; disclosureLevel: number; agentRole: string };
  skill_activated: { skillName: string; disclosureLevel: number; agentRole?: string };
  skill_used: { skillName: string; disclosureLevel: number; resource?: string };
  skill_load_failed: { skillName: string; error: string; agentRole: string };
  llm_guardrail_started: { guardrail: string; retryCount: number; guardrailType: string };
  /** `result` is the text that passed, `error` the reason against it. */
  llm_guardrail_completed: {
    success: boolean;
    result: string | null;
    error?: string;
    retryCount: number;
  };
  // People. `requestId` is the key of the wait.
  human_feedback_requested: {
    agentRole?: string;
    taskName?: string;
    methodName?: string;
    message: string;
    output: JsonValue;
    requestId: string;
  };
  human_feedback_received: { feedback: string; outcome?: string; by?: string };
  /** Feedback was not learned from, or lessons not applied; the flow goes on without. */
  human_feedback_learning_failed: { methodName: string; error: string };
  // Models. A call's messages are those of the calls before it plus what this one adds.
  llm_call_started: {
    callId: string;
    model: string;
    messageCount: number;
    tools?: readonly string[];
    stream: boolean;
  };
  llm_call_completed: {
    callId: string;
    model: string;
    response: string;
    callType: "llm_call" | "tool_call";
    toolCalls?: JsonValue;
    usage: Usage;
    finishReason: string;
    responseId?: string;
  };
  llm_call_failed: { callId: string; model: string; error: string };
  /** A piece of text, or of a tool call: then `chunk` is empty. */
  llm_stream_chunk: {
    callId: string;
    chunk: string;
    toolCall?: ToolCallDelta;
    agentRole?: string;
    taskName?: string;
  };
  llm_thinking_chunk: { callId: string; chunk: string; agentRole?: string; taskName?: string };
  // Tools
  tool_usage_started: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    runAttempts: number;
  };
  tool_usage_finished: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    output: string;
    fromCache: boolean;
    /** What the tool reported instead of a result. */
    failure?: JsonObject;
    startedAt?: string;
    finishedAt?: string;
  };
  tool_usage_error: { toolName: string; toolArgs: JsonValue; agentRole: string; error: string };
  tool_selection_error: { toolName: string; agentRole: string; error: string };
  tool_validate_input_error: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    error: string;
  };
  tool_failure_detected: {
    toolName: string;
    toolArgs: JsonValue;
    agentRole: string;
    taskName?: string;
    reason: string;
    message: string;
    failure: JsonObject;
    policy: string;
  };
  // Memory; see `src/memory`. Times are in milliseconds.
  memory_query_started: AboutQuery;
  /** `results` are the ids of what was found, best first. */
  memory_query_completed: AboutQuery & { results: readonly string[]; queryTimeMs: number };
  memory_query_failed: AboutQuery & { error: string };
  memory_save_started: { value?: string; metadata?: JsonObject; agentRole?: string };
  memory_save_completed: {
    value: string;
    saveTimeMs: number;
    /** Of what was made, changed and deleted. */
    saved: readonly string[];
    metadata?: JsonObject;
    agentRole?: string;
  };
  memory_save_failed: { value?: string; metadata?: JsonObject; agentRole?: string; error: string };
  memory_retrieval_started: { taskId?: string };
  memory_retrieval_completed: { taskId?: string; memoryContent: string; retrievalTimeMs: number };
  memory_retrieval_failed: { taskId?: string; error: string };
  /** The vectors could not be asked, or lack some records; full text stood in for them. */
  memory_index_degraded: { reason: string; missing: number };
  // Hooks
  hook_dispatched: {
    point: string;
    outcome: "proceeded" | "modified" | "aborted";
    hookCount: number;
    durationMs: number;
    abortReason?: string;
    abortSource?: string;
    /** Of hooks that failed, or changed something in a way that could not be taken; the run went on without them. */
    errors?: readonly string[];
  };
  // Knowledge. `collection` is a name of the tenant's, `document` the name of a document in it.
  knowledge_query_started: { taskPrompt: string };
  knowledge_query_completed: { query: string };
  knowledge_query_failed: { error: string };
  knowledge_search_query_started: { query: string; collection: string };
  knowledge_search_query_completed: {
    query: string;
    collection: string;
    retrievedKnowledge: string;
    /** Why only words were looked for. */
    degraded?: string;
  };
  knowledge_search_query_failed: { query: string; collection: string; error: string };
  knowledge_document_started: { collection: string; document: string };
  knowledge_document_progress: {
    collection: string;
    document: string;
    indexed: number;
    chunks: number;
  };
  knowledge_document_completed: {
    collection: string;
    document: string;
    chunks: number;
    /** How many had to be embedded: 0 for a document that has not changed. */
    embedded: number;
  };
  knowledge_document_failed: { collection: string; document: string; error: string };
}

/** A flow's state; fields that are too large are left out, and named. */
type ShownState = { state: JsonObject; stateOmitted?: readonly string[] };

type PlanStepFields = { agentRole: string; stepNumber: number; stepDescription: string };

export type EventType = keyof EventPayloads;

/** All types, for checking those that somebody names. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(
  Object.keys({
    run_started: true,
    run_waiting: true,
    run_resumed: true,
    run_paused: true,
    run_completed: true,
    run_failed: true,
    run_cancelled: true,
    step_restarted: true,
    step_retrying: true,
    wait_opened: true,
    wait_settled: true,
    outside_event_received: true,
    outside_event_refused: true,
    crew_kickoff_started: true,
    crew_kickoff_completed: true,
    crew_kickoff_failed: true,
    flow_started: true,
    flow_finished: true,
    flow_state_restored: true,
    flow_failed: true,
    method_execution_started: true,
    method_execution_finished: true,
    flow_input_requested: true,
    flow_input_received: true,
    method_execution_failed: true,
    conversation_turn_started: true,
    conversation_turn_completed: true,
    conversation_turn_failed: true,
    conversation_message_added: true,
    conversation_route_selected: true,
    crew_train_started: true,
    crew_train_completed: true,
    crew_train_failed: true,
    crew_test_started: true,
    crew_test_completed: true,
    crew_test_failed: true,
    crew_test_result: true,
    task_evaluation: true,
    agent_evaluation_started: true,
    agent_evaluation_completed: true,
    agent_evaluation_failed: true,
    task_started: true,
    task_completed: true,
    task_failed: true,
    agent_execution_started: true,
    agent_execution_completed: true,
    agent_execution_error: true,
    agent_warning: true,
    lite_agent_execution_started: true,
    lite_agent_execution_completed: true,
    lite_agent_execution_error: true,
    agent_reasoning_started: true,
    agent_reasoning_completed: true,
    agent_reasoning_failed: true,
    plan_step_started: true,
    plan_step_completed: true,
    step_observation_started: true,
    step_observation_completed: true,
    step_observation_failed: true,
    plan_refinement: true,
    plan_replan_triggered: true,
    goal_achieved_early: true,
    skill_loaded: true,
    skill_activated: true,
    skill_used: true,
    skill_load_failed: true,
    llm_guardrail_started: true,
    llm_guardrail_completed: true,
    human_feedback_requested: true,
    human_feedback_received: true,
    human_feedback_learning_failed: true,
    llm_call_started: true,
    llm_call_completed: true,
    llm_call_failed: true,
    llm_stream_chunk: true,
    llm_thinking_chunk: true,
    tool_usage_started: true,
    tool_usage_finished: true,
    tool_usage_error: true,
    tool_selection_error: true,
    tool_validate_input_error: true,
    tool_failure_detected: true,
    memory_query_started: true,
    memory_query_completed: true,
    memory_query_failed: true,
    memory_save_started: true,
    memory_save_completed: true,
    memory_save_failed: true,
    memory_retrieval_started: true,
    memory_retrieval_completed: true,
    memory_retrieval_failed: true,
    memory_index_degraded: true,
    hook_dispatched: true,
    knowledge_query_started: true,
    knowledge_query_completed: true,
    knowledge_query_failed: true,
    knowledge_search_query_started: true,
    knowledge_search_query_completed: true,
    knowledge_search_query_failed: true,
    knowledge_document_started: true,
    knowledge_document_progress: true,
    knowledge_document_completed: true,
    knowledge_document_failed: true,
  } satisfies Partial<Record<EventType, true>>),
);

type AboutQuery = { query: string; limit: number; scope?: string; scoreThreshold?: number };

type AboutEvaluation = { agentRole: string; taskId?: string; iteration: number };

type EventBase = {
  /** Place in the run's one order of events, from 1, without a gap. */
  readonly seq: number;
  /** `<path>:<type>`, the same however often the run is replayed. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly runId: string;
  /** The step or scope that it tells of, as in the journal: `task:research/turn:3`. */
  readonly path: string;
  /** `id` of the event that opened the enclosing scope. */
  readonly parentId?: string;
  /** On events that end a scope: `id` of the event that opened it. */
  readonly startedId?: string;
  /** `id` of the event that set this off, where that is not the scope it lies in: in flows. */
  readonly triggeredByEventId?: string;
};

/** A kept event of one type. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? EventBase & { readonly type: Type } & Readonly<EventPayloads[Type]>
  : never;

export type RunEvent = EventOf<EventType>;

/** The types that are told and not kept. */
export type LiveType = "llm_stream_chunk" | "llm_thinking_chunk";

/** An event that only those hear who listen right now: tokens as they come. It has no `seq` and is not kept. */
export type LiveEvent = {
  [Type in LiveType]: Omit<EventBase, "seq"> & { readonly type: Type } & Readonly<
      EventPayloads[Type]
    >;
}[LiveType];

/** The event after which nothing more happens. */
export const TERMINAL_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  "run_completed",
  "run_failed",
  "run_cancelled",
]);

/** The types that end a scope, and the type that opened it. */
export const SCOPE_OF_END: Partial<Record<EventType, EventType>> = {
  crew_kickoff_completed: "crew_kickoff_started",
  crew_kickoff_failed: "crew_kickoff_started",
  flow_finished: "flow_started",
  flow_failed: "flow_started",
  method_execution_finished: "method_execution_started",
  method_execution_failed: "method_execution_started",
  conversation_turn_completed: "conversation_turn_started",
  conversation_turn_failed: "conversation_turn_started",
  crew_train_completed: "crew_train_started",
  crew_train_failed: "crew_train_started",
  crew_test_completed: "crew_test_started",
  crew_test_failed: "crew_test_started",
  agent_evaluation_completed: "agent_evaluation_started",
  agent_evaluation_failed: "agent_evaluation_started",
  task_completed: "task_started",
  task_failed: "task_started",
  agent_execution_completed: "agent_execution_started",
  agent_execution_error: "agent_execution_started",
  lite_agent_execution_completed: "lite_agent_execution_started",
  lite_agent_execution_error: "lite_agent_execution_started",
  agent_reasoning_completed: "agent_reasoning_started",
  agent_reasoning_failed: "agent_reasoning_started",
  plan_step_completed: "plan_step_started",
  step_observation_completed: "step_observation_started",
  step_observation_failed: "step_observation_started",
  llm_guardrail_completed: "llm_guardrail_started",
  human_feedback_received: "human_feedback_requested",
  knowledge_query_completed: "knowledge_query_started",
  knowledge_query_failed: "knowledge_query_started",
  knowledge_search_query_completed: "knowledge_search_query_started",
  knowledge_search_query_failed: "knowledge_search_query_started",
  knowledge_document_completed: "knowledge_document_started",
  knowledge_document_failed: "knowledge_document_started",
  llm_call_completed: "llm_call_started",
  llm_call_failed: "llm_call_started",
  tool_usage_finished: "tool_usage_started",
  tool_usage_error: "tool_usage_started",
  memory_query_completed: "memory_query_started",
  memory_query_failed: "memory_query_started",
  memory_save_completed: "memory_save_started",
  memory_save_failed: "memory_save_started",
  memory_retrieval_completed: "memory_retrieval_started",
  memory_retrieval_failed: "memory_retrieval_started",
};

/** The types that open a scope. */
export const SCOPE_STARTS: ReadonlySet<EventType> = new Set<EventType>([
  "run_started",
  ...Object.values(SCOPE_OF_END),
]);
