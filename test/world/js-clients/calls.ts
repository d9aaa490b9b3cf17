// Checks as the programs print them, one line of JSON each, and rows for those that do not hold.
import type { PartFailure } from "../part.ts";
import { KNOWN_FAILURES } from "./known-failures.ts";

export type Call = {
  /** Its SDK, and the way in which it is used: `ai 7, responses`. */
  readonly client: string;
  readonly name: string;
  readonly ok: boolean;
  /** The reason of one that does not hold. */
  readonly said?: string;
};

export type KnownFailure = {
  readonly id: string;
  /** The product as it is today. */
  readonly reason: string;
  /** Name of the issue that mends it. */
  readonly issue: string;
  /** The checks that do not hold because of it. */
  readonly concerns: (call: Call) => boolean;
  /** Words of their failure. */
  readonly says: RegExp;
};

const END = '{"end":true}';

/** The checks in what a program printed; other lines are left out. */
export function callsIn(output: string): readonly Call[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"client"'))
    .map((line) => JSON.parse(line) as Call);
}

/** True if the program came to its end. */
export function isWhole(output: string): boolean {
  return output.split("\n").includes(END);
}

export type Sorted = {
  readonly passed: number;
  readonly known: Readonly<Record<string, number>>;
  readonly failures: readonly PartFailure[];
};

/** Sorts checks into those that hold, those with a row, and failures. A row whose checks all hold is a failure as well. */
export function sortCalls(
  calls: readonly Call[],
  rows: readonly KnownFailure[] = KNOWN_FAILURES,
): Sorted {
  const known: Record<string, number> = {};
  const failures: PartFailure[] = [];
  const open = calls.filter(({ ok }) => !ok);
  for (const call of open) {
    const row = rows.find(({ concerns, says }) => concerns(call) && says.test(call.said ?? ""));
    if (row !== undefined) known[row.id] = (known[row.id] ?? 0) + 1;
    else failures.push({ id: `${call.client}: ${call.name}`, message: call.said ?? "" });
  }
  for (const { id, concerns } of rows)
    if (known[id] === undefined && calls.some(concerns))
      failures.push({ id, message: "is mended: remove the row of known-failures.ts" });
  return { passed: calls.length - open.length, known, failures };
}
