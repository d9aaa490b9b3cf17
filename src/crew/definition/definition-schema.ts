// The schema of a crew definition, once its names are camelCase.
import * as z from "zod";
import type { ToolEntry } from "../../tools/tool-catalog.ts";
import { modelSpecSchema as modelSpec } from "../../llm/model-spec-schema.ts";

const count = z.int().min(1);
const retries = z.int().min(0);
const failurePolicy = z.enum(["ignore", "warn", "raise"]);
const jsonObject = z.record(z.string(), z.json());
/** A JSON Schema, or the name of a shape in the registry. */
const outputSchema = z.union([z.string().min(1), jsonObject]);
/** Rule in words for a model to judge, or the name of a function in the registry. */
const guardrail = z.string().min(1);
/** The name of a function in the registry. */
const functionName = z.string().min(1);
const functionNames = z.union([functionName, z.array(functionName)]);
/** Paths, ids and URLs, or objects with one of `source`, `path`, `url`, `$file` and `data`. */
const files = z.record(z.string(), z.union([z.string().min(1), jsonObject]));
const servers = z.array(z.union([z.string(), jsonObject])).optional();
const skills = z.array(z.union([z.string(), jsonObject])).min(1);
/** Texts by section and key, as a prompt file has them: some keys hold an object of texts. */
const promptTexts = z.record(
  z.string(),
  z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
);

/** A fingerprint, or the seed of one. */
const securityConfig = z.union([z.string().min(1), jsonObject]).optional();
const embedder = z.union([z.string().min(1), jsonObject]);
const share = z.number().min(0).max(1).optional();
const memory = z.union([
  z.boolean(),
  z.strictObject({
    llm: modelSpec.optional(),
    embedder: embedder.optional(),
    scope: z.literal("person").optional(),
    rootScope: z.string().min(1).optional(),
    readOnly: z.boolean().optional(),
    hybrid: z.boolean().optional(),
    semanticWeight: share,
    recencyWeight: share,
    importanceWeight: share,
    recencyHalfLifeDays: z.number().min(1).optional(),
    consolidationThreshold: share,
    minScore: share,
    consolidationLimit: count.optional(),
    defaultImportance: share,
    confidenceThresholdHigh: share,
    confidenceThresholdLow: share,
    complexQueryThreshold: share,
    explorationBudget: retries.optional(),
    queryAnalysisThreshold: retries.optional(),
    batchDedupThreshold: share,
    recallOversampleFactor: count.optional(),
    prompts: z.record(z.string(), z.string()).optional(),
  }),
]);
/** Memory and knowledge fields of agents and crews. */
const sources = {
  memory: memory.optional(),
  embedder: embedder.optional(),
  /** Names of collections. */
  knowledge: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  knowledgeSources: z
    .array(
      jsonObject.refine(
        ({ name, source_type: type = null, sourceType = type }) =>
          typeof name === "string" || typeof sourceType === "string",
        "expected a document with a name, or a source with a source_type",
      ),
    )
    .optional(),
  knowledgeConfig: z
    .strictObject({
      resultsLimit: count.max(50).optional(),
      scoreThreshold: share,
      rewrite: z.boolean().optional(),
    })
    .optional(),
};

const planningDefinition = z.strictObject({
  reasoningEffort: z.enum(["low", "medium", "high"]).optional(),
  observeSteps: z.boolean().nullish(),
  maxAttempts: count.nullish(),
  maxSteps: count.optional(),
  maxReplans: retries.optional(),
  maxStepIterations: count.optional(),
  stepTimeout: z.number().positive().nullish(),
  llm: modelSpec.nullish(),
  systemPrompt: z.string().nullish(),
  planPrompt: z.string().nullish(),
  refinePrompt: z.string().nullish(),
});

/** A tool by its name, or by its name with options. */
export const toolEntry = z.union([
  z.string(),
  z.looseObject({ tool: z.string() }).transform((entry) => entry as ToolEntry & object),
]);

export const agentDefinition = z.strictObject({
  role: z.string().min(1),
  goal: z.string(),
  backstory: z.string(),
  llm: modelSpec.optional(),
  functionCallingLlm: modelSpec.optional(),
  tools: z.array(toolEntry).optional(),
  deferTools: z.union([z.boolean(), retries]).optional(),
  maxIter: count.optional(),
  maxRpm: count.optional(),
  maxExecutionTime: count.optional(),
  maxRetryLimit: retries.optional(),
  maxTokens: count.optional(),
  respectContextWindow: z.boolean().optional(),
  useBetterCompaction: z.boolean().optional(),
  useSystemPrompt: z.boolean().optional(),
  cache: z.boolean().optional(),
  strictReact: z.boolean().optional(),
  stream: z.boolean().optional(),
  allowDelegation: z.boolean().optional(),
  allowCodeExecution: z.boolean().optional(),
  multimodal: z.boolean().optional(),
  verbose: z.boolean().optional(),
  prompts: promptTexts.optional(),
  systemTemplate: z.string().optional(),
  promptTemplate: z.string().optional(),
  responseTemplate: z.string().optional(),
  injectDate: z.boolean().optional(),
  dateFormat: z.string().optional(),
  planning: z.boolean().optional(),
  planningConfig: planningDefinition.optional(),
  reasoning: z.boolean().optional(),
  maxReasoningAttempts: count.optional(),
  skills: skills.optional(),
  apps: z.array(z.string()).optional(),
  mcps: servers,
  a2a: z.union([jsonObject, z.array(jsonObject)]).optional(),
  guardrail: z.union([guardrail, z.array(guardrail).min(1)]).optional(),
  guardrailMaxRetries: retries.optional(),
  toolFailurePolicy: failurePolicy.optional(),
  approveTools: z.union([z.literal(true), z.array(z.string())]).optional(),
  refuseRepeats: z.boolean().optional(),
  maxToolResultCharacters: count.optional(),
  maxToolCallsPerTurn: count.optional(),
  stepCallback: functionName.optional(),
  securityConfig,
  ...sources,
});

