// A crew as data: what HTTP stores and YAML files say. Names may be camelCase or snake_case; all that is wrong is told at once.
import * as z from "zod";
import { Agent } from "../agent/agent.ts";
import type { PromptOverrides } from "../agent/prompts.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { escaped, toIssues } from "../base/zod-issues.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { sanitizeToolName } from "../tools/tool-name.ts";
import type { Tool } from "../tools/tool.ts";
import { Crew } from "./crew.ts";
import { Task, type TaskOptions } from "./task.ts";

const modelSettings = z.looseObject({ model: z.string().min(1) });
const modelSpec = z.union([
  z.string().min(1),
  modelSettings,
  z.array(z.union([z.string().min(1), modelSettings])).min(1),
]);
const count = z.int().min(1);
const failurePolicy = z.enum(["ignore", "warn", "raise"]);

/** Texts by section and key, as a prompt file has them: some keys hold an object of texts. */
const promptTexts = z.record(
  z.string(),
  z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
);

const jsonSchema = z.record(z.string(), z.json());
/** A rule in words that a model judges; functions exist in code alone. */
const guardrailText = z.string().min(1);

const agentDefinition = z.strictObject({
  role: z.string().min(1),
  goal: z.string(),
  backstory: z.string(),
  llm: modelSpec.optional(),
  tools: z.array(z.string()).optional(),
  maxIter: count.optional(),
  maxRpm: count.optional(),
  maxExecutionTime: count.optional(),
  maxRetryLimit: z.int().min(0).optional(),
  respectContextWindow: z.boolean().optional(),
  useSystemPrompt: z.boolean().optional(),
  cache: z.boolean().optional(),
  strictReact: z.boolean().optional(),
  stream: z.boolean().optional(),
  allowDelegation: z.boolean().optional(),
  verbose: z.boolean().optional(),
  prompts: promptTexts.optional(),
  toolFailurePolicy: failurePolicy.optional(),
  approveTools: z.union([z.literal(true), z.array(z.string())]).optional(),
  refuseRepeats: z.boolean().optional(),
});

const taskDefinition = z.strictObject({
  name: z.string().min(1).optional(),
  description: z.string().min(1),
  expectedOutput: z.string().min(1),
  agent: z.string().optional(),
  tools: z.array(z.string()).optional(),
  context: z.array(z.string()).optional(),
  asyncExecution: z.boolean().optional(),
  output: jsonSchema.optional(),
  outputJson: jsonSchema.optional(),
  outputPydantic: jsonSchema.optional(),
  responseModel: jsonSchema.optional(),
  guardrail: guardrailText.optional(),
  guardrails: z.union([guardrailText, z.array(guardrailText)]).optional(),
  guardrailMaxRetries: z.int().min(0).optional(),
  maxRetries: z.int().min(0).optional(),
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
  toolFailurePolicy: failurePolicy.optional(),
});

const crewDefinition = z.strictObject({
  name: z.string().min(1).optional(),
  process: z.enum(["sequential", "hierarchical"]).optional(),
  managerLlm: modelSpec.optional(),
  managerAgent: z.string().optional(),
  planning: z.boolean().optional(),
  planningLlm: modelSpec.optional(),
  outputLogFile: z.union([z.boolean(), z.string().min(1)]).optional(),
  agents: z.record(z.string(), agentDefinition),
  tasks: z.array(taskDefinition).min(1),
  inputs: z.record(z.string(), z.json()).optional(),
  cache: z.boolean().optional(),
  maxRpm: count.optional(),
  maxCostUsd: z.number().positive().optional(),
  maxTokens: count.optional(),
  stream: z.boolean().optional(),
  verbose: z.boolean().optional(),
  prompts: promptTexts.optional(),
  trained: z.union([z.boolean(), z.string().min(1)]).optional(),
  trainedAgentsFile: z.string().min(1).optional(),
  chatLlm: modelSpec.optional(),
  toolFailurePolicy: failurePolicy.optional(),
});

