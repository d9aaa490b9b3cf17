// Restores a run from its export as a finished record, for reading, comparing and forking.
//
//   RSR1. An existing run stays as it is, and counts as the same or as a conflict. A run is restored whole or not at
//         all.
//   RSR2. A run exported before its end is restored as cancelled, and starts nothing.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview } from "../base/json.ts";
import { toIssues } from "../base/zod-issues.ts";
import { exportRun, RUN_FORMAT, rowsOfExport, type ExportedRun } from "../runtime/export-run.ts";
import { RunReader } from "../runtime/run-reader.ts";
import type { RunStore } from "../runtime/run-store.ts";
import { isTerminal, RUN_ID_PATTERN, START_VALUES, type RunRecord } from "../runtime/run.ts";
import type { RestoreOutcome } from "./backup-views.ts";

/** A run to restore for this tenant. `digest` is the digest of its contents. */
export type RestoreRequest = {
  readonly tenant: string;
  readonly exported: ExportedRun;
  readonly digest: string;
  /** True to check without writing. */
  readonly isDry?: boolean;
};

const moment = z.iso.datetime();
const place = z.int().min(1);
const STEP_STATES = ["started", "waiting", "done", "error"] as const;

const exportedSchema = z.looseObject({
  format: z.literal(RUN_FORMAT),
  exportedAt: moment,
  run: z.looseObject({
    id: z.string().regex(RUN_ID_PATTERN),
    kind: z.string().min(1),
    name: z.string(),
    status: z.enum(["queued", "running", "waiting", "completed", "failed", "cancelled"]),
    error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
    parent: z.strictObject({ id: z.string(), key: z.string() }).optional(),
    createdAt: moment,
    startedAt: moment.optional(),
    finishedAt: moment.optional(),
  }),
  start: z.looseObject({ inputs: z.record(z.string(), z.json()) }),
  steps: z.array(
    z.looseObject({
      key: z.string().min(1),
      kind: z.string(),
      state: z.enum(STEP_STATES),
      startedSeq: place,
      endedSeq: place.nullable(),
      startedAtMs: z.number(),
      endedAtMs: z.number().nullable(),
    }),
  ),
  events: z.array(z.looseObject({ seq: place, id: z.string(), type: z.string() })),
});

/** Fails with `invalid_input` unless the value is a complete export of a run. */
export function checkExport(value: unknown): ExportedRun {
  const format = isJsonObject(value) ? value["format"] : undefined;
  if (format !== RUN_FORMAT)
    throw new EngineError(
      "invalid_input",
      `expected an exported run of the format ${RUN_FORMAT}, got ${preview(format)}`,
    );
  const parsed = exportedSchema.safeParse(value);
  if (!parsed.success)
    throw new EngineError("invalid_input", "this is no whole export of a run", {
      issues: toIssues(parsed.error, value),
    });
  const exported = value as ExportedRun;
  if (exported.redacted === true || isWithoutValues(exported))
    throw new EngineError(
      "invalid_input",
      `the export of run ${exported.run.id} has no values: it can be shown, and not restored`,
    );
  return exported;
}

/** True if all results of finished model calls are missing: the export was made with `--no-values`. */
function isWithoutValues({ steps }: ExportedRun): boolean {
  const calls = steps.filter(({ kind, state }) => kind === "model" && state === "done");
  return calls.length > 0 && calls.every((step) => !("value" in step));
}

/** Returns the contents of a run as text. Equal runs yield equal texts, in any order of fields. */
export function contentsOf({ run, start, steps, events }: ExportedRun): string {
  // Computed fields, some of which depend on the definition, which may be gone.
  const {
    tasks: _,
    usageBy: ___,
    version: ____,
    children: _____,
    lastSeq: ______,
    ...ownRun
  } = run;
  const { tenant: __, ...ownStart } = start;
  return JSON.stringify([ownRun, ownStart, steps, events], (_key, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Puts a run into its store, unless the store has one. */
export function restoreRun(
  store: RunStore,
  { tenant, exported, digest, isDry = false }: RestoreRequest,
): RestoreOutcome {
  const existing = store.load();
  if (existing !== undefined) {
    if (store.value("restored") === JSON.stringify(digest)) return "same";
    return contentsOf(exportOf(store, existing)) === contentsOf(exported) ? "same" : "conflict";
  }
  if (isDry) return "restored";
  store.transaction(() => {
    const values = {
      ...exported.start,
      output: exported.run.output,
      changes: exported.run.changes,
    };
    for (const name of [...START_VALUES, "output", "changes"] as const) {
      const value = name === "webhooks" ? undefined : values[name];
      if (value !== undefined) store.setValue(name, JSON.stringify(value));
    }
    store.setValue("restored", JSON.stringify(digest));
    for (const row of rowsOfExport(exported)) store.journal.put(row);
    for (const event of exported.events) store.events.append(event);
    store.save(recordOf(exported, tenant));
  });
  return "restored";
}

/** Returns the existing run as its export. Does not need the definition. */
function exportOf(store: RunStore, record: RunRecord): ExportedRun {
  const reader = new RunReader(store, () => {
    throw new EngineError("not_found", "a backup has no programs");
  });
  return exportRun(store, { run: reader.view(record), start: reader.start(record), atMs: 0 });
}

function recordOf({ run, exportedAt }: ExportedRun, tenant: string): RunRecord {
  const { id, kind, name, status, error = null, parent } = run;
  const isOver = isTerminal(status);
  const cut = {
    code: "run_cancelled",
    message: `the run was ${status} when the backup was made that it was restored from`,
    retryable: false,
  } as const;
  return {
    id,
    tenant,
    kind,
    name,
    status: isOver ? status : "cancelled",
    paused: false,
    error: isOver ? error : cut,
    createdAtMs: Date.parse(run.createdAt),
    startedAtMs: run.startedAt === undefined ? null : Date.parse(run.startedAt),
    finishedAtMs: Date.parse(run.finishedAt ?? exportedAt),
    crashes: 0,
    driving: false,
    version: 1,
    ...(parent === undefined ? undefined : { parent }),
  };
}
