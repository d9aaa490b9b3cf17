// The hooks around a crew's execution and around each of its tasks.
//
//   CH1. `execution_start`, then the crew's `beforeKickoff`, then `input`; at the end `output`, then `afterKickoff`,
//        then `execution_end`.
//   CH2. `execution_end` is called once for each execution whose `execution_start` came, also when it failed. A run that
//        is ended from outside (cancelled, out of its crash budget) has none: its code is not run any more.
import { toErrorRecord } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import {
  activeHooks,
  intercept,
  interceptOrFail,
  type ActiveHooks,
  type Interception,
} from "../hooks/dispatch.ts";
import { HookAborted } from "../hooks/hook.ts";
import type { PreparedAgent, PreparedTask } from "./perform-task.ts";
import type { RunnableCrew } from "./prepare-crew.ts";
import type { CrewOutput, TaskRecord } from "./task-output.ts";

/** The hooks of one execution of a crew. */
export class ExecutionHooks {
  readonly #scope: RunScope;
  readonly #active: ActiveHooks | undefined;
  #ended = false;

  constructor(scope: RunScope, crew: RunnableCrew) {
    this.#scope = scope;
    this.#active = crewHooks(scope, crew);
  }

  /** Runs the execution; where it fails, its end is told. */
  async around<T>(code: () => Promise<T>): Promise<T> {
    if (this.#active === undefined) return code();
    try {
      return await code();
    } catch (error) {
      if (!this.#ended) {
        const { code: errorCode, message } = toErrorRecord(error);
        await this.#end(null, { status: "failed", error: { code: errorCode, message } });
      }
      throw error;
    }
  }

  start(inputs: JsonObject): Promise<JsonObject> {
    return this.#pass({
      point: "execution_start",
      value: inputs,
      alias: "inputs",
      fits: isJsonObject,
    });
  }

  input(inputs: JsonObject): Promise<JsonObject> {
    return this.#pass({ point: "input", value: inputs, alias: "inputs", fits: isJsonObject });
  }

  output(output: CrewOutput): Promise<CrewOutput> {
    return this.#pass({ point: "output", value: output, alias: "output", fits: isOutput });
  }

  async end(output: CrewOutput): Promise<CrewOutput> {
    const { value, abort } = await this.#end(output, { status: "completed" });
    if (abort !== undefined) throw new HookAborted(abort.reason, abort.source);
    return value ?? output;
  }

  #end(output: CrewOutput | null, facts: object) {
    this.#ended = true;
    return intercept<CrewOutput | null>(this.#scope, this.#active, {
      point: "execution_end",
      field: "payload",
      alias: "output",
      value: output,
      facts,
      fits: (value) => output !== null && isOutput(value),
    });
  }

  #pass<Value>(interception: Omit<Interception<Value>, "field">): Promise<Value> {
    return interceptOrFail<Value>(this.#scope, this.#active, { field: "payload", ...interception });
  }
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

/** The hooks in force where models are asked for a crew and by none of its agents. */
export function crewHooks(
  scope: RunScope,
  { name, options }: Pick<RunnableCrew, "name" | "options">,
): ActiveHooks | undefined {
  return activeHooks(scope, options.hooks ?? [], { crewName: name });
}

/** The hooks in force while an agent works. */
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
