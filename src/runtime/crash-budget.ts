// Crash budget: limits the interrupted drives of a run, and sets the time of its next drive.
//
//   CB1. A drive cut off by a crash counts 1; a drive cut off by a deploy counts a quarter, because the run did not
//        cause it. At `MAX_CRASHES` without progress the run ends as `failed`.
//   CB2. The first drive after a crash begins immediately. After the second crash in a row the run waits longer each
//        time, for a duration of its own: other runs in an isolate crashed by it progress between its crashes.
import { sha256Hex } from "../base/sha256.ts";
import type { JournalLimits } from "../journal/step-spec.ts";
import type { RunRecord } from "./run.ts";

/** Maximum drives in a row cut off by a crash without progress. */
export const MAX_CRASHES = 5;

/** Weight of a drive cut off by a deploy. */
const CUT_BY_DEPLOY = 0.25;

/** Limits of a run. */
export type RunLimits = JournalLimits & {
  /**
   * Rest of a run after its second crash in a row, in milliseconds, plus or minus half. Each further rest is five times
   * as long. @default 4000
   */
  readonly crashRestMs: number;
};

const CRASH_REST_MS = 4_000;

/** Weight of the last drive if it was cut off. */
export function cutWeight({ deployment }: RunRecord, now: string | undefined): number {
  return deployment === now ? 1 : CUT_BY_DEPLOY;
}

/** Rest of the run before its next drive, in milliseconds. */
export function restAfterCrash(
  { id, crashes }: Pick<RunRecord, "id" | "crashes">,
  { crashRestMs = CRASH_REST_MS }: Partial<RunLimits> = {},
): number {
  const rests = Math.floor(crashes) - 2;
  if (rests < 0) return 0;
  return Math.round(crashRestMs * 5 ** rests * (0.5 + fractionOf(`${id}/${rests}`)));
}

/** Returns a number from 0 to 1 computed from the text alone. */
function fractionOf(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}
