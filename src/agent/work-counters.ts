import type { ToolCallOutcome } from "../tools/call-tool.ts";

/** The counts, as they are stored with a step whose tool calls are not repeated in replay. */
export type WorkCounts = Pick<WorkCounters, "usedTools" | "toolsErrors"> & {
  readonly delegatedTo: readonly string[];
};

/** Counts what an agent did for one piece of work. Each replay fills it again from the same stored results. */
export class WorkCounters {
  /** Executed tool calls, including failed ones. */
  usedTools = 0;
  toolsErrors = 0;
  /** Roles of the agents that received parts of the work, one entry for each delegation. */
  readonly delegatedTo: string[] = [];

  add(outcome: ToolCallOutcome): void {
    this.usedTools++;
    if (outcome.kind === "failure") this.toolsErrors++;
    else this.delegatedTo.push(...(outcome.work?.delegatedTo ?? []));
  }

  /** Adds the counts of another one. */
  include({ usedTools, toolsErrors, delegatedTo }: WorkCounts): void {
    this.usedTools += usedTools;
    this.toolsErrors += toolsErrors;
    this.delegatedTo.push(...delegatedTo);
  }

  get counts(): WorkCounts {
    const { usedTools, toolsErrors, delegatedTo } = this;
    return { usedTools, toolsErrors, delegatedTo: [...delegatedTo] };
  }
}
