// Cases of an experiment: their ids, and the comparison of two experiments.
import { EngineError } from "../base/error.ts";
import { fingerprint } from "../base/hash.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";

/** Fields of a case that a comparison uses. */
type JudgedCase = { readonly id: string; readonly score: number | null; readonly passed: boolean };

/** The parts of an experiment used in a comparison. */
type JudgedCases = { readonly cases: readonly JudgedCase[] };

/** Returns the cases with their ids. Throws `invalid_input` for invalid inputs, and for two cases with the same id. */
export function identified<Case extends { readonly id?: string; readonly inputs: JsonObject }>(
  cases: readonly Case[],
): readonly (Case & { readonly id: string })[] {
  const seen = new Map<string, number>();
  return cases.map((each, index) => {
    if (!isJsonObject(each.inputs))
      throw new EngineError(
        "invalid_input",
        `cases/${index}/inputs must be an object, got ${preview(each.inputs)}`,
      );
    const id = each.id ?? fingerprint(canonical(each.inputs));
    const earlier = seen.get(id);
    if (earlier !== undefined)
      throw new EngineError(
        "invalid_input",
        `cases/${index} is the same as cases/${earlier} (${preview(id)}): give one of them an id of its own`,
      );
    seen.set(id, index);
    return { ...each, id };
  });
}

/** Returns the same text for inputs that differ only in the order of fields. */
function canonical(value: unknown): string {
  return JSON.stringify(toJson(value), (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** A case whose score differs from the baseline. */
export type CaseChange = {
  readonly id: string;
  readonly before: number | null;
  readonly after: number | null;
};

/** Each case is in exactly one of the lists. */
export type Comparison = {
  readonly improved: readonly CaseChange[];
  readonly regressed: readonly CaseChange[];
  readonly unchanged: readonly CaseChange[];
  /** Ids of cases missing from the baseline. */
  readonly added: readonly string[];
  /** Ids of cases that exist only in the baseline. */
  readonly missing: readonly string[];
};

/**
 * Compares an experiment with an earlier one. A case is better if it now passes, worse if it no longer passes.
 * Otherwise a change of its score by more than `tolerance` points decides.
 */
export function compareWithBaseline(
  result: JudgedCases,
  baseline: JudgedCases,
  { tolerance = 0 }: { readonly tolerance?: number } = {},
): Comparison {
  const before = new Map(baseline.cases.map((each) => [each.id, each]));
  const now = new Set(result.cases.map(({ id }) => id));
  const lists = { improved: [], regressed: [], unchanged: [] } as {
    [Kind in "improved" | "regressed" | "unchanged"]: CaseChange[];
  };
  const added: string[] = [];
  for (const each of result.cases) {
    const earlier = before.get(each.id);
    if (earlier === undefined) {
      added.push(each.id);
      continue;
    }
    const change = { id: each.id, before: earlier.score, after: each.score };
    lists[directionOf(each, earlier, tolerance)].push(change);
  }
  const missing = baseline.cases.map(({ id }) => id).filter((id) => !now.has(id));
  return { ...lists, added, missing };
}

function directionOf(
  now: JudgedCase,
  before: JudgedCase,
  tolerance: number,
): "improved" | "regressed" | "unchanged" {
  if (now.passed !== before.passed) return now.passed ? "improved" : "regressed";
  const change = (now.score ?? 0) - (before.score ?? 0);
  if (Math.abs(change) <= tolerance) return "unchanged";
  return change > 0 ? "improved" : "regressed";
}
