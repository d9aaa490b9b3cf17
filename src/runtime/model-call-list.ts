// The model calls of a run, page by page.
import { isoTime } from "../base/clock.ts";
import type { ErrorRecord } from "../base/error.ts";
import type { Usage } from "../base/usage.ts";
import type { JournalStore, StepState, StepSummary } from "../journal/journal-store.ts";
import { journalPlaceOf } from "./journal-page.ts";
import { pageOf, type Page } from "./page.ts";

/** A model call of a run, without its messages. */
export type ModelCallSummary = {
  readonly key: string;
  /** The answering model, by its name in code: `openai/gpt-5-mini`. */
  readonly model: string;
  /** Role of the calling agent. */
  readonly agent?: string;
  readonly task?: string;
  /** Purpose of the answer: `turn`, `plan`, `guardrail`, … `other` also for calls of earlier versions. */
  readonly purpose: string;
  readonly state: StepState;
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  /** Time from the beginning of the last attempt to the first piece of a streamed answer. */
  readonly firstTokenMs?: number;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: ErrorRecord;
};

/** Query for model calls. */
export type ModelCallQuery = {
  /** `desc` puts the last call first. @default "asc" */
  readonly order?: "asc" | "desc" | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** Only calls below this key. */
  readonly under?: string | undefined;
};

export function modelCallPage(
  journal: JournalStore,
  { order = "asc", cursor, limit, under }: ModelCallQuery,
): Page<ModelCallSummary> {
  const rows = journal.page({
    order,
    limit: limit + 1,
    kinds: ["model"],
    ...(cursor === undefined ? undefined : { after: journalPlaceOf(cursor) }),
    ...(under === undefined ? undefined : { under }),
  });
  return pageOf(rows, limit, {
    item: modelCallSummary,
    cursor: ({ startedSeq }) => String(startedSeq),
  });
}

export function modelCallSummary(row: Omit<StepSummary, "bytes">): ModelCallSummary {
  const { key, label, state, attempt, startedAtMs, endedAtMs, usage, error, call } = row;
  const {
    model = label ?? "",
    agent,
    task,
    purpose = "other",
    firstTokenMs,
    finishReason,
  } = call ?? {};
  return {
    key,
    model,
    ...(agent === undefined ? undefined : { agent }),
    ...(task === undefined ? undefined : { task }),
    purpose,
    state,
    attempt,
    startedAt: isoTime(startedAtMs),
    ...(endedAtMs === null
      ? undefined
      : { endedAt: isoTime(endedAtMs), durationMs: endedAtMs - startedAtMs }),
    ...(firstTokenMs === undefined ? undefined : { firstTokenMs }),
    ...(finishReason === undefined ? undefined : { finishReason }),
    ...(usage === null ? undefined : { usage }),
    ...(error === null ? undefined : { error }),
  };
}
