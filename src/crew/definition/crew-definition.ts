// A crew as data, for HTTP and YAML files. Names may be camelCase or snake_case; one error has all issues.
import type * as z from "zod";
import { Agent } from "../../agent/description/agent.ts";
import type { Issue } from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import type { JsonObject } from "../../base/json.ts";
import { markAsData } from "../../llm/definition-rules.ts";
import { Crew } from "../crew.ts";
import { RegistryResolver, type DefinitionRegistry } from "./definition-registry.ts";
import { withOwnShapes } from "./definition-shapes.ts";
import { attempt, formFaults, invalid, withoutFaults } from "./definition-faults.ts";
import { agentAlone, crewForm } from "./definition-forms.ts";
import { agentOptions, crewOptions, defined, taskFrom, taskOptions } from "./definition-options.ts";
import {
  agentDefinition,
  crewDefinition,
  type CrewDefinition,
  type AgentDefinition,
  type TaskDefinition,
} from "./definition-schema.ts";
import type { Task } from "../tasks/task.ts";

/** JSON Schema of a crew definition, as the API describes it. */
export const crewDefinitionSchema: z.ZodType = crewDefinition;

/**
 * Reads a definition in any of its spellings: snake_case names, and `tasks` as a mapping of names, as in a
 * `tasks.yaml`. Throws `invalid_definition` with one issue for each fault.
 */
export function readCrewDefinition(input: unknown): CrewDefinition {
  const form = crewForm(input);
  const parsed = crewDefinition.safeParse(form);
  if (!parsed.success) throw invalid(formFaults(parsed.error, form));
  return parsed.data;
}

/** Reads the definition of one agent, as it stands in a crew's. Throws `invalid_definition` as above; paths begin at the agent. */
export function readAgentDefinition(input: JsonObject): AgentDefinition {
  const form = agentAlone(input);
  const parsed = agentDefinition.safeParse(form);
  if (!parsed.success) throw invalid(formFaults(parsed.error, form));
  return parsed.data;
}

/**
 * Reads a newly written definition and makes its crew. Throws `invalid_definition` with one issue for each fault in its
 * form or its names.
 */
export function newCrewDefinition(
  input: unknown,
  registry: DefinitionRegistry = {},
): {
  readonly definition: CrewDefinition;
  readonly crew: Crew;
  /** Harmless faults in the definition's tools. */
  readonly warnings: readonly Issue[];
} {
  const form = crewForm(input);
  const parsed = crewDefinition.safeParse(form);
  if (parsed.success) {
    const definition = parsed.data;
    const ambiguous = ambiguousContexts(definition);
    const { crew, issues, warnings } = crewOrFaults(definition, registry);
    if (crew !== undefined && ambiguous.length === 0) return { definition, crew, warnings };
    throw invalid([...ambiguous, ...issues]);
  }
  const faults = formFaults(parsed.error, form);
  const rest = crewDefinition.safeParse(withoutFaults(form, faults));
  const others = rest.success ? crewOrFaults(rest.data, registry).issues : [];
  const known = new Set(faults.map(({ path }) => path));
  throw invalid([...faults, ...others.filter(({ path }) => path !== "" && !known.has(path))]);
}

/** Makes a crew from a definition. Throws `invalid_definition` with one issue for each fault. */
export function crewFromDefinition(
  definition: CrewDefinition,
  registry: DefinitionRegistry = {},
): Crew {
  const { crew, issues } = crewOrFaults(definition, registry);
  if (crew === undefined) throw invalid(issues);
  return crew;
}

function crewOrFaults(
  definition: CrewDefinition,
  registry: DefinitionRegistry,
): {
  readonly crew?: Crew;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
} {
  if (registry.fromData === true) markAsData(definition);
  const issues: Issue[] = [...tasksWithoutAgents(definition)];
  const named = withOwnShapes(registry, definition, issues);
  const resolver = new RegistryResolver(named, issues, definition.missingTools ?? "refuse");
  const agents = new Map<string, Agent>();
  const { functionCallingLlm } = definition;
  for (const [key, agentFields] of Object.entries(definition.agents)) {
    const path = `/agents/${pointerPart(key)}`;
    const fields = { ...defined({ functionCallingLlm }), ...agentFields };
    attempt(issues, path, () => agents.set(key, new Agent(agentOptions(fields, resolver, path))));
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
  const { warnings } = resolver;
  if (issues.length > 0) return { issues, warnings };

  let crew: Crew | undefined;
  attempt(issues, "", () => {
    const workers = [...agents.values()].filter((agent) => agent !== managerAgent);
    crew = new Crew({ ...options, ...defined({ managerAgent }), agents: workers, tasks });
  });
  return crew === undefined ? { issues, warnings } : { crew, issues, warnings };
}

/** Returns an issue for each task without an agent. CrewAI assigns it in project code, which is not available here. */
function tasksWithoutAgents({ process, tasks, agents }: CrewDefinition): readonly Issue[] {
  if (process === "hierarchical") return [];
  return tasks.flatMap(({ agent, name }, index) => {
    if (agent !== undefined) return [];
    const path = `/tasks/${index}/agent`;
    const label = name === undefined ? `${index + 1}` : `"${name}"`;
    const names = Object.keys(agents).join(", ") || "none";
    const added = `{ "tasks": { "${name ?? "<task>"}": { "agent": "<name>" } } }`;
    const message = `missing_agent_in_task: task ${label} has no agent (CrewAI says it in crew.py): write \`agent: <name>\` here, or add ${added}; agents: ${names}`;
    return [{ path, message }];
  });
}

/** Returns an issue for each name in `context` shared by several tasks. */
function ambiguousContexts({ tasks }: CrewDefinition): readonly Issue[] {
  const counts = new Map<string, number>();
  return tasks.flatMap(({ name: own, context = [] }, index) => {
    const issues = context.flatMap((name, position) => {
      const namesakes = counts.get(name) ?? 0;
      if (namesakes < 2) return [];
      const message = `${namesakes} tasks before this one are called "${name}": give them different names`;
      return [{ path: `/tasks/${index}/context/${position}`, message }];
    });
    if (own !== undefined) counts.set(own, (counts.get(own) ?? 0) + 1);
    return issues;
  });
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
