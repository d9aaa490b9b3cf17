// Accepted differences: data that a comparer applies and a documentation page shows.
import type { PartFailure } from "../part.ts";

export type Verdict =
  /** Upstream's behaviour is a fault that nobody depends on. */
  | "upstream's defect"
  /** Both behaviours are sound; ours was chosen. */
  | "decision"
  /** Ours does more for the user. */
  | "ours is better"
  /** An official kit or client asks for more than its specification. */
  | "the kit's defect";

export type AcceptedDifference<Difference> = {
  /** Stable and unique in its part. */
  readonly id: string;
  /** Upstream's behaviour, one sentence. */
  readonly upstream: string;
  /** Behaviour of this project, one sentence. */
  readonly ours: string;
  readonly verdict: Verdict;
  /** Page of `docs/` that tells a user, with an anchor where there is one. */
  readonly page: string;
  /** True when this row explains the difference. */
  readonly matches: (difference: Difference) => boolean;
};

export type Explained = {
  readonly passed: number;
  readonly differences: Readonly<Record<string, number>>;
  readonly failures: readonly PartFailure[];
};

export type Compared<Difference> = {
  readonly id: string;
  /** Everything in which the two outcomes differ; empty for equal ones. */
  readonly differences: readonly Difference[];
};

/**
 * Sorts programs into equal ones, explained ones and failures. A program is explained when every one of its
 * differences has a row; it counts once for each row that it needs.
 */
export function explain<Difference>(
  programs: readonly Compared<Difference>[],
  rows: readonly AcceptedDifference<Difference>[],
  describe: (difference: Difference) => string,
): Explained {
  let passed = 0;
  const differences: Record<string, number> = {};
  const failures: PartFailure[] = [];
  for (const program of programs) {
    const found = program.differences.map((difference) => ({
      difference,
      row: rows.find((row) => row.matches(difference)),
    }));
    const open = found.filter(({ row }) => row === undefined);
    if (found.length === 0) passed++;
    else if (open.length === 0)
      for (const id of new Set(found.map(({ row }) => row?.id ?? "")))
        differences[id] = (differences[id] ?? 0) + 1;
    else
      failures.push({
        id: program.id,
        message: open.map(({ difference }) => describe(difference)).join("\n"),
      });
  }
  return { passed, differences, failures };
}

/** The rows as a table of Markdown. */
export function tableOf(rows: readonly AcceptedDifference<never>[]): string {
  return [
    "| Id | Upstream | Edgecrew | Why | Page |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(({ id, upstream, ours, verdict, page }) => {
      const name = page.replace(/#.*/, "");
      return `| ${id} | ${cell(upstream)} | ${cell(ours)} | ${verdict} | [${name}](${page}) |`;
    }),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
