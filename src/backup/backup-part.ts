// Backups of a tenant: its rows and its runs, read and restored in pages.
//
//   BUP1. A key reads and restores its own tenant; a key of the operator any tenant, named by `tenant`.
//   BUP2. Restoring is idempotent. An existing row or run with other contents stays, and is reported as a conflict.
//   BUP3. An open run of a backup continues only on request, under a new id. Repeated requests yield the same id.
import * as z from "zod";
import { digestText } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";
import { fingerprint } from "../base/hash.ts";
import type { JsonObject } from "../base/json.ts";
import { toIssues } from "../base/zod-issues.ts";
import { exportResponse } from "../parts/export-response.ts";
import { operation, type Operation, type OperationRequest } from "../parts/operation.ts";
import type { Part, PartEnv, PartHost } from "../parts/part.ts";
import { invalidInput } from "../parts/problem.ts";
import { parseJson, readText } from "../parts/request-body.ts";
import { cursor, json, limit } from "../parts/schemas.ts";
import type { ExportedRun } from "../runtime/export-run.ts";
import { isTerminal, type RunStart } from "../runtime/run.ts";
import type { BackupRow, BackupRows, RestoredRows } from "./backup-rows.ts";
import type { BackupContents, RestoredRun, RestoreOutcome } from "./backup-views.ts";
import { BACKUP_TABLES, columnsOf } from "./backup-tables.ts";
import { restoreChunks } from "./restore-chunks.ts";
import { checkExport, contentsOf, restoreRun, type RestoreRequest } from "./restore-run.ts";
import { shape, shapeOf } from "../parts/shape.ts";

/** Version of the format. Increase it for a change that earlier versions cannot restore. */
const BACKUP_FORMAT = "edgecrew.backup/1";
/** Limit for one run or one page of rows, in bytes. Messages between objects are limited to a little more. */
const MAX_BODY_BYTES = 24 * 1024 * 1024;
/** Each row is a statement, and D1 allows 50 per request on its smallest plan. */
const MAX_ROWS = 40;
const OPERATOR = "default";

/** Sources and targets of backups. */
export type BackupPlaces = {
  readonly rows: (env: PartEnv) => BackupRows;
  /** Restores a run in its own object. */
  readonly restoreRun: (env: PartEnv, request: RestoreRequest) => Promise<RestoreOutcome>;
};

const ofTenant = z.strictObject({
  tenant: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("A tenant other than the key's; for the operator only."),
});
const flag = z
  .enum(["0", "1", "false", "true"])
  .transform((text) => text === "1" || text === "true");
const dry = flag.optional().describe("1 shows the effect and writes no data.");
const pageQuery = ofTenant.extend({ cursor: cursor.optional(), limit });
const cell = z.union([z.string(), z.number(), z.null()]);
const rowsBody = z.strictObject({
  rows: z.array(z.record(z.string(), cell)).min(1).max(MAX_ROWS),
});

export function backupPart(places: BackupPlaces): Part {
  return {
    name: "backup",
    docs: "backup.md",
    inStore: (store, request) => restoreRun(store, request as unknown as RestoreRequest),
    bind: (host) => ({ operations: backupOperations(host, places) }),
  };
}

export const backupContentsShape = shapeOf<BackupContents>()("BackupContents", () =>
  z.strictObject({
    format: z.string(),
    tenant: z.string(),
    tables: z.record(z.string(), z.array(z.string())),
  }),
);

export const backupRowShape = shapeOf<BackupRow>()("BackupRow", () => z.record(z.string(), cell));

export const backupRunShape = shape("BackupRun", () =>
  z.strictObject({ id: z.string(), createdAt: z.string() }),
);

export const restoredRowsShape = shapeOf<RestoredRows>()("RestoredRows", () =>
  z.strictObject({
    written: z.number(),
    same: z.number(),
    conflicts: z.array(z.record(z.string(), cell)),
  }),
);

export const restoredRunShape = shapeOf<RestoredRun>()("RestoredRun", () =>
  z.strictObject({
    id: z.string(),
    outcome: z.enum(["restored", "same", "conflict"]),
    resumedAs: z.string().optional(),
  }),
);

export const exportedRunFileShape = shape("ExportedRunFile", () => json);

const shared = { group: "Backups", scope: "admin" } as const;

function backupOperations(host: PartHost, places: BackupPlaces): readonly Operation[] {
  const context = backupContextOf(host, places);
  return [
    backupContents(),
    backupRows(context),
    restoreRows(context),
    backupRuns(context),
    backupRun(context),
    importRunOperation(context),
  ];
}

type BackupContext = ReturnType<typeof backupContextOf>;

