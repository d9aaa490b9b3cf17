/** Crews of AI agents that survive crashes: the definitions, and runs in this process. */
// oxlint-disable-next-line import/no-unassigned-import -- it checks the runtime before any other module is loaded
import "./base/check-node.ts";

/** Does tasks: a role, a goal, a backstory, a model and tools. */
export { Agent, type AgentKickoffOptions, type AgentOptions } from "./agent/description/agent.ts";
/** Lets an agent of another framework do tasks. */
export type {
  AdapterAnswer,
  AdapterRequest,
  AdapterTool,
  AgentAdapter,
} from "./agent/description/agent-adapter.ts";
export type { PlanningOptions } from "./agent/planning/planning-config.ts";
/** Input and output of a single agent. */
export type { AgentMessage, AgentMessages } from "./agent/run-agent.ts";
export type { AgentOutput } from "./agent/agent-output.ts";
/** Reads the text of a SKILL.md. */
export { skill } from "./agent/skills/skill.ts";
export type { Skill, SkillOptions, SkillSource } from "./agent/skills/read-skill.ts";
/** Checks for a task's answer. */
export {
  hallucinationGuardrail,
  llmGuardrail,
  type Guardrail,
  type GuardrailVerdict,
} from "./agent/description/guardrail.ts";
export type { HumanInputOptions } from "./agent/loop/human-input.ts";
/** A model called directly, without an agent. */
export { llm, type Llm, type LlmCallOptions, type LlmMessages } from "./agent/llm.ts";
/** Arguments of `stepCallback`. */
export type { AgentFinish, StepCallback, ToolResult } from "./agent/loop/step-callback.ts";
/** Prompt texts for models; each can be replaced. */
export { DEFAULT_PROMPTS, type PromptOverrides } from "./agent/prompts/prompts.ts";
/** Class of every intentional error; `code` names the failure, `retryable` is true if another attempt can succeed. */
export { EngineError, type ErrorCode, type ErrorRecord, type Issue } from "./base/error.ts";
/** Storage of a run's files, and an implementation in this process. */
export type { FileStore } from "./files/file-store.ts";
export { InMemoryFileStore } from "./files/in-memory-file-store.ts";
export type { JsonObject, JsonValue } from "./base/json.ts";
export type { RetryPolicy } from "./base/retry.ts";
/** Trainings of crews, and stores for them. */
export {
  InMemoryTrainedStore,
  type TrainedAgent,
  type TrainedStore,
  type Training,
} from "./crew/actions/training.ts";
export type { Usage } from "./base/usage.ts";
/** Agents and the tasks they do, in order. */
export { Crew } from "./crew/crew.ts";
export type { TestOptions, TrainOptions } from "./crew/actions/local-actions.ts";
export type { KickoffOptions } from "./crew/local-start.ts";
export type { ChatMessage, ChatReply } from "./crew/actions/chat-messages.ts";
/** Scores of a crew in a test. */
export { formatTestReport, type TestReport } from "./crew/actions/test-report.ts";
/** Options and results of `crew.kickoffForEach`. */
export type { ForEachOptions, ItemResult } from "./crew/batch/kickoff-for-each.ts";
export type { CrewOptions, Process } from "./crew/crew-options.ts";
/** A crew as data (JSON or YAML), and the crew it describes. */
export { type CrewDefinition } from "./crew/definition/definition-schema.ts";
export { crewFromDefinition, readCrewDefinition } from "./crew/definition/crew-definition.ts";
/** One unit of work. */
export { Task, type TaskOptions } from "./crew/tasks/task.ts";
/** A task that is skipped or done, depending on the output before it. */
export { ConditionalTask, type ConditionalTaskOptions } from "./crew/tasks/conditional-task.ts";
export { outputJson, type CrewOutput, type TaskOutput } from "./crew/tasks/task-output.ts";
/** Events of a run, and listeners for them. */
export type { EventType, LiveEvent, RunEvent } from "./feature-events.ts";
export {
  RunEventListener,
  onEvent,
  type Listener,
  type ListenerContext,
  type Listeners,
  type RestContext,
} from "./events/listener.ts";
export { withListeners } from "./events/listener-queue.ts";
/** Fingerprints of crews, tasks and agents, for audits. */
export { Fingerprint } from "./security/fingerprint.ts";
export { SecurityConfig, type SecurityOptions } from "./security/security-config.ts";
export type { WaitRequest } from "./journal/journal-store.ts";
export type { ModelSettings } from "./llm/model-settings.ts";
export type { ModelSpec } from "./llm/resolve-model.ts";
/** A run, wherever it lives. */
export type { EventsOptions, ResumeRequest, RunHandle } from "./runtime/handle/run-handle.ts";
export type { Run, RunKind, RunStatus, Step, TaskState, Wait } from "./runtime/run.ts";
/** Tools available to every crew. */
export { calculator, currentTime, wait } from "./tools/builtin/builtin-tools.ts";
/** Defines a tool from a zod schema, or from a JSON Schema. */
export { type ApprovalContext, type ToolContext } from "./tools/tool-context.ts";
export { tool, toolFromSchema, type Tool, type ToolSecurity } from "./tools/tool.ts";
export type { ToolOptions } from "./tools/tool-options.ts";
/** Values for a tool's `run` beside its input, hidden from models. */
export { depends, type Injection } from "./tools/injection.ts";
export type { StandardInput } from "./tools/tool-input.ts";
export type { EnvVar } from "./tools/env-vars.ts";
/** Return value of a failed tool, and the failure policies. */
export {
  toolFailure,
  type ToolFailure,
  type ToolFailurePolicy,
  type ToolFailureRecord,
} from "./tools/tool-failure.ts";
/** Return value of a tool with more than a text as its result. */
export {
  toolResult,
  type ResultCost,
  type ResultImage,
  type ResultSource,
  type ToolResultFields,
} from "./tools/tool-result.ts";
export type { ToolAccountFields, ToolUsage, ToolUsages } from "./tools/tool-accounts.ts";
/** Converts a tool written for another framework. */
export { toolFrom, type ForeignTool } from "./tools/tool-from.ts";
/** Files for `inputFiles`, and how they are handled. */
export { file, type FileInput, type FileOptions, type InputFiles } from "./files/file-source.ts";
