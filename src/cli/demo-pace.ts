import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How long an answer of the offline model takes while somebody watches, in milliseconds. */
const PACE_MS = 1_500;

/**
 * Options of `wrangler dev` that slow the offline model down, so that its words can be seen coming and a run can be killed in
 * its midst; none where the options or the project's `.dev.vars` say a pace of their own.
 */
export function demoPace(folder: string, rest: readonly string[]): readonly string[] {
  const ownFile = join(folder, ".dev.vars");
  const own = existsSync(ownFile) ? readFileSync(ownFile, "utf8") : "";
  const isSaid = [own, ...rest].some((text) => text.includes("DEMO_DELAY_MS"));
  return isSaid ? [] : ["--var", `DEMO_DELAY_MS:${PACE_MS}`];
}
