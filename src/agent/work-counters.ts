import type { FinishReason } from "../llm/language-model.ts";
import type { ToolCallOutcome } from "../tools/call-tool.ts";
import { ToolAccounts, type ToolAccountFields } from "../tools/tool-accounts.ts";
import type { Tool } from "../tools/tool.ts";

/** Counts stored with a step whose tool calls replay does not repeat. */
export type WorkCounts = Pick<WorkCounters, "usedTools" | "toolsErrors"> &
  ToolAccountFields & {
    readonly delegatedTo: readonly string[];
  };

/** Counts an agent's actions in one piece of work. Each replay fills it again from the same stored results. */
export class WorkCounters {
  /** Executed tool calls, including failed ones. */
  usedTools = 0;
  toolsErrors = 0;
  /** Why the model ended its last message, which is the answer in the end. Undefined for answers of other frameworks. */
  finishReason: FinishReason | undefined;
  /** Roles of the agents with parts of the work, one entry for each delegation. */
  readonly delegatedTo: string[] = [];
  readonly accounts = new ToolAccounts();

  add({ safeName: name, service }: Tool, outcome: ToolCallOutcome): void {
    const failed = outcome.kind === "failure";
    this.usedTools++;
    if (failed) this.toolsErrors++;
    else {
      this.delegatedTo.push(...(outcome.work?.delegatedTo ?? []));
      this.accounts.include(outcome.work ?? {});
    }
    const extras = failed ? undefined : outcome.extras;
    if (outcome.ran) this.accounts.add({ name, service, failed, extras });
    else this.accounts.include({ sources: extras?.sources ?? [] });
  }

  /** Adds the counts of another one. */
  include({ usedTools, toolsErrors, delegatedTo, ...accounts }: WorkCounts): void {
    this.usedTools += usedTools;
    this.toolsErrors += toolsErrors;
    this.delegatedTo.push(...delegatedTo);
    this.accounts.include(accounts);
  }

  /** Finish reason in the form of outputs. */
  get finish(): { readonly finishReason?: FinishReason } {
    const { finishReason } = this;
    return finishReason === undefined ? {} : { finishReason };
  }

  get counts(): WorkCounts {
    const { usedTools, toolsErrors, delegatedTo } = this;
    return { usedTools, toolsErrors, delegatedTo: [...delegatedTo], ...this.accounts.fields };
  }
}