/**
 * A crew as data. `tools` are names of the registry, `llm` a model string, settings or a chain, `output` a JSON Schema
 * (`outputJson` and `outputPydantic` are other names for it), guardrails are texts, `maxRetries` is `guardrailMaxRetries`,
 * `managerAgent` is one of `agents`, who then does not work for the manager; `trainedAgentsFile` is the name of a training.
 */
export type CrewDefinition = z.infer<typeof crewDefinition>;

/** JSON Schema of a crew definition, as the API describes it. */
export const crewDefinitionSchema: z.ZodType = crewDefinition;

/** Fields whose own keys are the user's words and stay as they are. */
const FREE_KEYS = new Set([
  "inputs",
  "output",
  "outputJson",
  "outputPydantic",
  "responseModel",
  "prompts",
  "llm",
  "chatLlm",
  "managerLlm",
  "planningLlm",
]);
/** Fields whose entries have names that the user gave. */
const NAMED_ENTRIES = new Set(["agents", "tasks"]);

/**
 * Reads a definition in any of its spellings: snake_case names, and `tasks` as a mapping of names, as in a `tasks.yaml`.
 * Throws `invalid_definition` with one issue for each thing that is wrong.
 */
export function readCrewDefinition(given: unknown): CrewDefinition {
  const spelled = normalized(given);
  const parsed = crewDefinition.safeParse(spelled);
  if (!parsed.success) throw invalid(toIssues(parsed.error, spelled));
  return parsed.data;
}

/** Makes a crew of a definition. `tools` is the registry that tool names are looked up in, by any spelling. */
export function crewFromDefinition(definition: CrewDefinition, tools: readonly Tool[]): Crew {
  const issues: Issue[] = [];
  const registry = new Map(tools.map((tool) => [tool.safeName, tool]));
  const named = (names: readonly string[] | undefined, path: string): Tool[] =>
    (names ?? []).flatMap((name, index) => {
      const found = registry.get(sanitizeToolName(name));
      if (found === undefined)
        issues.push({
          path: `${path}/${index}`,
          message: `unknown tool "${name}"; registered: ${[...registry.keys()].join(", ") || "none"}`,
        });
      return found ?? [];
    });

  const agents = new Map<string, Agent>();
  for (const [key, { tools: names, llm, prompts, verbose: _, ...rest }] of Object.entries(
    definition.agents,
  )) {
    const path = `/agents/${escaped(key)}`;
    attempt(issues, path, () => {
      const options = {
        ...defined(rest),
        tools: named(names, `${path}/tools`),
        ...optional("llm", llm as ModelSpec | undefined),
      };
      agents.set(
        key,
        new Agent({ ...options, ...optional("prompts", prompts as PromptOverrides | undefined) }),
      );
    });
  }

  const tasks = new Map<string, Task>();
  const inOrder: Task[] = [];
  for (const [index, task] of definition.tasks.entries()) {
    const path = `/tasks/${index}`;
    const agent = task.agent === undefined ? undefined : agents.get(task.agent);
    if (
      task.agent !== undefined &&
      agent === undefined &&
      !Object.hasOwn(definition.agents, task.agent)
    ) {
      issues.push({
        path: `${path}/agent`,
        message: `unknown agent "${task.agent}"; defined: ${Object.keys(definition.agents).join(", ")}`,
      });
    }
    const context = task.context?.flatMap((name, position) => {
      const other = tasks.get(name);
      if (other === undefined)
        issues.push({
          path: `${path}/context/${position}`,
          message: contextFault(name, definition),
        });
      return other ?? [];
    });
    attempt(issues, path, () => {
      const { description, expectedOutput, name, asyncExecution, markdown, responseModel } = task;
      const { guardrail, guardrails, maxRetries, humanInput } = task;
      const { toolFailurePolicy, outputFile } = task;
      const made = new Task({
        ...defined({
          description,
          expectedOutput,
          name,
          asyncExecution,
          markdown,
          outputFile,
          output: outputOf(task),
          responseModel,
          guardrail,
          guardrails,
          guardrailMaxRetries: maxRetries ?? task.guardrailMaxRetries,
          humanInput: humanInput as TaskOptions["humanInput"],
          agent,
          context,
          toolFailurePolicy,
        }),
        ...optional(
          "tools",
          task.tools === undefined ? undefined : named(task.tools, `${path}/tools`),
        ),
      });
      inOrder.push(made);
      if (name !== undefined) tasks.set(name, made);
    });
  }
  const { managerAgent: managerKey } = definition;
  if (managerKey !== undefined && !Object.hasOwn(definition.agents, managerKey)) {
    issues.push({
      path: "/managerAgent",
      message: `unknown agent "${managerKey}"; defined: ${Object.keys(definition.agents).join(", ")}`,
    });
  }
  if (issues.length > 0) throw invalid(issues);

  const { name, inputs, cache, maxRpm, maxCostUsd, maxTokens, stream, prompts } = definition;
  const { process, planning, outputLogFile, toolFailurePolicy } = definition;
  const managerAgent = managerKey === undefined ? undefined : agents.get(managerKey);
  const options = defined({
    name,
    inputs,
    cache,
    maxRpm,
    maxCostUsd,
    maxTokens,
    stream,
    process,
    planning,
    outputLogFile,
    managerAgent,
    managerLlm: definition.managerLlm,
    planningLlm: definition.planningLlm,
    toolFailurePolicy,
    trained: definition.trained ?? definition.trainedAgentsFile,
    chatLlm: definition.chatLlm,
  });
  let crew: Crew | undefined;
  attempt(issues, "", () => {
    crew = new Crew({
      ...options,
      agents: [...agents.values()].filter((agent) => agent !== managerAgent),
      tasks: inOrder,
      ...optional("prompts", prompts as PromptOverrides | undefined),
    });
  });
  if (crew === undefined) throw invalid(issues);
  return crew;
}

