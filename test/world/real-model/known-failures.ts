// What the product does not do yet. A row turns red when it is mended: its situation came up, and no run failed by it.
import { isCutUnsaid, type Fault, type Run } from "./verdict.ts";

export type KnownFailure = {
  readonly id: string;
  readonly reason: string;
  /** Name of the issue that mends it. */
  readonly issue: string;
  /** True where a run could fail by it. */
  readonly comesUp: (run: Run) => boolean;
  readonly matches: (fault: Fault, run: Run) => boolean;
};

export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    id: "cut-object",
    reason: "an object that a limit cut off fails without a word of the limit",
    issue: "models",
    comesUp: ({ kind, outcome }) => kind === "cut-object" && outcome.state !== "hung",
    matches: (fault, { log }) =>
      fault.what === "untrue reason" &&
      fault.reason.startsWith("output_invalid") &&
      log.some(({ finish, isShaped }) => finish === "length" && isShaped === true),
  },
  {
    id: "cut-text",
    reason: "a text that a limit cut off passes as the result, and the output does not say so",
    issue: "models",
    comesUp: ({ kind, outcome }) => kind === "cut" && outcome.state === "ended",
    matches: (fault, { outcome, log }) =>
      fault.what === "cut answer passes as whole" &&
      outcome.state === "ended" &&
      isCutUnsaid(outcome.output, log),
  },
  {
    id: "short-outage",
    reason: "a server that is away for some seconds ends a run",
    issue: "models",
    comesUp: ({ kind }) => kind === "outage",
    matches: (fault, { kind }) => kind === "outage" && fault.what === "unexpected end",
  },
];

export type Judged = {
  readonly passed: number;
  readonly known: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly id: string; readonly message: string }[];
};

/** Sorts runs into good ones, known failures and new ones, and finds rows that are mended. */
export function judge(
  runs: readonly (readonly [run: Run, faults: readonly Fault[]])[],
  rows: readonly KnownFailure[] = KNOWN_FAILURES,
): Judged {
  let passed = 0;
  const known: Record<string, number> = {};
  const failures: { id: string; message: string }[] = [];
  for (const [run, faults] of runs) {
    if (faults.length === 0) passed++;
    const open = faults.filter((fault) => !rows.some((row) => row.matches(fault, run)));
    if (open.length > 0) failures.push({ id: run.id, message: JSON.stringify(open) });
    else
      for (const { id } of rows.filter((row) => faults.some((each) => row.matches(each, run))))
        known[id] = (known[id] ?? 0) + 1;
  }
  for (const { id, comesUp } of rows)
    if (known[id] === undefined && runs.some(([run]) => comesUp(run)))
      failures.push({ id, message: "is mended: remove the row of known-failures.ts" });
  return { passed, known, failures };
}
