// Operations of `/memory`.
//
//   MO1. One memory is saved within the request: 201 means it is stored. Several are saved by a run: 202 means the save
//        is accepted.
//   MO2. Private memories are visible only to their source, which the caller names. The scope `admin` is required to
//        see all of them. A private memory without a source is visible to no other caller.
//   MO3. With `Idempotency-Key` a run named after the key saves even a single memory, so repeated requests save it
//        once.
//   MO4. A caller bound to a person, such as a front end's token, reaches the memory of this person and no other: every
//        path is below the person's, and source and privacy are the person's.
import type * as z from "zod";
import type { MemoryEvents } from "../events.ts";
import { EngineError } from "../../base/error.ts";
import { MemoryViewer } from "./memory-viewer.ts";
import { operation, type Operation, type OperationRequest } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { keyedRunId } from "../../parts/started-run.ts";
import type { TenantMemory } from "../tenant-memory.ts";
import { created, memoryContextOf, shownTo, type MemoryContext } from "./memory-context.ts";
import { indexOperations } from "./memory-index.ts";
import { scopeOperations } from "./memory-scopes.ts";
import { rememberOptions, type SaveItem } from "./memory-run.ts";
import {
  changeBody,
  forgetBody,
  recallBody,
  recordsQuery,
  saveBody,
  viewerQuery,
  forgottenMemoriesShape,
  memoryIdShape,
  memoryRecordShape,
  recalledMemoriesShape,
} from "./schemas.ts";
import type { saveItem } from "./schemas.ts";
import { startedRunShape } from "../../parts/run-shapes.ts";
import type { ScoreParts } from "../memory-record.ts";

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
    ...indexOperations(context),
  ];
}

const saveMemory = ({ memoryOf, start, saveOnce, repair }: MemoryContext) =>
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
    handle: async (request) => {
      const { tenant, body, raw, scopes } = request;
      const items = [body].flat().map((item) => ownItem(request, item));
      if (Array.isArray(body)) return start(tenant, raw, { do: "save", items });
      const key = keyedRunId(raw);
      if (key !== undefined) return saveOnce({ tenant, scopes }, key, { do: "save", items });
      const { content, person: _, ...options } = body;
      const viewer = new MemoryViewer(request, { person: body.person });
      let isDegraded = false;
      const memory = memoryOf(tenant).open((type) => {
        isDegraded ||= type === "memory_index_degraded";
      });
      const saved = await viewer.of(memory).remember(content, rememberOptions(options));
      if (isDegraded) await repair(tenant);
      return saved === null ? { status: 204 } : created(saved, scopes);
    },
  });

const recallMemories = ({ memoryOf, repair }: MemoryContext) =>
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
    handle: async (request) => {
      const { tenant, body } = request;
      const { query, person: _, ...options } = body;
      const viewer = new MemoryViewer(request, body);
      let degraded: string | undefined;
      let completed: MemoryEvents["memory_query_completed"] | undefined;
      const memory = memoryOf(tenant).open((type, payload) => {
        if (type === "memory_index_degraded")
          degraded = (payload as { readonly reason: string }).reason;
        if (type === "memory_query_completed")
          completed = payload as MemoryEvents["memory_query_completed"];
      });
      const items = (await viewer.of(memory).recall(query, options)).map(
        ({ evidenceGaps, record: found, score, similarity, parts, matchReasons }) => ({
          record: found,
          score,
          similarity,
          parts: parts as ScoreParts, // absent in journals of older versions alone
          matchReasons,
          ...(evidenceGaps.length > 0 ? { evidenceGaps } : undefined),
        }),
      );
      if (degraded !== undefined) await repair(tenant);
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
    handle: async (request) => {
      const { tenant, query } = request;
      const { scope, categories, from, before, cursor, limit } = query;
      const filter = {
        ...new MemoryViewer(request, query).at(scope),
        categories: categories?.split(",").map((name) => name.trim()),
        fromMs: from === undefined ? undefined : Date.parse(from),
        beforeMs: before === undefined ? undefined : Date.parse(before),
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
    handle: async (request) => ({
      status: 200,
      json: await visible(
        request.tenant,
        request.params["id"] ?? "",
        new MemoryViewer(request, request.query),
      ),
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
    handle: async (request) => {
      const { tenant, params, query, body } = request;
      const viewer = new MemoryViewer(request, query);
      const { id } = await visible(tenant, params["id"] ?? "", viewer);
      const { person } = viewer;
      if (person !== undefined && (body.source !== undefined || body.private !== undefined))
        throw new EngineError("invalid_input", "a person's memories stay private to the person");
      const { scope } = body;
      const changes = scope === undefined ? body : { ...body, scope: viewer.at(scope).scope };
      const changed = await memoryOf(tenant).open().update(id, changes);
      return { status: 200, json: shownTo(changed, request.scopes) };
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
    handle: async (request) => {
      const { tenant, params, query } = request;
      const viewer = new MemoryViewer(request, query);
      const { id } = await visible(tenant, params["id"] ?? "", viewer);
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

/** The item with the caller's person. Throws `forbidden` for another person, `invalid_input` for a source beside it. */
function ownItem(
  request: Pick<OperationRequest, "scopes" | "person">,
  item: z.output<typeof saveItem>,
): SaveItem {
  const { person } = new MemoryViewer(request, item.person === undefined ? {} : item);
  if (person === undefined) return item;
  if (item.private === false || item.source !== undefined)
    throw new EngineError("invalid_input", "a person's memories are private to the person");
  return { ...item, person };
}
