// The engine against random programs and random faults (test/simulation). `npm run sim` runs longer, with any seed.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { PLANTED_BUGS } from "../../simulation/planted-bugs.ts";
import { search, searchEveryCrash, type SearchResult } from "../../simulation/search.ts";
import { SEEDS } from "../../simulation/seeds.ts";
import { simulate } from "../../simulation/simulate.ts";

const SEED = 20_261_124;
const LONG_MS = 300_000; // it takes 20 s, and longer on a busy machine
const BUG_SEARCH = { programs: 500, seed: SEED, store: "memory", shrink: false } as const;

it("keeps every rule in 3,000 random programs in memory", { timeout: LONG_MS }, async () => {
  const result = await search({ programs: 3_000, seed: SEED, store: "memory", shrink: true });
  expect(brokenRules(result)).toEqual([]);
  expect(result.totals.crashes).toBeGreaterThan(2_000);
  expect(result.totals.runs).toBeGreaterThan(4_000);
});

it("keeps every rule in 300 random programs in SQLite", { timeout: LONG_MS }, async () => {
  const result = await search({ programs: 300, seed: SEED + 1, store: "sqlite", shrink: true });
  expect(brokenRules(result)).toEqual([]);
});

it(
  "survives a crash at every single boundary of 100 small programs",
  { timeout: LONG_MS },
  async () => {
    const result = await searchEveryCrash({ count: 100, seed: SEED + 2, store: "memory" });
    expect(brokenRules(result)).toEqual([]);
  },
);

it(
  "survives crashes at every two boundaries of 2 tiny programs",
  { timeout: LONG_MS },
  async () => {
    const options = { count: 2, seed: SEED + 3, store: "memory", pairs: true } as const;
    expect(brokenRules(await searchEveryCrash(options))).toEqual([]);
  },
);

it.each(SEEDS)("does not break again: $about", async ({ program, faults, store }) => {
  const { violations } = await simulate({ program, faults, store });
  expect(violations).toEqual([]);
});

it.each(PLANTED_BUGS)(
  "notices the planted bug $name within 500 programs",
  { timeout: LONG_MS },
  async (bug) => {
    const { found } = await search({ ...BUG_SEARCH, bug });
    expect(found?.violations ?? []).not.toEqual([]);
  },
);

it("lists each planted bug under its broken rules", async () => {
  const page = new URL("../../simulation/README.md", import.meta.url);
  const rows = (await readFile(page, "utf8")).matchAll(/^\| ([A-Z]+\d+) \| (`.+`) \|$/gm);
  const listed = Array.from(rows, ([, rule, names = ""]) =>
    Array.from(names.matchAll(/`(.+?)`/g), ([, name]) => `${rule} ${name}`),
  ).flat();
  const planted = PLANTED_BUGS.flatMap(({ name, rules }) => rules.map((rule) => `${rule} ${name}`));
  expect(listed.toSorted()).toEqual(planted.toSorted());
});

/** What was wrong, and how to run the case alone. */
function brokenRules({ found }: SearchResult): readonly string[] {
  if (found === undefined) return [];
  const { violations, program, faults, seed, path } = found;
  return [...violations, `seed ${seed}, path ${path}`, JSON.stringify({ program, faults })];
}
