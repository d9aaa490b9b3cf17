// Search: draws programs and faults until one breaks a rule, and makes that one small.
import * as fc from "fast-check";
import { faults, NO_FAULTS, type FaultKind, type Faults } from "./faults.ts";
import type { ProgramNode } from "./program.ts";
import { programs, smallPrograms } from "./programs.ts";
import { simulate } from "./simulate.ts";
import type { StoreKind } from "./stores.ts";

export type SearchOptions = {
  readonly programs: number;
  readonly seed: number;
  readonly store: StoreKind;
  /** False stops at the first failure as it was drawn. */
  readonly shrink: boolean;
};

export type Totals = {
  programs: number;
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
  const totals: Totals = {
    programs: 0,
    crashes: 0,
    failures: 0,
    drives: 0,
    boundaries: 0,
    ends: {},
  };
  const property = fc.asyncProperty(programs, faults, async (program, plan) => {
    await runCase({ program, faults: plan, store: options.store }, totals);
  });
  const details = await fc.check(property, {
    seed: options.seed,
    numRuns: options.programs,
    endOnFailure: !options.shrink,
  });
  return { totals, found: foundIn(details) };
}

/** Tries, for each of `count` small programs, a crash before and after each of its boundaries. */
export async function searchEveryCrash(options: {
  readonly count: number;
  readonly seed: number;
  readonly store: StoreKind;
}): Promise<SearchResult> {
  const totals: Totals = {
    programs: 0,
    crashes: 0,
    failures: 0,
    drives: 0,
    boundaries: 0,
    ends: {},
  };
  const property = fc.asyncProperty(smallPrograms, async (program) => {
    const { boundaries } = await runCase(
      { program, faults: NO_FAULTS, store: options.store },
      totals,
    );
    for (let gap = 0; gap < boundaries; gap++) {
      for (const kind of ["crashBefore", "crashAfter"] as const satisfies readonly FaultKind[]) {
        const plan: Faults = {
          ...NO_FAULTS,
          boundaries: [{ gap, kind, times: 1, where: "anywhere" }],
        };
        await runCase({ program, faults: plan, store: options.store }, totals);
      }
    }
  });
  const details = await fc.check(property, { seed: options.seed, numRuns: options.count });
  return { totals, found: foundIn(details) };
}

async function runCase(
  scenario: Parameters<typeof simulate>[0],
  totals: Totals,
): Promise<{ boundaries: number }> {
  const { violations, crashes, failures, drives, boundaries, end } = await simulate(scenario);
  totals.programs++;
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
