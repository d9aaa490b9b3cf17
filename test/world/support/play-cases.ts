// Plays single cases on both sides and prints what differs: the programs `play-cases.ts` of the parts.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { folderOf } from "../needs/cache.ts";
import type { Need } from "../needs/need.ts";
import type { PartContext } from "../part.ts";
import type { AcceptedDifference, Compared } from "./accepted.ts";
import { readJsonLines } from "./json-lines.ts";

type PlayContext = Pick<PartContext, "folders" | "scratch" | "signal" | "say" | "atEnd">;

export type CasePlay<Case, Difference> = {
  readonly need: Need;
  /** Cases of a name on the command line. */
  readonly named: (name: string) => readonly Case[];
  readonly play: (
    cases: readonly Case[],
    context: PlayContext,
  ) => Promise<readonly Compared<Difference>[]>;
  readonly rows: readonly AcceptedDifference<Difference>[];
  readonly describe: (difference: Difference) => string;
};

/** Plays the cases that the command line names, or the files that it names have, and ends the process. */
export async function playCases<Case, Difference>({
  need,
  named,
  play,
  rows,
  describe,
}: CasePlay<Case, Difference>): Promise<void> {
  const cache = fileURLToPath(
    new URL("../../../node_modules/.cache/edgecrew/world", import.meta.url),
  );
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(`${cache}/cases-`);
  const cleaners: (() => void | Promise<void>)[] = [];
  const cases = process.argv
    .slice(2)
    .flatMap((each) => (existsSync(each) ? readJsonLines<Case>(each) : named(each)));
  const compared = await play(cases, {
    folders: { [need.name]: folderOf(need) },
    scratch,
    signal: new AbortController().signal,
    say: () => undefined,
    atEnd: (clean) => void cleaners.push(clean),
  });
  await Promise.all(cleaners.map(async (clean) => clean()));
  for (const { id, differences } of compared) {
    console.log(id, differences.length === 0 ? "is equal" : "");
    for (const difference of differences) {
      const row = rows.find(({ matches }) => matches(difference));
      console.log(`  ${row?.id ?? "OPEN"} ${describe(difference)}`);
    }
  }
  console.log(`cases and outcomes: ${scratch}`);
  for (const file of readdirSync(scratch).filter((each) => each.endsWith(".err"))) {
    const errors = readFileSync(`${scratch}/${file}`, "utf8");
    if (/Traceback/.test(errors)) console.log(errors.slice(-2_000));
  }
  process.exit(0); // clients leave timers behind
}
