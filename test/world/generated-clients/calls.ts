// What the programs print: one line of JSON for each call.
import type { PartFailure } from "../part.ts";

export type Call = {
  /** What it is about: crews, runs, a2a … */
  readonly kind: string;
  readonly name: string;
  readonly status: number;
  /** It was answered with a success, of a type that the client knows. */
  readonly ok: boolean;
  /** The start of the answer, of a call that failed. */
  readonly said: string;
};

/** A client is not used enough below these. */
const LEAST_CALLS = 20;
const LEAST_KINDS = 10;

/** The calls in what a program printed; other lines are left out. */
export function callsIn(output: string): readonly Call[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Call);
}

/** The calls that failed, and a client that made too few. */
export function failuresOf(client: string, calls: readonly Call[]): readonly PartFailure[] {
  const kinds = new Set(calls.map(({ kind }) => kind));
  const few =
    calls.length < LEAST_CALLS || kinds.size < LEAST_KINDS
      ? [{ id: client, message: `${calls.length} calls of ${kinds.size} kinds are too few` }]
      : [];
  const failed = calls
    .filter(({ ok }) => !ok)
    .map(({ kind, name, status, said }) => ({
      id: `${client}/${kind}/${name}`,
      message: `answered ${status}: ${said}`,
    }));
  return [...few, ...failed];
}
