import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import {
  optionNames,
  refuseUnknownOptions,
  type KnownOptions,
} from "../../base/unknown-options.ts";
import { TASK_OPTION_ADVICE, TASK_OPTION_NAMES } from "./task-option-names.ts";
import { Task, type TaskOptions } from "./task.ts";
import type { TaskOutput } from "./task-output.ts";

/** Task options with a condition. */
export type ConditionalTaskOptions<Output extends OutputSchema = OutputSchema> =
  TaskOptions<Output> & {
    /**
     * Receives the output of the task before this one; the task is done if it returns true. It is called once per run, even if the
     * run is replayed. A skipped task has an empty output, no events and no callback.
     */
    readonly condition: (previous: TaskOutput) => boolean | Promise<boolean>;
  };

/** The options of `new ConditionalTask()`. */
const CONDITIONAL_TASK_OPTIONS: KnownOptions = {
  method: "new ConditionalTask()",
  code: "invalid_definition",
  known: optionNames<ConditionalTaskOptions>({ ...TASK_OPTION_NAMES, condition: true }),
  advice: TASK_OPTION_ADVICE,
};

/** Task done only if its condition holds for the output before it. It cannot be a crew's first task or asynchronous. */
export class ConditionalTask<Output extends OutputSchema = OutputSchema> extends Task<Output> {
  readonly condition: ConditionalTaskOptions["condition"];
  readonly #options: ConditionalTaskOptions<Output>;

  /** Throws `invalid_definition` and names the missing or wrong field. */
  constructor(options: ConditionalTaskOptions<Output>) {
    const { condition, ...task } = options;
    super(task);
    refuseUnknownOptions(options, CONDITIONAL_TASK_OPTIONS, new.target !== ConditionalTask);
    if (typeof condition !== "function") {
      throw new EngineError(
        "invalid_definition",
        `task "${this.label}": condition must be a function of the previous output, got ${preview(condition)}`,
      );
    }
    this.condition = condition;
    this.#options = options;
  }

  /** Returns a conditional task with some options changed. */
  override copy<Changed extends OutputSchema = Output>(
    overrides: Partial<ConditionalTaskOptions<Changed>> = {},
  ): ConditionalTask<Changed> {
    return new ConditionalTask<Changed>({
      ...(this.#options as object as ConditionalTaskOptions<Changed>),
      ...overrides,
    });
  }
}
