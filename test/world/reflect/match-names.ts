// Each upstream name is matched by a name of ours that exists, or decided by a row; anything else is open.
//
//   RFL1. A row that says a name of ours which does not exist is a fault, and so is a row that no upstream name needs.
import { idOf, type UpstreamName } from "./upstream-name.ts";
import type { Decided, Rows } from "./rows.ts";

export type Matching = {
  readonly matched: readonly { readonly upstream: string; readonly ours: readonly string[] }[];
  readonly decided: readonly { readonly upstream: string; readonly row: Decided }[];
  /** Upstream names with neither. */
  readonly open: readonly string[];
  /** Rows that are wrong, each with the reason. */
  readonly faults: readonly string[];
};

export type MatchOptions = {
  readonly rows: Rows;
  /** Names of ours that an upstream name may have without a row. */
  readonly guess: (name: UpstreamName) => readonly string[];
  /** The names among ours that exist. */
  readonly existing: (ours: readonly string[]) => Promise<ReadonlySet<string>>;
};

export async function matchNames(
  names: readonly UpstreamName[],
  { rows, guess, existing }: MatchOptions,
): Promise<Matching> {
  const byId = new Map(names.map((name) => [idOf(name), name]));
  const renamed = new Map(rows.renamed.map(({ upstream, ours }) => [upstream, ours]));
  const guesses = new Map([...byId].map(([id, name]) => [id, guess(name)]));
  const there = await existing([...guesses.values(), ...renamed.values()].flat());
  const patterns = rows.decided.flatMap((row) =>
    row.names.map((name) => ({ row, name, test: patternOf(name), uses: 0 })),
  );
  const matched: { upstream: string; ours: readonly string[] }[] = [];
  const decided: { upstream: string; row: Decided }[] = [];
  const open: string[] = [];
  for (const upstream of byId.keys()) {
    const own = renamed.get(upstream) ?? guesses.get(upstream)?.filter((each) => there.has(each));
    if (own !== undefined && own.length > 0) {
      matched.push({ upstream, ours: own });
      continue;
    }
    const found = patterns.filter(({ test }) => test.test(upstream));
    for (const each of found) each.uses += 1;
    const [first] = found;
    if (first === undefined) open.push(upstream);
    else decided.push({ upstream, row: first.row });
  }
  const faults = [
    ...rows.renamed.flatMap(({ upstream, ours }) => [
      ...(byId.has(upstream) ? [] : [`${upstream} is not upstream any more`]),
      ...ours.filter((each) => !there.has(each)).map((each) => `${upstream}: there is no ${each}`),
    ]),
    ...patterns.filter(({ uses }) => uses === 0).map(({ name }) => `no name needs the row ${name}`),
  ];
  return { matched, decided, open, faults };
}

function patternOf(name: string): RegExp {
  const parts = name
    .split("*")
    .map((part) => part.replaceAll(/[.()$/[\]+?^{}|\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`);
}
