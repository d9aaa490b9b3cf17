import type { Hook } from "../../hooks/hook.ts";
import type { KnowledgeFields } from "../../knowledge/knowledge-view.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { MemoryOption } from "../../memory/memory-service.ts";
import type { Fingerprint } from "../../security/fingerprint.ts";
import type { SecurityConfig } from "../../security/security-config.ts";
import type { ToolFailurePolicy } from "../../tools/tool-failure.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentOutput } from "../agent-output.ts";
import type { StepCallback } from "../loop/step-callback.ts";
import type { PlanningConfig } from "../planning/planning-config.ts";
import type { PromptOverrides } from "../prompts/prompts.ts";
import type { SkillSource } from "../skills/read-skill.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import type { CheckedGuardrail } from "./guardrail.ts";
import type { McpEntry } from "./mcp-entry.ts";

/**
 * Checked options of an agent with their defaults, as the code that executes its work sees them: `Agent` without its
 * methods. See `AgentOptions` for the meaning of each field.
 */
export type AgentDescription = {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly llm: ModelSpec | undefined;
  readonly tools: readonly Tool[];
  /** Number of tools above which the model searches among them; undefined if it sees all. */
  readonly deferTools: number | undefined;
  readonly maxIter: number;
  readonly maxRpm: number | undefined;
  readonly maxExecutionTime: number | undefined;
  readonly maxRetryLimit: number;
  readonly respectContextWindow: boolean;
  readonly useBetterCompaction: boolean;
  readonly useSystemPrompt: boolean;
  readonly cache: boolean;
  readonly strictReact: boolean;
  readonly stream: boolean | undefined;
  readonly allowDelegation: boolean;
  readonly prompts: PromptOverrides;
  readonly stepCallback: StepCallback | undefined;
  readonly planningConfig: PlanningConfig | undefined;
  readonly skills: readonly SkillSource[] | undefined;
  readonly systemTemplate: string | undefined;
  readonly promptTemplate: string | undefined;
  readonly responseTemplate: string | undefined;
  readonly injectDate: boolean;
  readonly dateFormat: string;
  readonly functionCallingLlm: ModelSpec | undefined;
  readonly guardrails: ReadonlyArray<CheckedGuardrail<AgentOutput>>;
  readonly guardrailMaxRetries: number;
  readonly adapter: AgentAdapter | undefined;
  readonly verbose: boolean;
  readonly maxTokens: number | undefined;
  readonly apps: readonly string[];
  readonly mcps: readonly McpEntry[];
  readonly multimodal: boolean;
  /** True if the agent may run code with the deployment's code runner. */
  readonly allowCodeExecution: boolean;
  readonly securityConfig: SecurityConfig;
  readonly hooks: readonly Hook[];
  readonly toolFailurePolicy: ToolFailurePolicy | undefined;
  readonly approveTools: true | readonly string[];
  readonly maxToolResultCharacters: number | undefined;
  readonly maxToolCallsPerTurn: number;
  readonly refuseRepeats: boolean | undefined;
  readonly memory: MemoryOption | undefined;
  readonly knowledge: KnowledgeFields["knowledge"];
  readonly knowledgeSources: KnowledgeFields["knowledgeSources"];
  readonly knowledgeConfig: KnowledgeFields["knowledgeConfig"];
  readonly embedder: KnowledgeFields["embedder"];
  readonly key: string;
  readonly fingerprint: Fingerprint;
};
