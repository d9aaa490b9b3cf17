import { checkMcps } from "../agent/description/check-agent.ts";
import { checkSources } from "../agent/description/check-sources.ts";
import { checkSkillSources } from "../agent/skills/check-skill-sources.ts";
import { EngineError } from "../base/error.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";
import { preview } from "../base/json.ts";
import { ConditionalTask } from "./tasks/conditional-task.ts";
import { readInputFiles } from "../files/started-files.ts";
import { CREW_OPTIONS } from "./crew-option-names.ts";
import { logPathOf } from "./crew-log.ts";
import type { CrewOptions } from "./crew-options.ts";
import { checkWorkspace } from "./crew-workspace.ts";
import { checkTrained } from "./actions/lessons.ts";
import type { Task } from "./tasks/task.ts";

/** Why a crew is invalid. The codes are stable; the error message begins with one. */
export type CrewFault =
  | "may_not_set_field"
  | "missing_manager_llm_or_manager_agent"
  | "manager_agent_in_agents"
  | "manager_agent_has_tools"
  | "missing_keys"
  | "missing_agent_in_task"
  | "async_task_count"
  | "only_conditional_tasks"
  | "invalid_first_task"
  | "invalid_async_conditional_task"
  | "context_of_async_task"
  | "context_of_later_task";

/** Throws `invalid_definition` for a crew unable to run. A subclass may have options of its own. */
export function checkCrew(options: CrewOptions, isSubclass = false): void {
  if ("id" in options) throw fault("may_not_set_field", "a crew's id is generated; remove `id`");
  refuseUnknownOptions(options, CREW_OPTIONS, isSubclass);
  const { name = "crew", process = "sequential" } = options;
  checkManager(options, name);
  const tasks: readonly Task[] = (options as Partial<CrewOptions>).tasks ?? [];
  if (tasks.length === 0)
    throw fault("missing_keys", `crew "${name}" has no tasks: give it at least one`);
  const orphans = tasks.filter((task) => task.agent === undefined);
  if (process === "sequential" && orphans.length > 0)
    throw fault(
      "missing_agent_in_task",
      `every task of a sequential crew needs an agent, and there is none for ${orphans.map(({ label }) => `"${label}"`).join(", ")}`,
    );
  if (tasks.length > 1 && tasks.slice(-2).every((task) => task.asyncExecution)) {
    throw fault(
      "async_task_count",
      `at most one task at the end of crew "${name}" may be asynchronous, got ${trailingAsync(tasks)}`,
    );
  }
  checkConditions(tasks, name);
  const positions = new Map(tasks.map((task, index) => [task, index] as const).toReversed());
  for (const [index, task] of tasks.entries()) checkContext(task, index, { tasks, positions });
  checkSkillSources(options.skills, `crew "${name}"`);
  checkLimit(options, "maxRpm", Number.isInteger);
  checkLimit(options, "maxTokens", Number.isInteger);
  checkLimit(options, "maxCostUsd", Number.isFinite);
  checkTrained(options.trained, `crew "${name}"`);
  checkSources(options, `crew "${name}"`);
  checkMcps(options.mcps, `crew "${name}"`);
  readInputFiles(options.inputFiles, { owner: `crew "${name}"` });
  checkWorkspace(options.workspace, `crew "${name}"`);
  const log: unknown = options.outputLogFile ?? false;
  if (typeof log !== "boolean" && typeof log !== "string")
    throw new EngineError(
      "invalid_definition",
      `crew "${name}": outputLogFile must be a boolean or a text, got ${preview(log)}`,
    );
  if (log !== false) logPathOf(log);
}

function checkManager(options: CrewOptions, name: string): void {
  const { process = "sequential", managerLlm, managerAgent, agents = [] } = options;
  if (process !== "sequential" && process !== "hierarchical") {
    throw new EngineError(
      "invalid_definition",
      `crew "${name}": process must be "sequential" or "hierarchical", got ${preview(process)}`,
    );
  }
  if (process === "sequential") return;
  if (managerAgent === undefined && managerLlm === undefined)
    throw fault(
      "missing_manager_llm_or_manager_agent",
      `the hierarchical crew "${name}" needs a managerLlm or a managerAgent`,
    );
  if (managerAgent === undefined) return;
  if (agents.includes(managerAgent))
    throw fault(
      "manager_agent_in_agents",
      `the managerAgent "${managerAgent.role}" of crew "${name}" must not be among its agents`,
    );
  if (managerAgent.tools.length > 0)
    throw fault(
      "manager_agent_has_tools",
      `the managerAgent "${managerAgent.role}" of crew "${name}" must have no tools, got ${managerAgent.tools.map((tool) => tool.name).join(", ")}`,
    );
}

function checkConditions(tasks: readonly Task[], name: string): void {
  if (tasks.every((task) => task instanceof ConditionalTask))
    throw fault(
      "only_conditional_tasks",
      `crew "${name}" has conditional tasks only: the first needs an output before it`,
    );
  const [first] = tasks;
  if (first instanceof ConditionalTask)
    throw fault(
      "invalid_first_task",
      `the first task of crew "${name}", "${first.label}", must not be conditional: there is no output before it`,
    );
  const parallel = tasks.find((task) => task instanceof ConditionalTask && task.asyncExecution);
  if (parallel !== undefined)
    throw fault(
      "invalid_async_conditional_task",
      `the conditional task "${parallel.label}" must not be asynchronous`,
    );
}

function checkLimit(
  options: CrewOptions,
  field: "maxRpm" | "maxTokens" | "maxCostUsd",
  fits: (value: number) => boolean,
): void {
  const value = options[field];
  if (value === undefined || (fits(value) && value > 0)) return;
  const expected = fits === Number.isInteger ? "an integer >= 1" : "a number > 0";
  throw new EngineError(
    "invalid_definition",
    `crew "${options.name ?? "crew"}": ${field} must be ${expected}, got ${preview(value)}`,
  );
}

function checkContext(
  task: Task,
  index: number,
  {
    tasks,
    positions,
  }: { readonly tasks: readonly Task[]; readonly positions: ReadonlyMap<Task, number> },
): void {
  for (const other of task.context ?? []) {
    const position = positions.get(other) ?? -1;
    if (position >= index) {
      throw fault(
        "context_of_later_task",
        `task "${task.label}" has the later task "${other.label}" in its context`,
      );
    }
    if (position < 0 || !task.asyncExecution || !other.asyncExecution) continue;
    if (tasks.slice(position + 1, index).every((between) => between.asyncExecution)) {
      const message = `the asynchronous task "${task.label}" has the asynchronous task "${other.label}" in its context with no synchronous task in between`;
      throw fault("context_of_async_task", message);
    }
  }
}

function trailingAsync(tasks: readonly Task[]): number {
  const last = tasks.findLastIndex((task) => !task.asyncExecution);
  return tasks.length - 1 - last;
}

function fault(kind: CrewFault, message: string): EngineError {
  return new EngineError("invalid_definition", `${kind}: ${message}`);
}
