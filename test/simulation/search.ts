// Search: draws programs and faults until one breaks a rule, and makes that one small.
import * as fc from "fast-check";
import { faults, NO_FAULTS, type Fault, type FaultKind, type Faults } from "./faults.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { ProgramNode } from "./program.ts";
import { programs, smallPrograms, tinyPrograms } from "./programs.ts";
import { simulate } from "./simulate.ts";
import type { StoreKind } from "./stores.ts";

export type SearchOptions = {
  readonly programs: number;
  readonly seed: number;
  readonly store: StoreKind;
  /** False stops at the first failure as it was drawn. */
  readonly shrink: boolean;
  /** A bug in the engine that is to be found. */
  readonly bug?: PlantedBug | undefined;
};

export type Totals = {
  programs: number;
  /** Runs that these programs started, their own and those of children. */
  runs: number;
  crashes: number;
  failures: number;
  drives: number;
  boundaries: number;
  ends: Record<string, number>;
};

export type Found = {
  readonly seed: number;
  readonly path: string;
  readonly program: ProgramNode;
  readonly faults: Faults;
  readonly violations: readonly string[];
};

export type SearchResult = { readonly totals: Totals; readonly found: Found | undefined };

/** What a broken rule is thrown as, so that fast-check takes the case apart. */
class Broken extends Error {
  readonly violations: readonly string[];

  constructor(violations: readonly string[]) {
    super(violations.join("\n"));
    this.violations = violations;
  }
}

export async function search(options: SearchOptions): Promise<SearchResult> {
  const totals = noTotals();
  const property = fc.asyncProperty(
    options.bug?.programs ?? programs,
    faults,
    async (program, plan) => {
      const { store, bug } = options;
      await runCase({ program, faults: plan, store, bug }, totals);
    },
  );
  const details = await fc.check(property, {
    seed: options.seed,
    numRuns: options.programs,
    endOnFailure: !options.shrink,
  });
  return { totals, found: foundIn(details) };
}

/**
 * Tries, for each of `count` small programs, a crash before and after each of its boundaries; with `pairs`, for tiny ones,
 * each two crashes one after the other.
 */
export async function searchEveryCrash(options: {
  readonly count: number;
  readonly seed: number;
  readonly store: StoreKind;
  readonly pairs?: boolean;
}): Promise<SearchResult> {
  const { count, seed, store, pairs = false } = options;
  const totals = noTotals();
  const property = fc.asyncProperty(pairs ? tinyPrograms : smallPrograms, async (program) => {
    const boundariesWith = async (crashes: readonly Fault[]): Promise<number> => {
      const plan = { ...NO_FAULTS, boundaries: crashes };
      return (await runCase({ program, faults: plan, store }, totals)).boundaries;
    };
    const crossed = await boundariesWith([]);
    for (let gap = 0; gap < crossed; gap++) {
      const before = crashAt("crashBefore", gap);
      const crossedAgain = await boundariesWith([before]);
      await boundariesWith([crashAt("crashAfter", gap)]);
      const seconds = pairs ? crossedAgain - gap : 0;
      for (let second = 0; second < seconds; second++)
        await boundariesWith([before, crashAt("crashBefore", second)]);
    }
  });
  const details = await fc.check(property, { seed, numRuns: count });
  return { totals, found: foundIn(details) };
}

function crashAt(kind: FaultKind, gap: number): Fault {
  return { gap, kind, times: 1, where: "anywhere" };
}

function noTotals(): Totals {
  return { programs: 0, runs: 0, crashes: 0, failures: 0, drives: 0, boundaries: 0, ends: {} };
}

async function runCase(
  scenario: Parameters<typeof simulate>[0],
  totals: Totals,
): Promise<{ boundaries: number }> {
  const { violations, runs, crashes, failures, drives, boundaries, end } = await simulate(scenario);
  totals.programs++;
  totals.runs += runs;
  totals.crashes += crashes;
  totals.failures += failures;
  totals.drives += drives;
  totals.boundaries += boundaries;
  totals.ends[end] = (totals.ends[end] ?? 0) + 1;
  if (violations.length > 0)
    throw new Broken([...violations, `faults: ${JSON.stringify(scenario.faults)}`]);
  return { boundaries };
}

function foundIn(
  details: fc.RunDetails<[ProgramNode, Faults]> | fc.RunDetails<[ProgramNode]>,
): Found | undefined {
  if (!details.failed || details.counterexample === null) return undefined;
  const [program, plan] = details.counterexample;
  const { errorInstance: error } = details;
  const violations =
    error instanceof Broken
      ? error.violations
      : [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  return {
    seed: details.seed,
    path: details.counterexamplePath ?? "",
    program,
    faults: plan ?? NO_FAULTS,
    violations,
  };
}
