// Crash budget: how often the drives of a run may be cut off, and when it comes back.
//
//   CB1. A drive that a crash cut off counts 1; one that a deploy cut off counts a quarter, as it is no fault of the run's. At
//        `MAX_CRASHES` without progress the run ends as `failed`.
//   CB2. The first drive after a crash begins at once. After the second in a row the run comes back later each time, and at a
//        moment of its own: runs that share an isolate with the one that crashes it get on between its crashes.
import { sha256Hex } from "../base/sha256.ts";
import type { JournalLimits } from "../journal/step-spec.ts";
import type { RunRecord } from "./run.ts";

/** Drives in a row that may be cut off by a crash without progress. */
export const MAX_CRASHES = 5;

/** What a drive that a deploy cut off counts for. */
const CUT_BY_DEPLOY = 0.25;

/** Limits of a run. */
export type RunLimits = JournalLimits & {
  /**
   * How long a run rests after its second crash in a row, in milliseconds, give or take a half. Each further rest is five times
   * as long. @default 4000
   */
  readonly crashRestMs: number;
};

const CRASH_REST_MS = 4_000;

/** What the last drive counts for if it was cut off. */
export function cutWeight({ deployment }: RunRecord, now: string | undefined): number {
  return deployment === now ? 1 : CUT_BY_DEPLOY;
}

/** How long the run rests before its next drive, in milliseconds. */
export function restAfterCrash(
  { id, crashes }: Pick<RunRecord, "id" | "crashes">,
  { crashRestMs = CRASH_REST_MS }: Partial<RunLimits> = {},
): number {
  const rests = Math.floor(crashes) - 2;
  if (rests < 0) return 0;
  return Math.round(crashRestMs * 5 ** rests * (0.5 + fractionOf(`${id}/${rests}`)));
}

/** A number from 0 to 1 that only depends on the text. */
function fractionOf(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}
