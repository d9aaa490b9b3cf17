import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { Task, type TaskOptions } from "./task.ts";
import type { TaskOutput } from "./task-output.ts";

export type ConditionalTaskOptions<Output extends OutputSchema = OutputSchema> =
  TaskOptions<Output> & {
    /**
     * Told the output right before this task in the crew's order; the task is done when it answers true. Called once per
     * run, however often that is replayed. A task that is skipped has an empty output: no events, no callback.
     */
    readonly condition: (previous: TaskOutput) => boolean | Promise<boolean>;
  };

/** A task that is done only if the output before it says so. Never the first of a crew, and never asynchronous. */
export class ConditionalTask<Output extends OutputSchema = OutputSchema> extends Task<Output> {
  readonly condition: ConditionalTaskOptions["condition"];

  /** Throws `invalid_definition` naming the field that is missing or wrong. */
  constructor(options: ConditionalTaskOptions<Output>) {
    super(options);
    const condition: unknown = options.condition;
    if (typeof condition !== "function") {
      throw new EngineError(
        "invalid_definition",
        `task "${this.label}": condition must be a function of the previous output, got ${preview(condition)}`,
      );
    }
    this.condition = options.condition;
  }
}
