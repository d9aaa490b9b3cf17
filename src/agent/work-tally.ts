import type { ToolCallOutcome } from "../tools/call-tool.ts";

/** Counts what an agent did for one piece of work. Filled anew in each replay, from the same records. */
export class WorkTally {
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
}
