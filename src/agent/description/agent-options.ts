import type { JsonObject } from "../../base/json.ts";
import type { InputFiles } from "../../files/file-source.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { Hook } from "../../hooks/hook.ts";
import type { KnowledgeFields } from "../../knowledge/knowledge-view.ts";
import type { ModelCatalog } from "../../llm/model-catalog.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { MemoryOption } from "../../memory/memory-service.ts";
import type { SecurityOptions } from "../../security/security-config.ts";
import type { ToolFailurePolicy } from "../../tools/tool-failure.ts";
import type { OutputSchema } from "../loop/structured-output.ts";
import type { StepCallback } from "../loop/step-callback.ts";
import type { PlanningFields } from "../planning/planning-config.ts";
import type { PromptOverrides } from "../prompts/prompts.ts";
import type { AgentOutput } from "../agent-output.ts";
import type { SkillSource } from "../skills/read-skill.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import type { RemoteAgentEntry } from "./agent-offer.ts";
import type { ToolEntry } from "./check-tools.ts";
import type { Guardrail } from "./guardrail.ts";
import type { McpEntry } from "./mcp-entry.ts";

/** Options of `new Agent()`. `role`, `goal` and `backstory` are required. */
export type AgentOptions = PlanningFields &
  KnowledgeFields & {
    /** Role, such as `"{topic} researcher"`. Inputs fill the `{placeholders}` in `role`, `goal` and `backstory`. */
    readonly role: string;
    /** Aim of the agent's work. */
    readonly goal: string;
    /** Background for the model: experience, style, rules. */
    readonly backstory: string;
    /**
     * Model string such as `"openai/gpt-5-mini"`, settings, a custom model, or a list in which each model is the
     * fallback of the one before.
     * @default the model named by the environment
     */
    readonly llm?: ModelSpec;
    /** Tools for the model, and servers with tools. @default [] */
    readonly tools?: readonly ToolEntry[];
    /**
     * Number of tools up to which all are described to the model. Beyond it the model sees only names and purposes, and
     * finds tools with `tool_search`. `true` is 20; an integer >= 0.
     * @default false, all are described to it
     */
    readonly deferTools?: boolean | number;
    /** Model calls per task before the agent must give its final answer. An integer >= 1. @default 25 */
    readonly maxIter?: number;
    /** Model calls per minute; further calls wait on a durable timer. An integer >= 1. @default the crew's limit */
    readonly maxRpm?: number;
    /**
     * Time limit for one task in seconds, retries and waits included; after it the task fails with `timeout`. An integer >= 1.
     * @default no limit
     */
    readonly maxExecutionTime?: number;
    /** Number of further executions of a task after retryable errors. An integer >= 0. @default 2 */
    readonly maxRetryLimit?: number;
    /**
     * Behaviour on a full context window: true summarizes the conversation and continues, false fails.
     * @default true
     */
    readonly respectContextWindow?: boolean;
    /**
     * Handling of a too long tool result: true shows its beginning to the model, which reads the rest in parts with the
     * tool `read_tool_result`; false cuts it.
     * @default true
     */
    readonly useBetterCompaction?: boolean;
    /**
     * Sends role, goal and backstory as a system message; false puts everything into one user message.
     * @default true
     */
    readonly useSystemPrompt?: boolean;
    /** Shares the tool cache of a crew with `cache: true`. @default true */
    readonly cache?: boolean;
    /**
     * For models without native tool calls: sends a message in an unknown format back for correction instead of taking it as the
     * answer.
     * @default false
     */
    readonly strictReact?: boolean;
    /** Sends the model's tokens as live events while they arrive. @default the crew's `stream` */
    readonly stream?: boolean;
    /** Gives the agent tools to delegate work to the other agents of a sequential crew, or to ask them. @default false */
    readonly allowDelegation?: boolean;
    /** Replaces single texts of `DEFAULT_PROMPTS`. @default the crew's */
    readonly prompts?: PromptOverrides;
    /** Called once for each tool result and each final answer. @default the crew's */
    readonly stepCallback?: StepCallback;
    /**
     * Instructions for certain kinds of work: `skill(…)` values, or the text of SKILL.md files. At least one.
     * @default the crew's
     */
    readonly skills?: readonly SkillSource[];
    /**
     * System message for models with their own prompt format, with `{{ .System }}` in place of the text.
     * @default none
     */
    readonly systemTemplate?: string;
    /** User message for such models, with `{{ .Prompt }}` in place of the text. @default none */
    readonly promptTemplate?: string;
    /** Answer format for such models. The text after `{{ .Response }}` becomes a stop word. @default none */
    readonly responseTemplate?: string;
    /** Adds the date to the prompt. The date is read once per task. @default false */
    readonly injectDate?: boolean;
    /** The format of the date in UTC: `%Y %m %d %H %M %S %B %b %A %a`. @default "%Y-%m-%d" */
    readonly dateFormat?: string;
    /** Model for the conversion of an answer to the output schema. @default `llm` */
    readonly functionCallingLlm?: ModelSpec;
    /**
     * Checks for the answers of `agent.kickoff`: a function, a rule in words for a model to judge, or a list of these.
     * Tasks have their own.
     * @default none
     */
    readonly guardrail?: Guardrail<AgentOutput> | ReadonlyArray<Guardrail<AgentOutput>>;
    /** Number of answers each guardrail may reject before `kickoff` fails. An integer >= 0. @default 3 */
    readonly guardrailMaxRetries?: number;
    /** Agent of another framework that does the work in place of this agent's model. @default none */
    readonly adapter?: AgentAdapter;
    /** Accepted and ignored: the events of a run have everything. @default false */
    readonly verbose?: boolean;
    /** Stored with the agent but not sent to the model; use `llm: { model, maxTokens }` for the model's limit. */
    readonly maxTokens?: number;
    /**
     * Gives the agent a tool that runs code with the deployment's code runner, without approval. Without
     * `codeRunners()` of `edgecrew/code` there is no such tool, and each run emits an `agent_warning`.
     * @default false
     */
    readonly allowCodeExecution?: boolean;
    /**
     * Apps connected to a CrewAI account, whose actions become tools: `gmail`, or one action such as
     * `slack/send_message`. Needs `toolCatalog()` in the app; otherwise each run emits an `agent_warning`. @default []
     */
    readonly apps?: readonly string[];
    /**
     * MCP servers with tools for the agent: `https://` addresses, settings, or values of `mcpServer()`. Without
     * `mcpClient()` of `edgecrew/mcp`, addresses and settings are not connected and each run emits an `agent_warning`.
     * @default []
     */
    readonly mcps?: readonly McpEntry[];
    /**
     * Remote agents for this agent to ask over A2A: values of `remoteAgent()`, or settings with an `endpoint`. Settings
     * without an `endpoint` describe how this agent is exposed. Without `a2aClient()` of `edgecrew/a2a`, settings are
     * not connected and each run emits an `agent_warning`.
     * @default []
     */
    readonly a2a?: RemoteAgentEntry | readonly RemoteAgentEntry[];
    /**
     * Gives the agent a tool to look at images by name. Needs a model with vision; other models see only the names.
     * @default false
     */
    readonly multimodal?: boolean;
    /** The agent's fingerprint, or the seed of one. @default a fingerprint derived from `key` */
    readonly securityConfig?: SecurityOptions;
    /** Hooks of this agent, called after those of the app and the crew; see `on()`. @default [] */
    readonly hooks?: readonly Hook[];
    /** Failure policy for tools, if neither the tool nor the task has one. @default the crew's */
    readonly toolFailurePolicy?: ToolFailurePolicy;
    /**
     * Names of tools whose calls need a person's approval, in addition to those with `needsApproval`; true for all.
     * @default []
     */
    readonly approveTools?: true | readonly string[];
    /**
     * Number of characters of a tool's result shown to the model, if the tool sets no limit. The journal keeps the
     * whole result. An integer >= 1.
     * @default as many as the model's context window has tokens, about a quarter of it; at least 16,384, but no more
     * than half of the window
     */
    readonly maxToolResultCharacters?: number;
    /**
     * Number of tool calls executed per message. The model is asked to repeat the calls beyond it. An integer >= 1.
     * @default 64
     */
    readonly maxToolCallsPerTurn?: number;
    /**
     * Refuses a tool call equal to the one before it.
     * @default true for tool calls in the text form, else false
     */
    readonly refuseRepeats?: boolean;
    /**
     * Memory across runs: a `Memory` of `edgecrew/memory` or a part of one; `true`, or settings, for one made and
     * stored by the deployment.
     * @default the crew's
     */
    readonly memory?: MemoryOption | undefined;
  };

/** Options of an agent's kickoff besides its messages. */
export type AgentKickoffOptions<Schema extends OutputSchema = OutputSchema> = {
  /** Values for the `{placeholders}` in the agent's texts and in the messages. @default {} */
  readonly inputs?: JsonObject;
  /**
   * Files for the agent, by name: paths, ids, URLs, bytes, or values of `file()`. Files of a type the model accepts go
   * with the last message. The tool `read_file` reads the others.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /** The schema of the answer: zod, which also types `output.object`, or JSON Schema. @default free text */
  readonly responseFormat?: Schema;
  /** Services of the run, such as a memory store. Ignored inside another run, which has its own. */
  readonly services?: RunServices;
  /**
   * Model catalog for the agent. Ignored inside another run, which has its own. @default made from the process's
   * environment variables
   */
  readonly models?: ModelCatalog;
};
