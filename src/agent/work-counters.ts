import type { ToolCallOutcome } from "../tools/call-tool.ts";

/** What was counted, as it is kept with a step whose tool calls are not made again in replay. */
export type WorkCounts = Pick<WorkCounters, "usedTools" | "toolsErrors"> & {
  readonly delegatedTo: readonly string[];
};

/** Counts what an agent did for one piece of work. Filled anew in each replay, from the same records. */
export class WorkCounters {
  /** Tool calls that were carried out, failed ones included. */
  usedTools = 0;
  toolsErrors = 0;
  /** Roles of the agents that were given parts of the work, each time anew. */
  readonly delegatedTo: string[] = [];

  add(outcome: ToolCallOutcome): void {
    this.usedTools++;
    if (outcome.kind === "failure") this.toolsErrors++;
    else this.delegatedTo.push(...(outcome.work?.delegatedTo ?? []));
  }

  /** Takes over what another one counted. */
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
