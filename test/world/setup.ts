// `npm run world:setup [-- <part>…]`: makes everything that the parts need, in the user's cache folder.
//
// Ends with 0 even when something cannot be made here: the part is absent, and says why.
// `--strict` ends with 1 then. `--slice` makes what the parts of the slice need alone.
import { cacheRoot, isMade, makeNeed } from "./needs/cache.ts";
import type { Need } from "./needs/need.ts";
import { needsOf } from "./part.ts";
import { findParts } from "./parts.ts";

const words = process.argv.slice(2);
const isStrict = words.includes("--strict");
const found = await findParts(words.filter((word) => !word.startsWith("--")));
const isSlice = words.includes("--slice");
const parts = isSlice ? found.filter(({ sliceSeconds }) => sliceSeconds !== undefined) : found;
const needs = [
  ...new Map(
    parts.flatMap((part) => needsOf(part, isSlice)).map((need) => [need.name, need]),
  ).values(),
];

console.log(`${parts.length} parts need ${needs.length} things in ${cacheRoot()}`);
for (const need of needs) console.log(`  ${lineOf(need)}`);

const absent: string[] = [];
for (const [at, need] of needs.entries()) {
  const head = `[${at + 1}/${needs.length}] ${need.name}`;
  if (isMade(need)) {
    console.log(`${head}: there`);
    continue;
  }
  console.log(`${head}: making (about ${need.seconds} s)`);
  const startedAtMs = Date.now();
  try {
    await makeNeed(need, (line) => console.log(`${head}: ${line}`));
    console.log(`${head}: made in ${Math.round((Date.now() - startedAtMs) / 1000)} s`);
  } catch (error) {
    absent.push(need.name);
    console.log(`${head}: ABSENT: ${(error as Error).message}`);
  }
}
if (absent.length > 0) console.log(`absent: ${absent.join(", ")}`);
process.exitCode = isStrict && absent.length > 0 ? 1 : 0;

function lineOf({ name, what, seconds, megabytes }: Need): string {
  return `${name}: ${what} (about ${seconds} s, ${megabytes} MB)`;
}
