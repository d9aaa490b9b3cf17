// A crew as data: what HTTP stores and YAML files say. Names may be camelCase or snake_case; one error has all issues.
import type * as z from "zod";
import { Agent, type AgentOptions } from "../../agent/description/agent.ts";
import { camelCase } from "../../base/camel-case.ts";
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import { isJsonObject, withoutNulls, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { markAsData } from "../../llm/definition-rules.ts";
import { ConditionalTask } from "../tasks/conditional-task.ts";
import type { CrewOptions } from "../crew-options.ts";
import { Crew } from "../crew.ts";
import {
  RegistryResolver,
  type DefinitionRegistry,
  type NamedFunction,
} from "./definition-registry.ts";
import { agentDefinition, crewDefinition, FREE_KEYS, IGNORED } from "./definition-schema.ts";
import { Task, type TaskOptions } from "../tasks/task.ts";
import type { TaskOutput } from "../tasks/task-output.ts";

/**
 * A crew as data. `tools` are names of the registry, `llm` a model string, settings or a chain, `output` a JSON Schema or
 * the name of a registered shape (`outputJson` and `outputPydantic` are other names for it), guardrails are texts or
 * names of functions, `maxRetries` is `guardrailMaxRetries`, `managerAgent` is one of `agents`, who then does not work
 * for the manager, `trainedAgentsFile` is the name of a training.
 */
export type CrewDefinition = z.infer<typeof crewDefinition>;
export type AgentDefinition = CrewDefinition["agents"][string];
export type TaskDefinition = CrewDefinition["tasks"][number];

/** JSON Schema of a crew definition, as the API describes it. */
export const crewDefinitionSchema: z.ZodType = crewDefinition;

/**
 * Reads a definition in any of its spellings: snake_case names, and `tasks` as a mapping of names, as in a `tasks.yaml`.
 * Throws `invalid_definition` with one issue for each thing that is wrong.
 */
export function readCrewDefinition(input: unknown): CrewDefinition {
  const spelled = normalized(input);
  const parsed = crewDefinition.safeParse(spelled);
  if (!parsed.success) throw invalid(toIssues(parsed.error, spelled));
  return parsed.data;
}

/** Reads the definition of one agent, as it stands in a crew's. Throws `invalid_definition` as above; paths begin at the agent. */
export function readAgentDefinition(input: JsonObject): AgentDefinition {
  const spelled = withoutIgnored(camelKeys(input), IGNORED.agents, { at: "", ignored: [] });
  const parsed = agentDefinition.safeParse(spelled);
  if (!parsed.success) throw invalid(toIssues(parsed.error, spelled));
  return parsed.data;
}

/** Makes a crew of a definition. Throws `invalid_definition` with one issue for each thing that is wrong. */
export function crewFromDefinition(
  definition: CrewDefinition,
  registry: DefinitionRegistry = {},
): Crew {
  if (registry.fromData === true) markAsData(definition);
  const issues: Issue[] = [];
  const resolver = new RegistryResolver(registry, issues);
  const agents = new Map<string, Agent>();
  for (const [key, agentFields] of Object.entries(definition.agents)) {
    const path = `/agents/${pointerPart(key)}`;
    attempt(issues, path, () =>
      agents.set(key, new Agent(agentOptions(agentFields, resolver, path))),
    );
  }
  const known = { definition, agents, tasks: new Map<string, Task>() };
  const tasks: Task[] = [];
  for (const [index, taskFields] of definition.tasks.entries()) {
    const path = `/tasks/${index}`;
    const parts = {
      agent: agentOf(taskFields.agent, { known, issues, path: `${path}/agent` }),
      context: contextOf(taskFields, { known, issues, path: `${path}/context` }),
    };
    attempt(issues, path, () => {
      const task = taskFrom({ ...taskOptions(taskFields, resolver, path), ...defined(parts) });
      tasks.push(task);
      if (taskFields.name !== undefined) known.tasks.set(taskFields.name, task);
    });
  }
  const managerAgent = agentOf(definition.managerAgent, { known, issues, path: "/managerAgent" });
  const options = crewOptions(definition, resolver);
  if (issues.length > 0) throw invalid(issues);

  let crew: Crew | undefined;
  attempt(issues, "", () => {
    const workers = [...agents.values()].filter((agent) => agent !== managerAgent);
    crew = new Crew({ ...options, ...defined({ managerAgent }), agents: workers, tasks });
  });
  if (crew === undefined) throw invalid(issues);
  return crew;
}

/** The options of an agent. Names that are not registered are kept as issues of `resolver`. */
export function agentOptions(
  definition: AgentDefinition,
  resolver: RegistryResolver,
  path: string,
): AgentOptions {
  if (resolver.fromData) markAsData(definition);
  const { verbose: _, tools, stepCallback, planningConfig, guardrail, ...rest } = definition;
  const judges = typeof guardrail === "string" ? [guardrail] : guardrail;
  const found = judges?.map((each) => resolver.functionOrText(each));
  return {
    ...defined(rest),
    tools: resolver.tools(tools, `${path}/tools`),
    ...defined({
      stepCallback: resolver.function(stepCallback, `${path}/stepCallback`),
      planningConfig: planningConfig && withoutNulls(planningConfig),
      guardrail: typeof guardrail === "string" ? found?.[0] : found,
    }),
  } as unknown as AgentOptions;
}

/** The options of a task without its agent and its context. */
export function taskOptions(
  definition: TaskDefinition,
  resolver: RegistryResolver,
  path: string,
): TaskOptions & { readonly condition?: NamedFunction } {
  const { type, agent: _agent, context: _context, maxRetries, tools, ...rest } = definition;
  const { guardrail, guardrails, condition, converter, callback, callbacks, ...plain } = rest;
  const { output: _1, outputJson: _2, outputPydantic: _3, responseModel, ...fields } = plain;
  if (type === "conditional" && condition === undefined)
    throw new EngineError(
      "invalid_definition",
      "a conditional task needs a condition, the name of a registered function; got nothing",
    );
  const judges = typeof guardrails === "string" ? [guardrails] : guardrails;
  const allCallbacks = [
    ...resolver.functions(callback, `${path}/callback`),
    ...resolver.functions(callbacks, `${path}/callbacks`),
  ] as unknown as ReadonlyArray<(output: TaskOutput) => unknown>;
  return {
    ...defined(fields),
    ...defined({
      tools: tools === undefined ? undefined : resolver.tools(tools, `${path}/tools`),
      output: outputOf(definition, resolver, path),
      responseModel: resolver.schema(responseModel, `${path}/responseModel`),
      guardrail: guardrail === undefined ? undefined : resolver.functionOrText(guardrail),
      guardrails: judges?.map((each) => resolver.functionOrText(each)),
      guardrailMaxRetries: maxRetries ?? definition.guardrailMaxRetries,
      converter: resolver.function(converter, `${path}/converter`),
      condition: resolver.function(condition, `${path}/condition`),
      callback:
        allCallbacks.length === 0
          ? undefined
          : (output: TaskOutput) => callAll(allCallbacks, output),
    }),
  } as unknown as TaskOptions;
}

/** A task, conditional where it has a condition. */
function taskFrom(options: TaskOptions & { readonly condition?: unknown }): Task {
  const { condition, ...rest } = options;
  if (condition === undefined) return new Task(rest);
  return new ConditionalTask({ ...rest, condition: condition as ConditionalTask["condition"] });
}

function crewOptions(
  definition: CrewDefinition,
  resolver: RegistryResolver,
): Omit<CrewOptions, "tasks"> {
  const { agents: _1, tasks: _2, managerAgent: _3, verbose: _4, ignored: _5, ...rest } = definition;
  const { trained, trainedAgentsFile, functionCallingLlm: _6, ...fields } = rest;
  const { beforeKickoffCallbacks, afterKickoffCallbacks, taskCallback, stepCallback, ...plain } =
    fields;
  const before = resolver.functions(beforeKickoffCallbacks, "/beforeKickoffCallbacks");
  const after = resolver.functions(afterKickoffCallbacks, "/afterKickoffCallbacks");
  return {
    ...defined(plain),
    ...defined({
      trained: trained ?? trainedAgentsFile,
      beforeKickoff: before.length === 0 ? undefined : before,
      afterKickoff: after.length === 0 ? undefined : after,
      taskCallback: resolver.function(taskCallback, "/taskCallback"),
      stepCallback: resolver.function(stepCallback, "/stepCallback"),
    }),
  } as unknown as Omit<CrewOptions, "tasks">;
}

async function callAll(
  callbacks: ReadonlyArray<(output: TaskOutput) => unknown>,
  output: TaskOutput,
): Promise<void> {
  for (const callback of callbacks) await callback(output);
}

/** The shape of a task's answer under any of its names. Throws for a task that gives several. */
function outputOf(
  task: TaskDefinition,
  resolver: RegistryResolver,
  path: string,
): ReturnType<RegistryResolver["schema"]> {
  const names = ["output", "outputJson", "outputPydantic", "responseModel"] as const;
  const present = names.filter((name) => task[name] !== undefined);
  if (present.length > 1)
    throw new EngineError(
      "invalid_definition",
      `output_type: expected at most one of ${names.join(", ")}, got ${present.join(" and ")}`,
    );
  const [name] = present;
  if (name === undefined || name === "responseModel") return undefined;
  return resolver.schema(task[name], `${path}/${name}`);
}

type Known = {
  readonly definition: CrewDefinition;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly tasks: ReadonlyMap<string, Task>;
};
type At = { readonly known: Known; readonly issues: Issue[]; readonly path: string };

function agentOf(key: string | undefined, { known, issues, path }: At): Agent | undefined {
  if (key === undefined) return undefined;
  const { agents } = known.definition;
  if (!Object.hasOwn(agents, key))
    issues.push({
      path,
      message: `unknown agent "${key}"; defined: ${Object.keys(agents).join(", ")}`,
    });
  return known.agents.get(key);
}

function contextOf(
  { context }: TaskDefinition,
  { known, issues, path }: At,
): readonly Task[] | undefined {
  return context?.flatMap((name, position) => {
    const other = known.tasks.get(name);
    if (other !== undefined) return other;
    const exists = known.definition.tasks.some((task) => task.name === name);
    issues.push({
      path: `${path}/${position}`,
      message: exists ? `task "${name}" does not come before this one` : `unknown task "${name}"`,
    });
    return [];
  });
}

/** Runs a constructor and keeps what it refuses as an issue of this path. */
function attempt(issues: Issue[], path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    issues.push({ path, message: errorMessage(error) });
  }
}

