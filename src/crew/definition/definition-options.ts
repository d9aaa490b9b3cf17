// Options for a definition's fields, with names looked up.
import type { AgentOptions } from "../../agent/description/agent.ts";
import { EngineError } from "../../base/error.ts";
import { withoutNulls } from "../../base/json.ts";
import { markAsData } from "../../llm/definition-rules.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolSource } from "../../tools/tool-source.ts";
import type { CrewOptions } from "../crew-options.ts";
import { ConditionalTask } from "../tasks/conditional-task.ts";
import type { TaskOutput } from "../tasks/task-output.ts";
import { Task, type TaskOptions } from "../tasks/task.ts";
import type { NamedFunction, RegistryResolver } from "./definition-registry.ts";
import type { AgentDefinition, CrewDefinition, TaskDefinition } from "./definition-schema.ts";

/** Returns the options of an agent. Unregistered names become issues of `resolver`. */
export function agentOptions(
  definition: AgentDefinition,
  resolver: RegistryResolver,
  path: string,
): AgentOptions {
  if (resolver.fromData) markAsData(definition);
  const { verbose: _, tools, apps, stepCallback, planningConfig, guardrail, ...rest } = definition;
  const connected = resolver.appTools(apps, `${path}/apps`);
  const judges = typeof guardrail === "string" ? [guardrail] : guardrail;
  const found = judges?.map((each) => resolver.functionOrText(each));
  return {
    ...defined(rest),
    tools: [...toolsAndSources(tools, resolver, path), ...(connected ?? [])],
    ...defined({
      apps: connected === undefined ? apps : undefined,
      stepCallback: resolver.function(stepCallback, `${path}/stepCallback`),
      planningConfig: planningConfig && withoutNulls(planningConfig),
      guardrail: typeof guardrail === "string" ? found?.[0] : found,
    }),
  } as unknown as AgentOptions;
}

function toolsAndSources(
  entries: AgentDefinition["tools"],
  resolver: RegistryResolver,
  path: string,
): readonly (Tool | ToolSource)[] {
  const { tools, sources } = resolver.toolsAndSources(entries, `${path}/tools`);
  return [...tools, ...sources];
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
      tools: tools === undefined ? undefined : toolsAndSources(tools, resolver, path),
      output: outputOf(definition, resolver, path),
      responseModel: resolver.schema(responseModel, `${path}/responseModel`),
      guardrail: guardrail === undefined ? undefined : resolver.functionOrText(guardrail),
      guardrails: judges?.map((each) => resolver.functionOrText(each)),
      guardrailMaxRetries: maxRetries ?? definition.guardrailMaxRetries,
      converter: resolver.function(converter, `${path}/converter`),
      condition: resolver.function(condition, `${path}/condition`),
      callback:
        allCallbacks.length > 1
          ? (output: TaskOutput) => callAll(allCallbacks, output)
          : allCallbacks[0],
    }),
  } as unknown as TaskOptions;
}

/** Makes a task, conditional if it has a condition. */
export function taskFrom(options: TaskOptions & { readonly condition?: unknown }): Task {
  const { condition, ...rest } = options;
  if (condition === undefined) return new Task(rest);
  return new ConditionalTask({ ...rest, condition: condition as ConditionalTask["condition"] });
}

export function crewOptions(
  definition: CrewDefinition,
  resolver: RegistryResolver,
): Omit<CrewOptions, "tasks"> {
  const { agents: _1, tasks: _2, managerAgent: _3, verbose: _4, ignored: _5, ...rest } = definition;
  const {
    schemas: _8,
    trained,
    trainedAgentsFile,
    functionCallingLlm: _6,
    missingTools: _7,
    inputSchema,
    ...fields
  } = rest;
  const { beforeKickoffCallbacks, afterKickoffCallbacks, taskCallback, stepCallback, ...plain } =
    fields;
  const before = resolver.functions(beforeKickoffCallbacks, "/beforeKickoffCallbacks");
  const after = resolver.functions(afterKickoffCallbacks, "/afterKickoffCallbacks");
  return {
    ...defined(plain),
    ...defined({
      trained: trained ?? trainedAgentsFile,
      // An inline schema was checked with the definition's other shapes.
      inputSchema:
        typeof inputSchema === "string"
          ? resolver.schema(inputSchema, "/inputSchema")
          : inputSchema,
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

/** Returns the shape of a task's answer under any of its names. Throws for a task with several. */
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

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** An object without its undefined fields. */
export function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
