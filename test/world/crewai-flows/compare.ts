// Differences between two runs of one program.
import type { FlowProgram, Mode, Outcome, Result } from "./flow-program.ts";

export type Field = "refused" | "status" | "message" | "ran" | "arguments" | "value" | "state";

export type FlowDifference = {
  readonly program: FlowProgram;
  readonly mode: Mode;
  /** Number of the kickoff. */
  readonly kickoff: number;
  readonly field: Field;
  readonly ours: Outcome | undefined;
  readonly theirs: Outcome | undefined;
  /** In native mode: with `compat` the same program is as upstream's, or differs by a row of that mode. */
  readonly isCompatEqual: boolean;
};

export type Sides = { readonly ours: Result; readonly theirs: Result };

/** Fields of the first kickoff that differs; what comes after it builds upon it. */
export function fieldsThatDiffer({ ours, theirs }: Sides): {
  readonly kickoff: number;
  readonly fields: readonly Field[];
} {
  if ((ours.refused === undefined) !== (theirs.refused === undefined))
    return { kickoff: 0, fields: ["refused"] };
  for (const [kickoff, outcome] of ours.kickoffs.entries()) {
    const fields = fieldsOf(outcome, theirs.kickoffs[kickoff]);
    if (fields.length > 0) return { kickoff, fields };
  }
  return { kickoff: 0, fields: [] };
}

function fieldsOf(ours: Outcome, theirs: Outcome | undefined): readonly Field[] {
  if (theirs === undefined || ours.status !== theirs.status) return ["status"];
  const fields: Field[] = [];
  const names = ({ ran }: Outcome): string => textOf(ran.map(([name]) => name).toSorted());
  const values = ({ ran }: Outcome): string => textOf(ran.map(textOf).toSorted());
  if (names(ours) !== names(theirs)) fields.push("ran");
  else if (values(ours) !== values(theirs)) fields.push("arguments");
  if (ours.status === "failed") {
    if (causeOf(ours) !== causeOf(theirs)) fields.push("message");
    return fields;
  }
  if (textOf(ours.value) !== textOf(theirs.value)) fields.push("value");
  if (textOf(ours.state) !== textOf(theirs.state)) fields.push("state");
  return fields;
}

/** Kind of a failure, without each side's own words. */
export function causeOf({ message = "" }: Outcome): string {
  const failed = /fails m\d+/.exec(message)?.[0];
  if (failed !== undefined) return failed;
  if (/woken more than|has been called \d+ times/.test(message)) return "limit";
  if (/is none of|classify human feedback|match LLM response/.test(message)) return "unread";
  if (/do not fit|validation error|Failed to instantiate/.test(message)) return "unfit";
  return /too many/.test(message) ? "too many" : message;
}

/** One text for equal JSON values, in whatever order their fields are. */
export function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
