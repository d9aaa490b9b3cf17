// A run as one document, in pages: long parts are never in memory whole.
import { isoTime } from "../base/clock.ts";
import { allRows } from "../journal/replay-plan.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { RUN_FORMAT, type ExportedRun } from "./export-run.ts";
import type { RunStore } from "./run-store.ts";
import type { Run, RunStart } from "./run.ts";

/** Beginning of a page: after this step, or, after all steps, after this event. */
export type ExportPlace = { readonly afterStep: number } | { readonly afterEvent: number };

/** Query for a page, and options for its steps. */
export type ExportQuery = {
  /** @default the first page */
  readonly place?: ExportPlace | undefined;
  /** False leaves the results of steps out. @default true */
  readonly values?: boolean | undefined;
};

/** Fields of an export before its steps. */
export type ExportHead = Omit<ExportedRun, "steps" | "events" | "redacted">;

export type ExportPage = {
  /** Fields before the steps, on the first page. */
  readonly head?: ExportHead;
  /** JSON texts of `ExportedStep`s. */
  readonly steps: readonly string[];
  /** JSON texts of events. */
  readonly events: readonly string[];
  readonly next?: ExportPlace;
};

/** Length of one page, in UTF-16 units; a page of one row may be longer. */
const PAGE_LENGTH = 2 * 1024 * 1024;
const EVENTS_PAGE = 1000;

/** Returns a page of the same document as `exportRun`. */
export function exportPage(
  store: RunStore,
  { place, values = true }: ExportQuery,
  head: () => { readonly run: Run; readonly start: RunStart; readonly atMs: number },
): ExportPage {
  if (place === undefined) {
    const { run, start, atMs } = head();
    const { webhooks: _, ...shown } = start;
    return {
      head: {
        format: RUN_FORMAT,
        exportedAt: isoTime(atMs),
        run,
        start: shown,
        ...(values ? undefined : { withoutValues: true }),
      },
      ...stepsPage(store, { afterStep: 0, values }),
    };
  }
  return "afterStep" in place
    ? stepsPage(store, { ...place, values })
    : eventsPage(store, place.afterEvent);
}

function stepsPage(
  { journal }: RunStore,
  { afterStep, values }: { readonly afterStep: number; readonly values: boolean },
): ExportPage {
  const steps: string[] = [];
  let length = 0;
  for (const { key, startedSeq } of allRows(journal, afterStep)) {
    const row = journal.get(key);
    if (row === undefined) continue;
    const text = stepText(values ? row : { ...row, value: null });
    length += text.length;
    if (length > PAGE_LENGTH && steps.length > 0)
      return { steps, events: [], next: { afterStep: startedSeq - 1 } };
    steps.push(text);
  }
  return { steps, events: [], next: { afterEvent: 0 } };
}

/** The row as an `ExportedStep`. Its result and request are JSON texts already. */
function stepText({ value, request, ...row }: StepRecord): string {
  const fields = [
    JSON.stringify(row).slice(0, -1),
    ...(value === null ? [] : [`"value":${value}`]),
    ...(request === null ? [] : [`"request":${request}`]),
  ];
  return `${fields.join(",")}}`;
}

function eventsPage({ events }: RunStore, afterEvent: number): ExportPage {
  const page = events.read(afterEvent, EVENTS_PAGE, PAGE_LENGTH);
  const last = page.at(-1);
  return {
    steps: [],
    events: page.map((event) => JSON.stringify(event)),
    ...(last === undefined || last.seq >= events.lastSeq()
      ? undefined
      : { next: { afterEvent: last.seq } }),
  };
}
