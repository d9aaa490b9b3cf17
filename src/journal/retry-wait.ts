import { isoTime } from "../base/clock.ts";
import { cut } from "../base/cut.ts";
import type { ErrorRecord } from "../base/error.ts";
import type { Outage } from "../base/retry.ts";
import type { StepRecord, StepSummary, WaitRequest } from "./journal-store.ts";

/** Maximum characters of a failure shown to readers of a waiting run. */
const MAX_REASON = 500;

/** True if the row is a step waiting for its next attempt, and not a wait requested by code. */
export function isRetryWait(row: Omit<StepSummary, "bytes">): boolean {
  return row.kind !== "wait" && row.state === "waiting" && row.error !== null && row.wait !== null;
}

/**
 * Builds the wait on the row of a step before its next attempt: the server, the start of the outage, the reason and the
 * due time.
 */
export function waitForTry(
  row: StepRecord,
  next: {
    /** Current outage of the server. Undefined if the step's retry policy counts the attempts. */
    readonly outage: Outage | undefined;
    readonly error: Pick<ErrorRecord, "message">;
    readonly dueAtMs: number;
  },
): WaitRequest {
  const { error, dueAtMs, outage } = next;
  const whom = row.label ?? "a server";
  const since = outage === undefined ? "" : ` since ${isoTime(outage.sinceMs)}`;
  const prompt = `waiting for ${whom}${since}: ${cut(error.message, MAX_REASON)}`;
  return { kind: "timer", prompt, dueAtMs, ...(outage ?? outageOf(row)) };
}

/** Returns the outage recorded on the row of a step. */
export function outageOf({ kind, wait }: StepRecord): Outage | undefined {
  if (kind === "wait" || wait?.sinceMs === undefined || wait.tries === undefined) return undefined;
  return { sinceMs: wait.sinceMs, tries: wait.tries };
}