function backupContextOf(host: PartHost, places: BackupPlaces) {
  const { runs, env } = host;
  const rows = (): BackupRows => places.rows(env);

  async function restored(
    found: Awaited<ReturnType<BackupRows["compare"]>>,
    {
      tenant,
      table,
      request,
    }: { readonly tenant: string; readonly table: string; readonly request: OperationRequest },
  ): Promise<RestoredRows> {
    const { missing, same, conflicts } = found;
    if (table === "knowledge_chunks") {
      const { knowledge } = host.placeOf(tenant).services;
      if (knowledge === undefined)
        throw new EngineError("invalid_input", "this Worker has no knowledge to restore chunks to");
      await restoreChunks(knowledge, missing, request.raw.signal);
      return { written: missing.length, same, conflicts };
    }
    const added = await rows().insert(tenant, table, missing);
    const { key = [] } = BACKUP_TABLES[table] ?? {};
    const refused = missing.filter((_, index) => added[index] !== true);
    const keyOf = (row: BackupRow): BackupRow =>
      Object.fromEntries(key.map((column) => [column, row[column] ?? null]));
    return {
      written: missing.length - refused.length,
      same,
      conflicts: [...conflicts, ...refused.map(keyOf)],
    };
  }

  async function importRun(
    exported: ExportedRun,
    {
      tenant,
      resume,
      isDry,
    }: { readonly tenant: string; readonly resume: boolean; readonly isDry: boolean },
  ): Promise<RestoredRun> {
    const { id, status, parent } = exported.run;
    const digest = await digestText(contentsOf(exported));
    const outcome = await places.restoreRun(env, { tenant, exported, digest, isDry });
    if (outcome === "conflict" || isDry) return { id, outcome };
    if ((await runs.reindex(tenant, [id])) === 0)
      throw new EngineError("unavailable", `run ${id} was restored and could not be listed yet`, {
        retryable: true,
      });
    // A child continues as a step of its parent, a paused run when a person resumes it.
    const goesOn = resume && !isTerminal(status) && parent === undefined && !exported.run.paused;
    if (!goesOn) return { id, outcome };
    const resumedAs = fingerprint(`resumed ${id}`, digest);
    await runs.start(startAgain(exported, { tenant, id: resumedAs }));
    return { id, outcome, resumedAs };
  }

  return { runs, rows, restored, importRun };
}

const backupContents = () =>
  operation({
    ...shared,
    id: "backupContents",
    method: "get",
    path: "/backup",
    summary: "List the tables of a backup and their columns",
    query: ofTenant,
    answers: { 200: { description: "The tables", shape: backupContentsShape } },
    problems: [400],
    handle: async (request) => {
      const tenant = tenantOf(request);
      const tables = Object.entries(BACKUP_TABLES).map(([name, spec]) => [name, columnsOf(spec)]);
      const contents = { format: BACKUP_FORMAT, tenant, tables: Object.fromEntries(tables) };
      return { status: 200, json: contents satisfies BackupContents };
    },
  });

const backupRows = ({ rows }: BackupContext) =>
  operation({
    ...shared,
    id: "backupRows",
    method: "get",
    path: "/backup/tables/{table}",
    summary: "List the rows of a table, as stored",
    query: pageQuery,
    answers: { 200: { description: "Rows", list: backupRowShape } },
    problems: [400, 404],
    sample: { values: { table: "definitions" } },
    handle: async (request) => {
      const { cursor: after, limit: most } = request.query;
      const { table = "" } = request.params;
      const tenant = tenantOf(request);
      const page = await rows().page({ tenant, table, cursor: after, limit: most });
      return { status: 200, json: page };
    },
  });

const restoreRows = ({ rows, restored }: BackupContext) =>
  operation({
    ...shared,
    id: "restoreRows",
    method: "post",
    path: "/backup/tables/{table}",
    summary: "Restore rows of a table",
    description:
      "Adds rows with new keys. Existing rows stay; different ones are reported as conflicts.",
    query: ofTenant.extend({ dry }),
    rawBody: { name: "RowsToRestore", schema: rowsBody, types: [] },
    answers: { 200: { description: "Result for each row", shape: restoredRowsShape } },
    problems: [400, 404, 413],
    sample: { needs: "rows of a backup" },
    handle: async (request) => {
      const { table = "" } = request.params;
      const tenant = tenantOf(request);
      const body = await bodyOf(request.raw);
      const parsed = rowsBody.safeParse(body);
      if (!parsed.success) throw invalidInput("the rows do not fit", toIssues(parsed.error, body));
      checkColumns(table, parsed.data.rows);
      const found = await rows().compare(tenant, table, parsed.data.rows);
      if (request.query.dry === true) {
        const { missing, ...others } = found;
        return { status: 200, json: { written: missing.length, ...others } };
      }
      return { status: 200, json: await restored(found, { tenant, table, request }) };
    },
  });

