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
import type { AgentOutput } from "../run-agent.ts";
import type { SkillSource } from "../skills/read-skill.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import type { RemoteAgentEntry } from "./agent-offer.ts";
import type { ToolEntry } from "./check-tools.ts";
import type { Guardrail } from "./guardrail.ts";
import type { McpEntry } from "./server-tools.ts";

/** What an agent is made of. `role`, `goal` and `backstory` are needed. */
export type AgentOptions = PlanningFields &
  KnowledgeFields & {
    /**
     * Who the agent is, such as `"{topic} researcher"`. `{placeholders}` here and in `goal` and `backstory` are filled from the
     * inputs.
     */
    readonly role: string;
    /** What the agent is to achieve. */
    readonly goal: string;
    /** What the model should know about the agent: experience, style, rules. */
    readonly backstory: string;
    /**
     * A model string such as `"openai/gpt-5-mini"`, settings, a model of your own, or a list in which each model is the fallback
     * of the one before.
     * @default the model that the environment names
     */
    readonly llm?: ModelSpec;
    /** The tools that the model may call, and servers whose tools it may call. @default [] */
    readonly tools?: readonly ToolEntry[];
    /**
     * With more tools than this the model is told only what they are called and what they are for, and gets `tool_search` to find those
     * that it needs. `true` is 20; an integer >= 0.
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
    /** How often a task is started again after a retryable error. An integer >= 0. @default 2 */
    readonly maxRetryLimit?: number;
    /**
     * What happens when the context window is full: true summarizes the conversation and continues, false fails.
     * @default true
     */
    readonly respectContextWindow?: boolean;
    /**
     * Handling of a tool's result that is too long: true shows its beginning to the model, which reads the rest in parts with the tool
     * `read_tool_result`; false cuts it.
     * @default true
     */
    readonly useBetterCompaction?: boolean;
    /**
     * Whether role, goal and backstory are sent as a system message; false puts everything into one user message.
     * @default true
     */
    readonly useSystemPrompt?: boolean;
    /** Whether the agent shares the tool cache of a crew with `cache: true`. @default true */
    readonly cache?: boolean;
    /**
     * For models without native tool calls: sends a message in an unknown format back for correction instead of taking it as the
     * answer.
     * @default false
     */
    readonly strictReact?: boolean;
    /** Whether the model's tokens are sent as live events while they arrive. @default the crew's `stream` */
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
     * For models with a prompt format of their own: the system message, with `{{ .System }}` in place of the text.
     * @default none
     */
    readonly systemTemplate?: string;
    /** As `systemTemplate`, for the user message: `{{ .Prompt }}`. @default none */
    readonly promptTemplate?: string;
    /** As `systemTemplate`, for the answer: the text after `{{ .Response }}` becomes a stop word. @default none */
    readonly responseTemplate?: string;
    /** Tells the agent the date, which is read once per task. @default false */
    readonly injectDate?: boolean;
    /** The format of the date in UTC: `%Y %m %d %H %M %S %B %b %A %a`. @default "%Y-%m-%d" */
    readonly dateFormat?: string;
    /** The model that converts an answer to the output schema. @default `llm` */
    readonly functionCallingLlm?: ModelSpec;
    /**
     * Checks for the answers of `agent.kickoff`: a function, a rule in words that a model judges, or a list of these. Tasks have
     * their own.
     * @default none
     */
    readonly guardrail?: Guardrail<AgentOutput> | ReadonlyArray<Guardrail<AgentOutput>>;
    /** How often each guardrail may reject an answer before `kickoff` fails. An integer >= 0. @default 3 */
    readonly guardrailMaxRetries?: number;
    /** An agent of another framework that does the work in place of this one's model. @default none */
    readonly adapter?: AgentAdapter;
    /** Accepted and ignored: the events of a run have everything. @default false */
    readonly verbose?: boolean;
    /** Stored with the agent, and not sent to the model; use `llm: { model, maxTokens }` for that. */
    readonly maxTokens?: number;
    /**
     * Gives the agent a tool that runs code in what the deployment runs code with, and asks nobody first. Without `codeRunners()` of
     * `edgecrew/code` there is none, and each run says so in an `agent_warning`.
     * @default false
     */
    readonly allowCodeExecution?: boolean;
    /**
     * Apps that are connected to an account of CrewAI, whose actions become tools: `gmail`, or one action as `slack/send_message`.
     * They are connected where the app has `toolCatalog()`; elsewhere each run says so in an `agent_warning`. @default []
     */
    readonly apps?: readonly string[];
    /**
     * MCP servers whose tools the agent may use: `https://` addresses, settings, or values of `mcpServer()`. Without
     * `mcpClient()` of `edgecrew/mcp` addresses and settings are not connected, and each run says so in an `agent_warning`.
     * @default []
     */
    readonly mcps?: readonly McpEntry[];
    /**
     * Agents elsewhere that this one may ask over A2A: values of `remoteAgent()`, or settings with their `endpoint`. Settings
     * without one say how this agent is offered to others. Without `a2aClient()` of `edgecrew/a2a` settings are not connected, and
     * each run says so in an `agent_warning`.
     * @default []
     */
    readonly a2a?: RemoteAgentEntry | readonly RemoteAgentEntry[];
    /** Lets the agent be shown images that it names, by a tool. Its model has to see; to another one they are only named. @default false */
    readonly multimodal?: boolean;
    /** The agent's fingerprint, or the seed of one. @default a fingerprint derived from `key` */
    readonly securityConfig?: SecurityOptions;
    /** Hooks of this agent, called after those of the app and the crew; see `on()`. @default [] */
    readonly hooks?: readonly Hook[];
    /** What happens when a tool fails and neither the tool nor the task has a policy. @default the crew's */
    readonly toolFailurePolicy?: ToolFailurePolicy;
    /**
     * Names of tools that a person must approve before each call, in addition to those with `needsApproval`; true for all.
     * @default []
     */
    readonly approveTools?: true | readonly string[];
    /**
     * How many characters of a tool's result the model is shown, where the tool does not say; the journal keeps it whole. An
     * integer >= 1.
     * @default as many as the model's context window has tokens, about a quarter of it; at least 16,384, but no more than half of the window
     */
    readonly maxToolResultCharacters?: number;
    /**
     * How many tool calls of one message are carried out; the model is asked to make the others again. An integer >= 1.
     * @default 64
     */
    readonly maxToolCallsPerTurn?: number;
    /**
     * Whether a tool call that equals the one before it is refused.
     * @default true where tools are called in text, else false
     */
    readonly refuseRepeats?: boolean;
    /**
     * What it remembers from run to run: a `Memory` of `edgecrew/memory` or a part of one; `true`, or settings, for one that the
     * deployment makes and keeps.
     * @default the crew's
     */
    readonly memory?: MemoryOption | undefined;
  };

/** What a kickoff of an agent takes besides its messages. */
export type AgentKickoffOptions<Schema extends OutputSchema = OutputSchema> = {
  /** Values for the `{placeholders}` in the agent's texts and in the messages. @default {} */
  readonly inputs?: JsonObject;
  /**
   * Files for the agent, by name: paths, ids, URLs, bytes, or what `file()` makes of these. What its model takes goes with the last
   * message, the rest is read with the tool `read_file`.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /** The schema of the answer: zod, which also types `output.object`, or JSON Schema. @default free text */
  readonly responseFormat?: Schema;
  /** Services of the run, such as a memory store. Ignored inside another run, which has its own. */
  readonly services?: RunServices;
  /** Where the agent finds its models. Ignored inside another run, which has its own. @default made from the process's environment variables */
  readonly models?: ModelCatalog;
};
