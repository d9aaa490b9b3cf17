import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Duration of an answer of the offline model while a person watches, in milliseconds. */
const PACE_MS = 1_500;

/**
 * Returns options of `wrangler dev` that slow the offline model down, so that a person can see its text arrive and kill
 * a run in progress. Empty if the options or the project's `.dev.vars` set another pace.
 */
export function demoPace(folder: string, rest: readonly string[]): readonly string[] {
  const ownFile = join(folder, ".dev.vars");
  const own = existsSync(ownFile) ? readFileSync(ownFile, "utf8") : "";
  const isSaid = [own, ...rest].some((text) => text.includes("DEMO_DELAY_MS"));
  return isSaid ? [] : ["--var", `DEMO_DELAY_MS:${PACE_MS}`];
}
