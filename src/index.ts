/** Crews of AI agents that survive anything: the definitions, and runs in this process. */
// oxlint-disable-next-line import/no-unassigned-import -- it checks the runtime before anything else is loaded
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
/** The input and output of an agent that works alone. */
export type { AgentMessage, AgentMessages } from "./agent/run-agent.ts";
export type { AgentOutput } from "./agent/agent-output.ts";
/** Reads the text of a SKILL.md. */
export { skill } from "./agent/skills/skill.ts";
export type { Skill, SkillOptions, SkillSource } from "./agent/skills/read-skill.ts";
/** Checks that a task's answer has to pass. */
export {
  hallucinationGuardrail,
  llmGuardrail,
  type Guardrail,
  type GuardrailVerdict,
} from "./agent/description/guardrail.ts";
export type { HumanInputOptions } from "./agent/loop/human-input.ts";
/** A model called directly, without an agent. */
export { llm, type Llm, type LlmCallOptions, type LlmMessages } from "./agent/llm.ts";
/** What `stepCallback` is called with. */
export type { AgentFinish, StepCallback, ToolResult } from "./agent/loop/step-callback.ts";
/** The texts that are sent to models; each can be replaced. */
export { DEFAULT_PROMPTS, type PromptOverrides } from "./agent/prompts/prompts.ts";
/** Every error that is thrown on purpose; `code` says what happened, `retryable` whether trying again can help. */
export { EngineError, type ErrorCode, type ErrorRecord, type Issue } from "./base/error.ts";
/** Where a run's files are, and one in this process. */
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
/** How well a crew did in a test. */
export { formatTestReport, type TestReport } from "./crew/actions/test-report.ts";
/** Of `crew.kickoffForEach`. */
export type { ForEachOptions, ItemResult } from "./crew/batch/kickoff-for-each.ts";
export type { CrewOptions, Process } from "./crew/crew-options.ts";
/** A crew as data (JSON or YAML), and the crew it describes. */
export {
  crewFromDefinition,
  readCrewDefinition,
  type CrewDefinition,
} from "./crew/definition/crew-definition.ts";
/** One unit of work. */
export { Task, type TaskOptions } from "./crew/tasks/task.ts";
/** One that is done only if the output before it says so. */
export { ConditionalTask, type ConditionalTaskOptions } from "./crew/tasks/conditional-task.ts";
export { outputJson, type CrewOutput, type TaskOutput } from "./crew/tasks/task-output.ts";
/** What happens in a run, and listeners for it. */
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
/** The tools that every crew can use. */
export { calculator, currentTime, wait } from "./tools/builtin/builtin-tools.ts";
/** Defines a tool from a zod schema, or from a JSON Schema. */
export {
  tool,
  toolFromSchema,
  type Tool,
  type ApprovalContext,
  type ToolContext,
  type ToolSecurity,
} from "./tools/tool.ts";
export type { ToolOptions } from "./tools/tool-options.ts";
/** What a tool's `run` receives beside its input, and no model sees. */
export { depends, type Injection } from "./tools/injection.ts";
export type { StandardInput } from "./tools/tool-input.ts";
export type { EnvVar } from "./tools/env-vars.ts";
/** What a tool returns when it could not do its work, and the policies for that. */
export {
  toolFailure,
  type ToolFailure,
  type ToolFailurePolicy,
  type ToolFailureRecord,
} from "./tools/tool-failure.ts";
/** What a tool returns when there is more to its result than a text. */
export {
  toolResult,
  type ResultCost,
  type ResultImage,
  type ResultSource,
  type ToolResultFields,
} from "./tools/tool-result.ts";
export type { ToolAccountFields, ToolUsage, ToolUsages } from "./tools/tool-accounts.ts";
/** Makes a tool of one that was written for another framework. */
export { toolFrom, type ForeignTool } from "./tools/tool-from.ts";
/** Files for `inputFiles`, and how they are handled. */
export { file, type FileInput, type FileOptions, type InputFiles } from "./files/file-source.ts";
