// The engine against random programs and random faults (test/simulation). `npm run sim` runs longer, with any seed.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PLANTED_BUGS } from "../../simulation/planted-bugs.ts";
import { search, searchEveryCrash, type SearchResult } from "../../simulation/search.ts";
import { SEEDS } from "../../simulation/seeds.ts";
import { simulate } from "../../simulation/simulate.ts";

const SEED = 20_261_120;
const LONG_MS = 120_000;

it("keeps every rule in 3,000 random programs in memory", { timeout: LONG_MS }, async () => {
  const result = await search({ programs: 3_000, seed: SEED, store: "memory", shrink: true });
  expect(brokenRules(result)).toEqual([]);
  expect(result.totals.crashes).toBeGreaterThan(2_000);
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

it.each(SEEDS)("does not break again: $about", async ({ program, faults, store }) => {
  const { violations } = await simulate({ program, faults, store });
  expect(violations).toEqual([]);
});

// In a process of its own: the bugs are planted while the engine's source is loaded.
it(
  `notices each of ${PLANTED_BUGS.length} planted bugs within 2,000 programs`,
  { timeout: LONG_MS },
  async () => {
    const run = fileURLToPath(new URL("../../simulation/run.ts", import.meta.url));
    const args = [run, "--bug", "all", "--programs", "2000", "--seed", String(SEED)];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout.split("\n").filter((line) => line.startsWith("MISSED"))).toEqual([]);
    expect(stdout).toContain("every planted bug was caught");
  },
);

/** What was wrong, and how to run the case alone. */
function brokenRules({ found }: SearchResult): readonly string[] {
  if (found === undefined) return [];
  const { violations, program, faults, seed, path } = found;
  return [...violations, `seed ${seed}, path ${path}`, JSON.stringify({ program, faults })];
}
