/** Crews of AI agents that survive anything: the definitions, and runs in this process. */

/** Somebody who does tasks: role, goal, backstory, model, tools. */
export { Agent, type AgentOptions } from "./agent/agent.ts";
/** Checks that a task's answer has to pass. */
export {
  hallucinationGuardrail,
  llmGuardrail,
  type Guardrail,
  type GuardrailVerdict,
} from "./agent/guardrail.ts";
export type { HumanInputOptions } from "./agent/human-input.ts";
/** What `stepCallback` is called with. */
export type { AgentFinish, StepCallback, ToolResult } from "./agent/step-callback.ts";
/** The texts that are said to models, to be replaced one by one. */
export { DEFAULT_PROMPTS, type PromptOverrides } from "./agent/prompts.ts";
/** Every error that is thrown on purpose; `code` says what happened, `retryable` whether trying again can help. */
export { EngineError, type ErrorCode, type ErrorRecord, type Issue } from "./base/error.ts";
export type { JsonObject, JsonValue } from "./base/json.ts";
export type { RetryPolicy } from "./base/retry.ts";
/** What crews were taught, and where it is kept. */
export {
  MemoryTrainedStore,
  type TrainedAgent,
  type TrainedStore,
  type Training,
} from "./base/training.ts";
export type { Usage } from "./base/usage.ts";
/** Where results of tests are kept. */
export {
  MemoryEvaluationStore,
  type EvaluationStore,
  type StoredEvaluation,
} from "./base/evaluation-store.ts";
/** Agents and the tasks they do, in order. */
export { Crew, type KickoffOptions, type TestOptions, type TrainOptions } from "./crew/crew.ts";
export type { ChatMessage, ChatReply } from "./crew/chat-crew.ts";
/** How well a crew did in a test. */
export { formatTestReport, type TestReport } from "./crew/test-report.ts";
export type { CrewOptions } from "./crew/crew-options.ts";
/** A crew as data (JSON or YAML), and the crew it describes. */
export {
  crewFromDefinition,
  readCrewDefinition,
  type CrewDefinition,
} from "./crew/crew-definition.ts";
/** One unit of work. */
export { Task, type TaskOptions } from "./crew/task.ts";
export { outputJson, type CrewOutput, type TaskOutput } from "./crew/task-output.ts";
/** What happens in a run, as listeners hear it. */
export type { EventType, LiveEvent, RunEvent } from "./events/run-event.ts";
export type { WaitRequest } from "./journal/journal-store.ts";
/** The port that every model implements; implement it for a model of your own. */
export type {
  CallOptions,
  LanguageModel,
  Message,
  ModelRequest,
  ModelResponse,
  ToolCall,
  ToolSpec,
} from "./llm/language-model.ts";
/** Finds models by name, and makes each of them once. */
export { modelCatalog, type ModelCatalog } from "./llm/model-catalog.ts";
export type { ModelSettings } from "./llm/model-settings.ts";
export type { ModelEnvironment, ModelSpec } from "./llm/resolve-model.ts";
/** A run, wherever it lives. */
export type { EventsOptions, ResumeRequest, RunHandle } from "./runtime/run-handle.ts";
export type { Run, RunKind, RunStatus, Step, TaskState, Wait } from "./runtime/run.ts";
/** The tools that every crew can use. */
export { calculator, currentTime, wait } from "./tools/builtin/builtin-tools.ts";
/** Defines a tool from a zod schema, or from a JSON Schema. */
export {
  tool,
  toolFromSchema,
  type Tool,
  type ToolContext,
  type ToolOptions,
} from "./tools/tool.ts";
