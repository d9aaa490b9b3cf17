import type { TrainedAnswer } from "../agent/loop/human-input.ts";
import { WorkCounters } from "../agent/work-counters.ts";
import type { RunScope } from "../events/run-scope.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";
import type { ToolAccountFields } from "../tools/tool-accounts.ts";
import { failuresField, ToolFailureLog } from "../tools/tool-failure.ts";
import type { Tool } from "../tools/tool.ts";
import type { TaskRecord } from "./tasks/task-output.ts";

/** Output fields about usage, agents and tools. */
type Accounts = Pick<
  TaskRecord,
  | "usage"
  | "processedByAgents"
  | "delegations"
  | "usedTools"
  | "toolsErrors"
  | "toolFailures"
  | "finishReason"
  | keyof ToolAccountFields
>;

/**
 * Shared state of all attempts at a task, or at a piece of delegated work, in one drive: the time limit, and the
 * accounts of the work.
 */
export class WorkBudget {
  readonly meter = new UsageMeter();
  readonly counters = new WorkCounters();
  readonly failures = new ToolFailureLog();
  readonly toolUses = new Map<Tool, number>();
  /** Comment of the person with the approval of the last answer. */
  approval: string | undefined;
  /** Training record of the last answer. */
  trained: TrainedAnswer | undefined;
  #ownDeadlineAtMs: number | undefined;
  readonly #outer: WorkBudget | undefined;

  /** Begins now, at `scope`. `outer` is the budget of the surrounding work: its deadline applies too. */
  constructor(
    scope: RunScope,
    { maxExecutionTime }: { readonly maxExecutionTime: number | undefined },
    outer?: WorkBudget,
  ) {
    this.#ownDeadlineAtMs =
      maxExecutionTime === undefined ? undefined : scope.now() + maxExecutionTime * 1000;
    this.#outer = outer;
  }

  get deadlineAtMs(): number | undefined {
    const own = this.#ownDeadlineAtMs;
    const outer = this.#outer?.deadlineAtMs;
    return own === undefined || outer === undefined ? (own ?? outer) : Math.min(own, outer);
  }

  /** Adds time that does not count. */
  extend(durationMs: number): void {
    if (this.#ownDeadlineAtMs !== undefined) this.#ownDeadlineAtMs += durationMs;
  }

  /** Returns the accounts so far; `role` is the role of the working agent. */
  accountsOf(role: string): Accounts {
    const { delegatedTo, usedTools, toolsErrors } = this.counters;
    return {
      usage: this.meter.total,
      processedByAgents: [...new Set([role, ...delegatedTo])],
      delegations: delegatedTo.length,
      usedTools,
      toolsErrors,
      ...this.counters.finish,
      ...this.counters.accounts.fields,
      ...failuresField(this.failures.records),
    };
  }
}
