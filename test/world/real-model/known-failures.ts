// What the product does not do yet. A row turns red when it is mended: its situation came up, and no run failed by it.
import { OUTAGE_MS } from "./programs/outage.ts";
import type { Fault, Run } from "./verdict.ts";

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
    id: "short-outage",
    reason: "a server that is away for some seconds ends a run",
    issue: "models",
    comesUp: ({ kind }) => kind === "outage",
    // The server was away for every request, and the run ended before it came back.
    matches: (fault, { kind, log }) =>
      kind === "outage" &&
      fault.what === "unexpected end" &&
      fault.reason.startsWith("model_failed") &&
      log.every(({ status }) => status === 503) &&
      (log.at(-1)?.atMs ?? 0) < OUTAGE_MS,
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
