import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { Group } from "./group.ts";
import type { PatternOptions } from "./pattern-options.ts";

/** A pattern before a conversation. */
export type PreparedPattern = {
  readonly group: Omit<Group, "maxRounds" | "selection">;
  /** Makes the speaker selection. `isUnderWay` is true for a continued conversation. */
  readonly selection: (isUnderWay: boolean) => Group["selection"];
  readonly variables: ContextVariables;
  readonly initialAgent: ConversableAgent;
  readonly userAgent: ConversableAgent | undefined;
  readonly summary: Pick<PatternOptions, "summaryMethod" | "summaryArgs">;
};
