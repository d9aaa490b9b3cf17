// Operations of `/memory`.
//
//   MO1. One memory is saved within the request: 201 means it is stored. Several are saved by a run: 202 means the save
//        is accepted.
//   MO2. Private memories are visible only to their source, which the caller names. The scope `admin` is required to
//        see all of them.
//   MO3. With `Idempotency-Key` a run named after the key saves even a single memory, so repeated requests save it
//        once.
import type { MemoryEvents } from "../events.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { checkScopePath } from "../memory-path.ts";
import type { MemoryRecord } from "../memory-record.ts";
import { passesFilter } from "../record-filter.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import type { Scope } from "../../parts/key-store.ts";
import type { StartedAnswer } from "../../parts/documented-runs.ts";
import { checkScope, mayRead } from "../../parts/rights.ts";
import { sameRun } from "../../parts/same-run.ts";
import { startedAnswer } from "../../parts/start-run.ts";
import { keyedRunId } from "../../parts/started-run.ts";
import { isTerminal } from "../../runtime/run.ts";
import type { TenantMemory } from "../tenant-memory.ts";
import { scopeOperations } from "./memory-scopes.ts";
import { memoryStart, rememberOptions, type MemoryJob, type SavedMemories } from "./memory-run.ts";
import {
  changeBody,
  forgetBody,
  recallBody,
  recordsQuery,
  reindexBody,
  resetBody,
  saveBody,
  viewerQuery,
  forgottenMemoriesShape,
  memoryIdShape,
  memoryRecordShape,
  recalledMemoriesShape,
} from "./schemas.ts";
import { startedRunShape } from "../../parts/run-shapes.ts";
import type { ScoreParts } from "../memory-record.ts";

/** Maximum wait for a save with an `Idempotency-Key`. */
const SAVE_WAIT_MS = 60_000;

type Asking = { readonly tenant: string; readonly scopes: readonly Scope[] };

type Viewer = {
  readonly source?: string | undefined;
  readonly includePrivate?: boolean | undefined;
};

const shared = { group: "Memory" } as const;

const MEMORY = { description: "The memory", shape: memoryRecordShape } as const;

export function memoryOperations(
  host: PartHost,
  memoryOf: (tenant: string) => TenantMemory,
): readonly Operation[] {
  const context = memoryContextOf(host, memoryOf);
  return [
    saveMemory(context),
    recallMemories(context),
    listMemories(context),
    getMemory(context),
    changeMemory(context),
    forgetMemory(context),
    forgetMemories(context),
    ...scopeOperations(memoryOf),
    resetMemory(context),
    reindexMemory(context),
  ];
}

type MemoryContext = ReturnType<typeof memoryContextOf>;

function memoryContextOf({ runs, randomId }: PartHost, memoryOf: (tenant: string) => TenantMemory) {
  async function start(tenant: string, raw: Request, job: MemoryJob): Promise<StartedAnswer> {
    const id = keyedRunId(raw) ?? randomId();
    const started = memoryStart(job);
    return startedAnswer(sameRun(await runs.start({ id, tenant, ...started }), started));
  }

  /** Saves a memory once for each idempotency key (MO3). */
  async function saveOnce(
    { tenant, scopes }: Asking,
    id: string,
    job: Extract<MemoryJob, { do: "save" }>,
  ) {
    const started = memoryStart(job);
    sameRun(await runs.start({ id, tenant, ...started }), started);
    const run = await runs.settled(tenant, id, SAVE_WAIT_MS);
    if (run.kind !== "memory" || run.name !== "save")
      throw new EngineError(
        "conflict",
        `run ${id} does not save memories: use another Idempotency-Key`,
      );
    if (!isTerminal(run.status)) return startedAnswer(run);
    if (run.status !== "completed")
      throw EngineError.fromRecord(
        run.error ?? {
          code: "conflict",
          message: `the save ${id} was cancelled`,
          retryable: false,
        },
      );
    const { saved } = run.output as SavedMemories;
    const { service } = memoryOf(tenant);
    const found = await service.records.get(saved.slice(0, 1));
    return found[0] === undefined ? FORGOTTEN : created(found[0], scopes);
  }

  /** Fails with `not_found` for records that are absent or invisible to the viewer (MO2). */
  async function visible(
    tenant: string,
    id: string,
    visibleTo: string | null | undefined,
  ): Promise<MemoryRecord> {
    const [found] = await memoryOf(tenant).service.records.get([id]);
    if (found !== undefined && passesFilter(found, { visibleTo })) return found;
    throw new EngineError("not_found", `there is no memory ${preview(id)}`);
  }

  return { memoryOf, start, saveOnce, visible };
}