/** camelCase names, tasks as a list, without the fields that have no effect here. */
function normalized(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const ignored: string[] = [];
  const crew = withoutIgnored(camelKeys(value), IGNORED.crew, { at: "", ignored });
  const { agents, tasks } = crew;
  if (isJsonObject(agents)) {
    crew["agents"] = Object.fromEntries(
      Object.entries(agents).map(([key, agent]) => [
        key,
        isJsonObject(agent)
          ? withoutIgnored(agent, IGNORED.agents, { at: `/agents/${pointerPart(key)}`, ignored })
          : agent,
      ]),
    );
  }
  const list = isJsonObject(tasks)
    ? Object.entries(tasks).map(([name, task]) => (isJsonObject(task) ? { name, ...task } : task))
    : tasks;
  if (Array.isArray(list)) {
    crew["tasks"] = (list as JsonValue[]).map((task, index) =>
      isJsonObject(task)
        ? withoutIgnored(task, IGNORED.tasks, { at: `/tasks/${index}`, ignored })
        : task,
    );
  }
  return ignored.length === 0 ? crew : { ...crew, ignored };
}

/** Fields that are null are as good as left out, in files of people; those that ask for nothing are not worth a word. */
function withoutIgnored(
  object: JsonObject,
  names: ReadonlySet<string>,
  { at, ignored }: { at: string; ignored: string[] },
): Record<string, JsonValue> {
  const kept: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === null) continue;
    if (!names.has(name)) kept[name] = value;
    else if (value !== false && !(Array.isArray(value) && value.length === 0))
      ignored.push(`${at}/${name}`);
  }
  return kept;
}

/** Fields whose entries have names that the user gave. */
const NAMED_ENTRIES = new Set(["agents", "tasks"]);

function camelKeys(object: JsonObject): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const name = camelCase(key);
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

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
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