export const taskDefinition = z.strictObject({
  name: z.string().min(1).optional(),
  type: z.enum(["task", "conditional"]).optional(),
  description: z.string().min(1),
  expectedOutput: z.string(),
  agent: z.string().optional(),
  tools: z.array(toolEntry).optional(),
  mcps: servers,
  context: z.array(z.string()).optional(),
  condition: functionName.optional(),
  asyncExecution: z.boolean().optional(),
  output: outputSchema.optional(),
  outputJson: outputSchema.optional(),
  outputPydantic: outputSchema.optional(),
  responseModel: outputSchema.optional(),
  converter: functionName.optional(),
  guardrail: guardrail.optional(),
  guardrails: z.union([guardrail, z.array(guardrail)]).optional(),
  guardrailMaxRetries: retries.optional(),
  maxRetries: retries.optional(),
  humanInput: z
    .union([
      z.boolean(),
      z.strictObject({
        expiresInSeconds: count.optional(),
        whenExpired: z.enum(["approve", "fail"]).optional(),
      }),
    ])
    .optional(),
  markdown: z.boolean().optional(),
  outputFile: z.string().min(1).optional(),
  inputFiles: files.optional(),
  allowCrewaiTriggerContext: z.boolean().optional(),
  callback: functionName.optional(),
  callbacks: functionNames.optional(),
  toolFailurePolicy: failurePolicy.optional(),
  securityConfig,
});

export const crewDefinition = z.strictObject({
  name: z.string().min(1).optional(),
  process: z.enum(["sequential", "hierarchical"]).optional(),
  managerLlm: modelSpec.optional(),
  managerAgent: z.string().optional(),
  planning: z.boolean().optional(),
  planningLlm: modelSpec.optional(),
  chatLlm: modelSpec.optional(),
  functionCallingLlm: modelSpec.optional(),
  trained: z.union([z.boolean(), z.string().min(1)]).optional(),
  trainedAgentsFile: z.string().min(1).optional(),
  outputLogFile: z.union([z.boolean(), z.string().min(1)]).optional(),
  workspace: z
    .union([z.literal("run"), z.strictObject({ name: z.string().min(1).max(128) })])
    .optional(),
  agents: z.record(z.string(), agentDefinition),
  tasks: z.array(taskDefinition).min(1),
  inputs: jsonObject.optional(),
  inputSchema: outputSchema.optional(),
  inputFiles: files.optional(),
  /** JSON Schemas by the names used in `output`, `outputJson`, `outputPydantic` and `responseModel`. */
  schemas: z.record(z.string().min(1), jsonObject).optional(),
  cache: z.boolean().optional(),
  maxRpm: count.optional(),
  maxCostUsd: z.number().positive().optional(),
  maxTokens: count.optional(),
  stream: z.boolean().optional(),
  verbose: z.boolean().optional(),
  prompts: promptTexts.optional(),
  skills: skills.optional(),
  mcps: servers,
  beforeKickoffCallbacks: functionNames.optional(),
  afterKickoffCallbacks: functionNames.optional(),
  taskCallback: functionName.optional(),
  stepCallback: functionName.optional(),
  toolFailurePolicy: failurePolicy.optional(),
  securityConfig,
  /** Handling of unregistered tools: `stub` gives agents tools of these names, and each call to them fails. */
  missingTools: z.enum(["refuse", "stub"]).optional(),
  ...sources,
  /** JSON pointers to the definition's fields without an effect. Readers of the definition report them. */
  ignored: z.array(z.string()).optional(),
});

/** Fields with the user's own keys, which stay unchanged. */
export const FREE_KEYS: ReadonlySet<string> = new Set([
  "inputs",
  "inputSchema",
  "inputFiles",
  "schemas",
  "output",
  "outputJson",
  "outputPydantic",
  "responseModel",
  "prompts",
  "embedder",
  "knowledgeSources",
  "llm",
  "functionCallingLlm",
  "managerLlm",
  "planningLlm",
  "chatLlm",
  "skills",
  "mcps",
  "a2a",
  "tools",
  "securityConfig",
]);

/**
 * A crew as data. `tools` are names of the registry. `llm` is a model string, settings or a chain. `output` is a JSON
 * Schema or the name of a shape in `schemas` or of a registered one (`outputJson` and `outputPydantic` are other names
 * for it). Guardrails are texts or names of functions. `maxRetries` is `guardrailMaxRetries`. `managerAgent` is one of
 * `agents`, which then does not work for the manager. `trainedAgentsFile` is the name of a training.
 */
export type CrewDefinition = z.infer<typeof crewDefinition>;

export type AgentDefinition = CrewDefinition["agents"][string];

export type TaskDefinition = CrewDefinition["tasks"][number];