const backupRuns = ({ runs }: BackupContext) =>
  operation({
    ...shared,
    id: "backupRuns",
    method: "get",
    path: "/backup/runs",
    summary: "List the runs of a backup, newest first",
    query: pageQuery,
    answers: { 200: { description: "Runs", list: backupRunShape } },
    problems: [400],
    handle: async (request) => {
      const { cursor: after, limit: most } = request.query;
      const page = await runs.list({ tenant: tenantOf(request), cursor: after, limit: most });
      const items = page.items.map(({ id, createdAt }) => ({ id, createdAt }));
      return { status: 200, json: { items, nextCursor: page.nextCursor } };
    },
  });

const backupRun = ({ runs }: BackupContext) =>
  operation({
    ...shared,
    id: "backupRun",
    method: "get",
    path: "/backup/runs/{id}",
    summary: "Show a run in the form of a backup",
    description: "Same as `GET /runs/{id}/export`, with the stored definition.",
    query: ofTenant,
    answers: {
      200: {
        description: "The run",
        shape: exportedRunFileShape,
        types: [],
        headers: ["Content-Disposition"],
      },
    },
    problems: [400, 404],
    sample: { run: { id: "example-run" } },
    handle: async (request) => {
      const { raw, params } = request;
      const id = params["id"] ?? "";
      return exportResponse(runs, [tenantOf(request), id], { request: raw });
    },
  });

const importRunOperation = ({ importRun }: BackupContext) =>
  operation({
    ...shared,
    id: "importRun",
    method: "post",
    path: "/runs/import",
    summary: "Restore a run from its export",
    description:
      "The run can then be read, compared and forked. An unfinished run is restored as cancelled; with `resume=1` a run with a new id continues from its record.",
    query: ofTenant.extend({ resume: flag.optional(), dry }),
    rawBody: { name: "RunToRestore", schema: json, types: [] },
    answers: { 200: { description: "Result of the restore", shape: restoredRunShape } },
    problems: [400, 413],
    sample: { needs: "a run of a backup" },
    handle: async (request) => {
      const tenant = tenantOf(request);
      const exported = checkExport(await bodyOf(request.raw));
      const { resume = false, dry: isDry = false } = request.query;
      const answer = await importRun(exported, { tenant, resume, isDry });
      return { status: 200, json: answer };
    },
  });

/** Returns the start of a run that takes over the restored run's journal, like a fork. */
function startAgain(
  { run, start }: ExportedRun,
  { tenant, id }: { readonly tenant: string; readonly id: string },
): RunStart {
  const { definition, meta, entry, context, inputs } = start;
  const { kind, name } = run;
  return {
    id,
    tenant,
    kind,
    name,
    inputs,
    ...(definition === undefined ? undefined : { definition }),
    ...(meta === undefined ? undefined : { meta }),
    ...(entry === undefined ? undefined : { entry }),
    ...(context === undefined ? undefined : { context }),
    origin: { runId: run.id },
    adopting: { afterSeq: 0, beforeSeq: Number.MAX_SAFE_INTEGER },
  };
}

async function bodyOf(request: Request): Promise<unknown> {
  return parseJson((await readText(request, MAX_BODY_BYTES)) ?? "");
}

/** Fails with `invalid_input` for rows of a later version, because their extra columns would be lost. */
function checkColumns(table: string, rows: readonly JsonObject[]): void {
  const spec = Object.hasOwn(BACKUP_TABLES, table) ? BACKUP_TABLES[table] : undefined;
  if (spec === undefined) return; // the store reports the unknown table
  const known = new Set(columnsOf(spec));
  const unknown = rows.flatMap((row) => Object.keys(row)).find((column) => !known.has(column));
  if (unknown !== undefined)
    throw new EngineError(
      "invalid_input",
      `${table} has no column ${JSON.stringify(unknown)}: the backup is of a later version than this Worker`,
    );
  const index = rows.findIndex((row) => spec.key.some((column) => (row[column] ?? null) === null));
  if (index >= 0)
    throw new EngineError("invalid_input", `rows/${index} has no ${spec.key.join(", ")}`);
}

function tenantOf({
  tenant,
  query,
}: Pick<OperationRequest, "tenant"> & {
  readonly query: { readonly tenant?: string | undefined };
}): string {
  if (query.tenant === undefined || query.tenant === tenant) return tenant;
  if (tenant !== OPERATOR)
    throw new EngineError(
      "forbidden",
      `this key is of the tenant ${tenant}; only a key of the operator may name another`,
    );
  return query.tenant;
}
