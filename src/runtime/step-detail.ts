// One step of a run with all its details.
import { EngineError, type ErrorRecord } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { parsedView } from "../base/recorded.ts";
import type { StepSummary } from "../journal/journal-store.ts";
import { eventRange, eventsAt } from "./event-places.ts";
import type { RunStore } from "./run-store.ts";
import type { Step } from "./run.ts";
import { stepView, type StepExtras } from "./run-view.ts";

/** An attempt of a step without a result. */
export type StepRetry = {
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Absent for an attempt cut off by a crash. */
  readonly error?: ErrorRecord;
};

/** One step of a run with all its details. */
export type StepDetail = Step & {
  /** A piece of the result as JSON text, in place of `value`. */
  readonly piece?: { readonly from: number; readonly text: string };
  readonly retries: readonly StepRetry[];
  /** The first and the last `seq` of the events at this step and below it. */
  readonly events?: { readonly first: number; readonly last: number };
};

/** Requested piece of a step's result, in UTF-16 units of its JSON text. @default all of it */
export type StepPiece = {
  readonly from?: number | undefined;
  readonly length?: number | undefined;
};

/** Throws `not_found` for a key missing in the run. */
export function stepDetail(
  store: RunStore,
  { key, runId, from, length }: StepPiece & { readonly key: string; readonly runId: string },
  { nowMs, extras }: { readonly nowMs: number; readonly extras: (row: StepSummary) => StepExtras },
): StepDetail {
  const { journal, events } = store;
  const found = journal.get(key);
  if (found === undefined)
    throw new EngineError("not_found", `run ${runId} has no step ${preview(key)}`);
  const { value, request, ...rest } = found;
  const row: StepSummary = { ...rest, bytes: value?.length ?? 0 };
  const isPiece = from !== undefined || length !== undefined;
  const start = from ?? 0;
  const end = start + (length ?? row.bytes);
  const span = { fromMs: row.startedAtMs, toMs: row.endedAtMs ?? nowMs };
  const range = eventRange(events, key, span);
  return {
    ...stepView(row, {
      ...extras(row),
      ...(isPiece || value === null ? undefined : { value: parsedView(value) }),
      ...(isPiece || request === null ? undefined : { request: parsedView(request) }),
    }),
    ...(isPiece ? { piece: { from: start, text: (value ?? "").slice(start, end) } } : undefined),
    retries: row.attempt === 1 ? [] : retriesOf(store, key, span),
    ...(range === undefined ? undefined : { events: range }),
  };
}

/** Returns the attempts of a step that failed or were cut off, according to the events. */
export function retriesOf(
  { events }: Pick<RunStore, "events">,
  key: string,
  span: { readonly fromMs: number; readonly toMs: number },
): readonly StepRetry[] {
  return [...eventsAt(events, key, span)].flatMap((event): StepRetry[] => {
    if (event.type === "step_retrying")
      return [{ attempt: event.attempt, at: event.at, error: event.error }];
    return event.type === "step_restarted" ? [{ attempt: event.attempt - 1, at: event.at }] : [];
  });
}
