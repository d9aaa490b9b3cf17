// What the product does not do yet. A row turns red when it is mended: its situation came up, and no run failed by it.
import { OUTAGE_MS } from "./programs/outage.ts";
import type { LogEntry } from "./server/chat-server.ts";
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
    // Every answer in the form was cut: had one been whole, the reason could be true.
    matches: (fault, { log }) =>
      fault.what === "untrue reason" &&
      fault.reason.startsWith("output_invalid") &&
      shaped(log).length > 0 &&
      shaped(log).every(({ finish }) => finish === "length"),
  },
  {
    id: "cut-text",
    reason: "a text that a limit cut off passes as the result, and the output does not say so",
    issue: "models",
    comesUp: ({ kind, outcome }) => kind === "cut" && outcome.state === "ended",
    // The words of the result are those of the cut answer, and no object.
    matches: (fault, { outcome, log }) => {
      const last = log.findLast(({ status }) => status === 200);
      return (
        fault.what === "cut answer passes as whole" &&
        outcome.state === "ended" &&
        isCutUnsaid(outcome.output, log) &&
        last?.isShaped !== true &&
        holds(outcome.output, last?.text ?? "")
      );
    },
  },
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

function shaped(log: readonly LogEntry[]): readonly LogEntry[] {
  return log.filter(({ status, isShaped }) => status === 200 && isShaped === true);
}

/** The output has the text. White space at its ends may be gone. */
function holds(output: unknown, text: string): boolean {
  const wanted = JSON.stringify(text.trim()).slice(1, -1);
  return (JSON.stringify(output) ?? "").includes(wanted);
}

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