/** The shape of a task's answer under any of its names. Throws for a task that gives several. */
function outputOf(task: CrewDefinition["tasks"][number]): JsonObject | undefined {
  const names = ["output", "outputJson", "outputPydantic", "responseModel"] as const;
  const given = names.filter((name) => task[name] !== undefined);
  if (given.length > 1)
    throw new EngineError(
      "invalid_definition",
      `output_type: expected at most one of ${names.join(", ")}, got ${given.join(" and ")}`,
    );
  return task.output ?? task.outputJson ?? task.outputPydantic;
}

function contextFault(name: string, definition: CrewDefinition): string {
  const exists = definition.tasks.some((task) => task.name === name);
  return exists ? `task "${name}" does not come before this one` : `unknown task "${name}"`;
}

/** Runs a constructor and keeps what it refuses as an issue of this path. */
function attempt(issues: Issue[], path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    issues.push({ path, message: errorMessage(error) });
  }
}

function normalized(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const definition = camelKeys(value);
  if (isJsonObject(definition["tasks"])) {
    definition["tasks"] = Object.entries(definition["tasks"]).map(([name, task]) =>
      isJsonObject(task) ? { name, ...task } : task,
    );
  }
  return definition;
}

function camelKeys(object: JsonObject): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (FREE_KEYS.has(name)) return [name, value];
      return [name, NAMED_ENTRIES.has(name) ? mapEntries(value) : camelValues(value)];
    }),
  );
}

/** The keys are names that the user gave; what they name is ours to spell. */
function mapEntries(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return camelValues(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, camelValues(each)]));
}

function camelValues(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelValues);
  return isJsonObject(value) ? camelKeys(value) : value;
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function invalid(issues: readonly Issue[]): EngineError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const what = first === undefined ? "" : `${first.path || "/"}: ${first.message}`;
  return new EngineError(
    "invalid_definition",
    `the crew definition cannot be used: ${what}${more}`,
    { issues },
  );
}