const saveMemory = ({ memoryOf, start, saveOnce }: MemoryContext) =>
  operation({
    ...shared,
    id: "saveMemory",
    method: "post",
    path: "/memory",
    scope: "run",
    summary: "Save a memory",
    description:
      "One memory is saved at once, an array of up to 1,000 by a run. A model adds missing `scope`, `categories` and `importance`, and merges similar memories. With `Idempotency-Key`, repeated requests save once.",
    body: { name: "SaveMemory", schema: saveBody, required: true },
    answers: {
      201: {
        description: "Saved, or made part of this one; without the scope `read`, only its id",
        shape: [memoryRecordShape, memoryIdShape],
        headers: ["Location"],
      },
      202: {
        description: "The run that saves them",
        shape: startedRunShape,
        headers: ["Location"],
      },
      204: { description: "Saved, and forgotten since" },
    },
    problems: [400, 409, 413, 415, 503],
    example: { content: "Acme pays by invoice", scope: "/customers/acme" },
    handle: async ({ tenant, body, raw, scopes }) => {
      if (Array.isArray(body)) return start(tenant, raw, { do: "save", items: body });
      const key = keyedRunId(raw);
      if (key !== undefined)
        return saveOnce({ tenant, scopes }, key, { do: "save", items: [body] });
      const { content, ...options } = body;
      const saved = await memoryOf(tenant).open().remember(content, rememberOptions(options));
      return saved === null ? { status: 204 } : created(saved, scopes);
    },
  });

const recallMemories = ({ memoryOf }: MemoryContext) =>
  operation({
    ...shared,
    id: "recallMemories",
    method: "post",
    path: "/memory/recall",
    scope: "read",
    summary: "Search memories",
    description:
      "By meaning, age and importance, best first. `parts` of each are the terms of its score.",
    body: { name: "RecallMemories", schema: recallBody, required: true },
    answers: { 200: { description: "Results", shape: recalledMemoriesShape } },
    problems: [400, 409, 413, 415, 503],
    example: { query: "How does Acme pay?", limit: 5 },
    handle: async ({ tenant, body, scopes }) => {
      const { query, ...options } = body;
      viewedBy(options, scopes);
      let degraded: string | undefined;
      let completed: MemoryEvents["memory_query_completed"] | undefined;
      const memory = memoryOf(tenant).open((type, payload) => {
        if (type === "memory_index_degraded")
          degraded = (payload as { readonly reason: string }).reason;
        if (type === "memory_query_completed")
          completed = payload as MemoryEvents["memory_query_completed"];
      });
      const items = (await memory.recall(query, options)).map(
        ({ evidenceGaps, record: found, score, similarity, parts, matchReasons }) => ({
          record: found,
          score,
          similarity,
          parts: parts as ScoreParts, // absent in journals of older versions alone
          matchReasons,
          ...(evidenceGaps.length > 0 ? { evidenceGaps } : undefined),
        }),
      );
      const { analysis, queryTimeMs: tookMs = 0 } = completed ?? {};
      return {
        status: 200,
        json: {
          items,
          ...(analysis === undefined ? undefined : { analysis }),
          tookMs,
          ...(degraded === undefined ? undefined : { degraded }),
        },
      };
    },
  });

const listMemories = ({ memoryOf }: MemoryContext) =>
  operation({
    ...shared,
    id: "listMemories",
    method: "get",
    path: "/memory/records",
    scope: "read",
    summary: "List memories",
    description: "Newest first.",
    query: recordsQuery,
    answers: {
      200: { description: "A page of memories", list: memoryRecordShape },
    },
    problems: [400],
    handle: async ({ tenant, query, scopes }) => {
      const { scope, categories, from, before, cursor, limit } = query;
      const filter = {
        scope: scope === undefined ? undefined : checkScopePath(scope, "scope"),
        categories: categories?.split(",").map((name) => name.trim()),
        fromMs: from === undefined ? undefined : Date.parse(from),
        beforeMs: before === undefined ? undefined : Date.parse(before),
        visibleTo: viewedBy(query, scopes),
      };
      const { records } = memoryOf(tenant).service;
      return { status: 200, json: await records.list(filter, { limit, cursor }) };
    },
  });

const getMemory = ({ visible }: MemoryContext) =>
  operation({
    ...shared,
    id: "getMemory",
    sample: { after: [{ operation: "saveMemory", givesId: true }] },
    method: "get",
    path: "/memory/records/{id}",
    scope: "read",
    summary: "Show a memory",
    query: viewerQuery,
    answers: { 200: MEMORY },
    problems: [400, 404],
    handle: async ({ tenant, params, query, scopes }) => ({
      status: 200,
      json: await visible(tenant, params["id"] ?? "", viewedBy(query, scopes)),
    }),
  });

