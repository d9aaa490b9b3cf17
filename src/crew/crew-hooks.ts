// The hooks around a crew's execution and around each of its tasks.
//
//   - At the start come `execution_start`, the crew's `beforeKickoff` and `input`, in this order; at the end come `output`,
//     `afterKickoff` and `execution_end`.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks, interceptOrFail, type ActiveHooks } from "../hooks/dispatch.ts";
import { ExecutionHooks } from "../hooks/execution-hooks.ts";
import type { PreparedAgent } from "./prepared-agent.ts";
import type { RunnableCrew } from "./runnable-crew.ts";
import type { PreparedTask } from "./tasks/prepared-task.ts";
import type { CrewOutput, TaskRecord } from "./tasks/task-output.ts";

/** The hooks of one execution of a crew. */
export function crewHooks(
  scope: RunScope,
  crew: RunnableCrew,
): ExecutionHooks<JsonObject, CrewOutput> {
  const active = hooksBeside(scope, crew);
  return new ExecutionHooks(scope, active, { inputs: isJsonObject, output: isOutput });
}

/** The hooks around one task: `pre_step` may change its context, `post_step` its output. */
export class StepHooks {
  readonly #scope: RunScope;
  readonly #active: ActiveHooks | undefined;
  readonly #stepName: string;

  constructor(scope: RunScope, crew: RunnableCrew, prepared: PreparedTask) {
    this.#scope = scope;
    this.#stepName = prepared.task.label;
    this.#active = agentHooks(scope, crew, { ...prepared, taskName: this.#stepName });
  }

  before(context: string): Promise<string> {
    return interceptOrFail<string>(this.#scope, this.#active, {
      point: "pre_step",
      field: "payload",
      value: context,
      facts: { kind: "task", stepName: this.#stepName },
      fits: (value) => typeof value === "string",
    });
  }

  after(output: TaskRecord): Promise<TaskRecord> {
    return interceptOrFail<TaskRecord>(this.#scope, this.#active, {
      point: "post_step",
      field: "payload",
      alias: "output",
      value: output,
      facts: { kind: "task", stepName: this.#stepName },
      fits: isTaskOutput,
    });
  }
}

/** Returns the hooks for a crew's own model calls, made without an agent. */
export function hooksBeside(
  scope: RunScope,
  { name, options }: Pick<RunnableCrew, "name" | "options">,
): ActiveHooks | undefined {
  return activeHooks(scope, options.hooks ?? [], { crewName: name });
}

/** Returns the hooks for an agent's work. */
export function agentHooks(
  scope: RunScope,
  { name, options }: RunnableCrew,
  { agent, identity, taskName }: PreparedAgent & { readonly taskName?: string | undefined },
): ActiveHooks | undefined {
  return activeHooks(scope, [...(options.hooks ?? []), ...agent.hooks], {
    crewName: name,
    agentRole: identity.role,
    roles: [agent.role],
    taskName,
  });
}

function isOutput(value: JsonValue): boolean {
  return (
    isJsonObject(value) &&
    typeof value["raw"] === "string" &&
    isJsonObject(value["usage"]) &&
    Array.isArray(value["tasks"]) &&
    value["tasks"].every(isTaskOutput)
  );
}

function isTaskOutput(value: JsonValue): boolean {
  return (
    isJsonObject(value) &&
    typeof value["raw"] === "string" &&
    typeof value["name"] === "string" &&
    typeof value["agent"] === "string" &&
    isJsonObject(value["usage"])
  );
}
