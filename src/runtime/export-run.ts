// A run as one document: for download by people, replay in tests, and the console.
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../base/json.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { allRows } from "../journal/replay-plan.ts";
import type { RunStore } from "./run-store.ts";
import type { Run, RunStart } from "./run.ts";

/** Format version. Increases when a reader of the older format would misread the new one. */
export const RUN_FORMAT = "edgecrew.run/1";

const EVENTS_PAGE = 1000;

/** A row of the journal with its texts read; times are milliseconds since the epoch. */
export type ExportedStep = Omit<StepRecord, "value" | "request"> & {
  /** Absent without a result: an action without a return value, or an unfinished step. */
  readonly value?: JsonValue;
  readonly request?: JsonValue;
};

/** A run with its journal and events as one document, for `replayRun`. */
export type ExportedRun = {
  readonly format: typeof RUN_FORMAT;
  readonly exportedAt: string;
  readonly run: Run;
  /** Start of the run, without the targets of its webhooks. */
  readonly start: Omit<RunStart, "webhooks">;
  /** Steps in the order of their starts. */
  readonly steps: readonly ExportedStep[];
  readonly events: readonly RunEvent[];
  /** The results of steps were left out: it cannot be replayed. */
  readonly withoutValues?: true;
  /** Texts were replaced by their lengths: only which steps there are can be compared. */
  readonly redacted?: true;
};

export function exportRun(
  store: RunStore,
  {
    run,
    start,
    atMs,
    values = true,
  }: {
    readonly run: Run;
    readonly start: RunStart;
    readonly atMs: number;
    readonly values?: boolean;
  },
): ExportedRun {
  const { webhooks: _, ...shown } = start;
  return {
    format: RUN_FORMAT,
    exportedAt: isoTime(atMs),
    run,
    start: shown,
    steps: [...allRows(store.journal)].flatMap(({ key }) => {
      const row = store.journal.get(key);
      if (row === undefined) return [];
      return [exportedStep(values ? row : { ...row, value: null })];
    }),
    events: [...allEvents(store)],
    ...(values ? undefined : { withoutValues: true }),
  };
}

/** Returns the rows of an export. Throws `invalid_input` for anything but an export of this format. */
export function rowsOfExport(exported: ExportedRun): readonly StepRecord[] {
  const { format, steps } = (isJsonObject(exported) ? exported : {}) as Partial<ExportedRun>;
  if (format !== RUN_FORMAT || !Array.isArray(steps))
    throw new EngineError(
      "invalid_input",
      `expected an exported run of the format ${RUN_FORMAT}, got ${preview(format)}`,
    );
  return exported.steps.map(({ value, request, ...row }) => ({
    ...row,
    value: value === undefined ? null : JSON.stringify(value),
    request: request === undefined ? null : JSON.stringify(request),
  }));
}

function exportedStep({ value, request, ...row }: StepRecord): ExportedStep {
  return {
    ...row,
    ...(value === null ? undefined : { value: JSON.parse(value) as JsonValue }),
    ...(request === null ? undefined : { request: JSON.parse(request) as JsonValue }),
  };
}

function* allEvents({ events }: RunStore): Generator<RunEvent> {
  for (let seq = 0; ;) {
    const page = events.read(seq, EVENTS_PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < EVENTS_PAGE) return;
    seq = last.seq;
  }
}
