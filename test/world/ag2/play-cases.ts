// Plays single cases on both sides and prints what differs: `node test/world/ag2/play-cases.ts <id or file of cases>…`
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { folderOf } from "../needs/cache.ts";
import { ag2 } from "../needs/environments.ts";
import { readJsonLines } from "../support/json-lines.ts";
import { ACCEPTED_CONVERSATIONS } from "./accepted.ts";
import { describeDifference } from "./compare-outcomes.ts";
import type { ConversationCase } from "./conversation-case.ts";
import { caseNamed } from "./generate.ts";
import { playOnBoth } from "./play-on-both.ts";

const cache = fileURLToPath(
  new URL("../../../node_modules/.cache/edgecrew/world", import.meta.url),
);
mkdirSync(cache, { recursive: true });
const scratch = mkdtempSync(`${cache}/cases-`);
const cases = process.argv
  .slice(2)
  .flatMap((each) => (existsSync(each) ? readJsonLines<ConversationCase>(each) : caseNamed(each)));
const cleaners: (() => void | Promise<void>)[] = [];
const compared = await playOnBoth(cases, {
  folders: { ag2: folderOf(ag2) },
  scratch,
  signal: new AbortController().signal,
  say: () => undefined,
  atEnd: (clean) => void cleaners.push(clean),
});
for (const clean of cleaners) await clean();
for (const { id, differences } of compared) {
  console.log(id, differences.length === 0 ? "is equal" : "");
  for (const difference of differences) {
    const row = ACCEPTED_CONVERSATIONS.find(({ matches }) => matches(difference));
    console.log(`  ${row?.id ?? "OPEN"} ${describeDifference(difference)}`);
  }
}
console.log(`cases and outcomes: ${scratch}`);
const errors = readFileSync(`${scratch}/theirs-0.jsonl.err`, "utf8");
if (/Traceback/.test(errors)) console.log(errors.slice(-2_000));
process.exit(0); // clients leave timers behind
