import type { PartResult } from "./part.ts";

/** End of one part in a run of the tier. */
export type PartOutcome =
  | {
      readonly name: string;
      readonly state: "ran";
      readonly seconds: number;
      readonly result: PartResult;
    }
  /** A need is missing on this machine. Absent is never passed. */
  | { readonly name: string; readonly state: "absent"; readonly reason: string }
  /** The time of the whole slice was over before it began. */
  | { readonly name: string; readonly state: "left out"; readonly reason: string }
  | {
      readonly name: string;
      readonly state: "broken";
      readonly seconds: number;
      readonly reason: string;
    };

/** Programs that hold, and programs that do not. A difference with a row holds. */
export function countsOf(outcome: PartOutcome): {
  readonly passed: number;
  readonly failed: number;
} {
  if (outcome.state === "broken") return { passed: 0, failed: 1 };
  if (outcome.state !== "ran") return { passed: 0, failed: 0 };
  const failed = outcome.result.failures.length;
  return { passed: outcome.result.tried - failed, failed };
}

/** The outcomes in the form that `npm run test:count` adds up. */
export function reportOf(outcomes: readonly PartOutcome[]): object {
  const counts = outcomes.map((outcome) => ({ name: outcome.name, ...countsOf(outcome) }));
  const sum = (what: "passed" | "failed"): number =>
    counts.reduce((total, count) => total + count[what], 0);
  return {
    numPassedTests: sum("passed"),
    numFailedTests: sum("failed"),
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: counts.map(({ name, failed }) => ({
      name: `test/world/${name}`,
      status: failed > 0 ? "failed" : "passed",
      assertionResults: failed > 0 ? [{ status: "failed" }] : [],
    })),
  };
}

/** One line that says which parts ran, and which did not. */
export function summaryOf(outcomes: readonly PartOutcome[]): string {
  const names = (state: PartOutcome["state"]): string =>
    outcomes
      .filter((outcome) => outcome.state === state)
      .map(({ name }) => name)
      .join(", ");
  return [
    `ran: ${names("ran") || "none"}`,
    ...(["absent", "left out", "broken"] as const)
      .filter((state) => names(state) !== "")
      .map((state) => `${state}: ${names(state)}`),
  ].join("; ");
}
