import type { TrainedAnswer } from "../agent/loop/human-input.ts";
import { UsageMeter } from "../model-calls/model-call.ts";
import { WorkCounters } from "../agent/work-counters.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ToolAccountFields } from "../tools/tool-accounts.ts";
import { failuresField, ToolFailureLog } from "../tools/tool-failure.ts";
import type { Tool } from "../tools/tool.ts";
import type { TaskRecord } from "./tasks/task-output.ts";

/** The fields of an output that say how it came about. */
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
 * What all attempts at a task, or at a piece of delegated work, share in one drive: the time they may take, and the accounts of what
 * they did.
 */
export class WorkBudget {
  readonly meter = new UsageMeter();
  readonly counters = new WorkCounters();
  readonly failures = new ToolFailureLog();
  readonly toolUses = new Map<Tool, number>();
  /** The comment that a person added to their approval of the last answer. */
  approval: string | undefined;
  /** What a training stores of the last answer. */
  trained: TrainedAnswer | undefined;
  #ownDeadlineAtMs: number | undefined;
  readonly #outer: WorkBudget | undefined;

  /** Begins now, at `scope`. `outer` is the budget of the work that this is a part of: its deadline holds too. */
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

  /** Time that does not count. */
  extend(durationMs: number): void {
    if (this.#ownDeadlineAtMs !== undefined) this.#ownDeadlineAtMs += durationMs;
  }

  /** The accounts so far; `role` is that of the agent who did the work. */
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