const changeMemory = ({ memoryOf, visible }: MemoryContext) =>
  operation({
    ...shared,
    id: "changeMemory",
    sample: { after: [{ operation: "saveMemory", givesId: true }] },
    method: "patch",
    path: "/memory/records/{id}",
    scope: "run",
    summary: "Change a memory",
    description: "Absent fields stay.",
    query: viewerQuery,
    body: { name: "ChangeMemory", schema: changeBody, required: false },
    answers: {
      200: {
        description: "The memory as it is now; without the scope `read`, only its id",
        shape: [memoryRecordShape, memoryIdShape],
      },
    },
    problems: [400, 404, 413, 415, 503],
    example: { importance: 0.9 },
    handle: async ({ tenant, params, query, body, scopes }) => {
      const { id } = await visible(tenant, params["id"] ?? "", viewedBy(query, scopes));
      const changed = await memoryOf(tenant).open().update(id, body);
      return { status: 200, json: shownTo(changed, scopes) };
    },
  });

const forgetMemory = ({ memoryOf, visible }: MemoryContext) =>
  operation({
    ...shared,
    id: "forgetMemory",
    sample: { after: [{ operation: "saveMemory", givesId: true }] },
    method: "delete",
    path: "/memory/records/{id}",
    scope: "run",
    summary: "Forget one memory",
    query: viewerQuery,
    answers: { 204: { description: "Forgotten" } },
    problems: [400, 404],
    handle: async ({ tenant, params, query, scopes }) => {
      const { id } = await visible(tenant, params["id"] ?? "", viewedBy(query, scopes));
      await memoryOf(tenant)
        .open()
        .forget({ recordIds: [id] });
      return { status: 204 };
    },
  });

const forgetMemories = ({ memoryOf }: MemoryContext) =>
  operation({
    ...shared,
    id: "forgetMemories",
    method: "post",
    path: "/memory/forget",
    scope: "admin",
    summary: "Forget memories that match a filter",
    description: "All conditions must hold. Without conditions, no memory is forgotten.",
    body: { name: "ForgetMemories", schema: forgetBody, required: true },
    answers: {
      200: { description: "Number of forgotten memories", shape: forgottenMemoriesShape },
    },
    problems: [400, 413, 415],
    example: { scope: "/customers/acme", olderThan: "2026-01-01T00:00:00Z" },
    handle: async ({ tenant, body }) => {
      const { olderThan, ...rest } = body;
      const filter = olderThan === undefined ? rest : { ...rest, olderThan: new Date(olderThan) };
      return { status: 200, json: { forgotten: await memoryOf(tenant).open().forget(filter) } };
    },
  });

const resetMemory = ({ memoryOf }: MemoryContext) =>
  operation({
    ...shared,
    id: "resetMemory",
    method: "post",
    path: "/memory/reset",
    scope: "admin",
    summary: "Forget all memories of a path, or all memories",
    body: { name: "ResetMemory", schema: resetBody, required: true },
    answers: { 204: { description: "Forgotten" } },
    problems: [400, 413, 415, 503],
    example: { scope: "/crew/briefing" },
    handle: async ({ tenant, body: { scope } }) => {
      const memory = memoryOf(tenant).open();
      await (scope === undefined ? memory.resetAll() : memory.reset(scope));
      return { status: 204 };
    },
  });

const reindexMemory = ({ start }: MemoryContext) =>
  operation({
    ...shared,
    id: "reindexMemory",
    method: "post",
    path: "/memory/reindex",
    scope: "admin",
    summary: "Create missing vectors, or all vectors again",
    body: { name: "ReindexMemory", schema: reindexBody, required: false },
    answers: {
      202: {
        description: "Run that creates the vectors",
        shape: startedRunShape,
        headers: ["Location"],
      },
    },
    problems: [400, 413, 415],
    example: { all: true },
    handle: ({ tenant, body: { all }, raw }) => start(tenant, raw, { do: "reindex", all }),
  });

const FORGOTTEN = { status: 204 } as const;

/** A caller without `read` may know that a memory was saved or changed, and no text that was there before. */
function shownTo(
  record: MemoryRecord,
  scopes: readonly Scope[],
): MemoryRecord | Pick<MemoryRecord, "id"> {
  return mayRead(scopes) ? record : { id: record.id };
}

function created(saved: MemoryRecord, scopes: readonly Scope[]) {
  const headers = { location: `/memory/records/${saved.id}` };
  return { status: 201, json: shownTo(saved, scopes), headers } as const;
}

/**
 * Returns the source for the filter `visibleTo`. Fails with `forbidden` if the caller asks for all private records
 * without the scope `admin`.
 */
function viewedBy(
  { source, includePrivate = false }: Viewer,
  scopes: readonly Scope[],
): string | null | undefined {
  if (!includePrivate) return source ?? null;
  checkScope({ scopes }, "admin", "includePrivate");
  return undefined;
}
