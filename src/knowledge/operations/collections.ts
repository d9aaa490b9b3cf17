// `/knowledge`.
//
//   KO1. Documents are indexed by a run, one for each request; a 202 confirms its start. Errors are reported for each
//        document.
//   KO2. Content too long for a run is put into the file store first; without a file store it is refused.
//   KO3. Content that a run is indexing cannot be deleted.
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { pageOf } from "../../runtime/page.ts";
import { removeDocument, vectorCollection } from "../index-document.ts";
import type { KnowledgeService } from "../knowledge-service.ts";
import type { DocumentSource } from "../knowledge-source.ts";
import { isOfModel, type KnowledgeDocument } from "../knowledge-store.ts";
import { DOCUMENT_LIMITS } from "../load-document.ts";
import { queryKnowledge } from "../query-knowledge.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { sameRun } from "../../parts/same-run.ts";
import { startedAnswer } from "../../parts/start-run.ts";
import { keyedRunId } from "../../parts/started-run.ts";
import { isTerminal } from "../../runtime/run.ts";
import { boundedBody } from "../../security/bounded-body.ts";
import { checkOutboundUrl } from "../../security/outbound.ts";
import { chunkOperation } from "./chunks.ts";
import { knowledgeStart } from "./knowledge-run.ts";
import {
  collectionName,
  collectionPath,
  MAX_COLLECTION_LENGTH,
  pageQuery,
  queryBody,
  sourcesBody,
  sourcesQuery,
  type DocumentView,
  knowledgeCollectionShape,
  knowledgeDocumentShape,
  knowledgeSnippetsShape,
} from "./schemas.ts";
import { reindexOperation, repairCollection } from "./reindex.ts";
import { readSources, uploadedDocument } from "./sources.ts";
import { startedRunShape } from "../../parts/run-shapes.ts";

const shared = { group: "Knowledge", pathParams: collectionPath } as const;

export function knowledgeOperations(
  host: PartHost,
  serviceOf: (tenant: string) => KnowledgeService,
): readonly Operation[] {
  const context = knowledgeContextOf(host, serviceOf);
  return [
    addKnowledge(context),
    listKnowledge(context),
    listDocuments(context),
    getDocument(context),
    chunkOperation(context.found, serviceOf),
    deleteDocument(context),
    deleteCollection(context),
    queryKnowledgeOperation(context),
    reindexOperation(host, serviceOf),
  ];
}

type KnowledgeContext = ReturnType<typeof knowledgeContextOf>;

function knowledgeContextOf(
  { runs, randomId, maxBodyBytes, clock }: PartHost,
  serviceOf: (tenant: string) => KnowledgeService,
) {
  /** Throws `conflict` until the run has ended (KO3). */
  async function checkIdle(tenant: string, busy: string): Promise<void> {
    const run = await runs.get(tenant, busy).catch((error: unknown) => {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    });
    if (run === undefined || isTerminal(run.status)) return;
    throw new EngineError("conflict", `the run ${busy} is indexing it: wait for it, or cancel it`);
  }

  /** Returns runs that index a collection now, and runs named by its documents. */
  async function indexingIn(tenant: string, name: string): Promise<ReadonlySet<string>> {
    const { store } = serviceOf(tenant);
    const [documents, ...pages] = await Promise.all([
      store.documents(name, { limit: MAX_CHECKED, state: "indexing" }),
      ...(["queued", "running"] as const).map((status) =>
        runs.list({ tenant, kind: "knowledge", name, status, limit: MAX_CHECKED }),
      ),
    ]);
    const listed = pages.flatMap(({ items }) => items).map(({ id }) => id);
    return new Set([...listed, ...documents.map(({ runId }) => runId)]);
  }

  async function found(
    tenant: string,
    params: Readonly<Record<string, string>>,
  ): Promise<{ collection: string; document: KnowledgeDocument }> {
    const collection = collectionOf(params);
    const document = await serviceOf(tenant).store.document(collection, params["id"] ?? "");
    if (document !== undefined) return { collection, document };
    throw new EngineError(
      "not_found",
      `there is no document ${preview(params["id"])} in ${preview(collection)}`,
    );
  }

  const repair = (tenant: string, collection: string): Promise<void> =>
    repairCollection({ runs, randomId, clock }, serviceOf(tenant), collection);

  return { runs, randomId, maxBodyBytes, serviceOf, checkIdle, indexingIn, found, repair };
}

const addKnowledge = ({ runs, randomId, maxBodyBytes, serviceOf }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "addKnowledge",
    sample: { values: { collection: "example" } },
    method: "post",
    path: "/knowledge/{collection}/sources",
    scope: "run",
    summary: "Add documents, or replace them",
    description:
      "JSON names one document or up to 100, by text, URL, path in the file store or base64. With `name` in the query the body is the document itself. The run that indexes them reports each document in its events, and the results in its output.",
    query: sourcesQuery,
    rawBody: { name: "AddKnowledge", schema: sourcesBody, types: ["*/*"] },
    answers: {
      202: {
        description: "The run that indexes them",
        shape: startedRunShape,
        headers: ["Location"],
      },
    },
    problems: [400, 413, 415],
    example: { name: "handbook.md", text: "The warranty lasts two years." },
    handle: async ({ tenant, params, query: { name }, raw }) => {
      const collection = collectionOf(params);
      const service = serviceOf(tenant);
      const id = keyedRunId(raw) ?? randomId();
      const hasFiles = service.files !== undefined;
      const limit = name !== undefined && hasFiles ? DOCUMENT_LIMITS.maxBytes : maxBodyBytes;
      const bytes = await boundedBody(raw, limit);
      const type = raw.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
      const documents =
        name === undefined
          ? readSources(bytes, type)
          : [await uploadedDocument({ name, bytes, type, runId: id }, service.files)];
      checkUrls(documents, service);
      const start = knowledgeStart(collection, documents);
      return startedAnswer(sameRun(await runs.start({ id, tenant, ...start }), start));
    },
  });

const listKnowledge = ({ serviceOf }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "listKnowledge",
    method: "get",
    path: "/knowledge",
    scope: "read",
    summary: "List collections",
    description: "By name.",
    query: pageQuery,
    answers: {
      200: { description: "A page of collections", list: knowledgeCollectionShape },
    },
    problems: [400],
    handle: async ({ tenant, query: { limit, cursor } }) => {
      const { store } = serviceOf(tenant);
      const rows = await store.collections({ limit: limit + 1, after: nameOf(cursor) });
      return page(rows, limit, (row) => row);
    },
  });

const listDocuments = ({ serviceOf }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "listDocuments",
    sample: { values: { collection: "example" }, after: [{ operation: "addKnowledge" }] },
    method: "get",
    path: "/knowledge/{collection}",
    scope: "read",
    summary: "List the documents of a collection",
    description: "By name, each with its progress.",
    query: pageQuery,
    answers: {
      200: { description: "A page of documents", list: knowledgeDocumentShape },
    },
    problems: [400],
    handle: async ({ tenant, params, query: { limit, cursor } }) => {
      const collection = collectionOf(params);
      const { store } = serviceOf(tenant);
      const rows = await store.documents(collection, {
        limit: limit + 1,
        after: nameOf(cursor),
      });
      return page(rows, limit, (row) => viewOf(row, serviceOf(tenant)));
    },
  });

const getDocument = ({ found, serviceOf }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "getDocument",
    sample: {
      values: { collection: "example" },
      needs: "the id of a document: `GET /knowledge/example` lists them",
    },
    method: "get",
    path: "/knowledge/{collection}/documents/{id}",
    scope: "read",
    summary: "Show a document: state, progress, error",
    answers: { 200: { description: "The document", shape: knowledgeDocumentShape } },
    problems: [400, 404],
    handle: async ({ tenant, params }) => ({
      status: 200,
      json: viewOf((await found(tenant, params)).document, serviceOf(tenant)),
    }),
  });

const deleteDocument = ({ serviceOf, checkIdle, found }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "deleteDocument",
    sample: {
      values: { collection: "example" },
      needs: "the id of a document: `GET /knowledge/example` lists them",
    },
    method: "delete",
    path: "/knowledge/{collection}/documents/{id}",
    scope: "admin",
    summary: "Delete a document, its chunks and vectors",
    answers: { 204: { description: "Deleted" } },
    problems: [400, 404, 409, 503],
    handle: async ({ tenant, params }) => {
      const { collection, document } = await found(tenant, params);
      if (document.state === "indexing") await checkIdle(tenant, document.runId);
      const service = serviceOf(tenant);
      const { model } = service.embedder;
      await removeDocument(service, { collection, id: document.id, model });
      return { status: 204 };
    },
  });

const deleteCollection = ({ serviceOf, checkIdle, indexingIn }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "deleteCollection",
    sample: { values: { collection: "example" }, after: [{ operation: "addKnowledge" }] },
    method: "delete",
    path: "/knowledge/{collection}",
    scope: "admin",
    summary: "Delete a collection, its documents, chunks and vectors",
    answers: { 204: { description: "Deleted" } },
    problems: [400, 404, 409, 503],
    handle: async ({ tenant, params }) => {
      const collection = collectionOf(params);
      for (const id of await indexingIn(tenant, collection)) await checkIdle(tenant, id);
      const { store, vectors, embedder } = serviceOf(tenant);
      const { documents, chunks } = await store.info(collection);
      if (documents + chunks === 0)
        throw new EngineError("not_found", `there is no collection ${preview(collection)}`);
      await vectors
        .open({ tenant, collection: vectorCollection(collection), model: embedder.model })
        .clear();
      await store.deleteCollection(collection);
      return { status: 204 };
    },
  });

const queryKnowledgeOperation = ({ serviceOf, repair }: KnowledgeContext) =>
  operation({
    ...shared,
    id: "queryKnowledge",
    sample: { values: { collection: "example" }, after: [{ operation: "addKnowledge" }] },
    method: "post",
    path: "/knowledge/{collection}/query",
    scope: "read",
    summary: "Search documents",
    description: "By meaning and by words. Each snippet has its place in the document.",
    body: { name: "QueryKnowledge", schema: queryBody, required: true },
    answers: { 200: { description: "Results", shape: knowledgeSnippetsShape } },
    problems: [400, 409, 413, 415],
    example: { query: "How long is the warranty?", limit: 3 },
    handle: async ({ tenant, params, body, raw }) => {
      const { query, queries = [query ?? ""], limit, scoreThreshold, hybrid } = body;
      const asked = {
        collection: collectionOf(params),
        queries,
        ...(limit === undefined ? undefined : { limit }),
        ...(scoreThreshold === undefined ? undefined : { scoreThreshold }),
        ...(hybrid === undefined ? undefined : { hybrid }),
      };
      const service = serviceOf(tenant);
      const { snippets, degraded } = await queryKnowledge(service, asked, raw.signal);
      if (degraded !== undefined) await repair(tenant, asked.collection);
      const json = { items: snippets };
      return { status: 200, json: degraded === undefined ? json : { ...json, degraded } };
    },
  });

/** Number of runs checked before a collection is deleted. */
const MAX_CHECKED = 20;

function collectionOf({ collection = "" }: Readonly<Record<string, string>>): string {
  if (collectionName.safeParse(collection).success) return collection;
  throw new EngineError(
    "invalid_input",
    `a collection's name may have up to ${MAX_COLLECTION_LENGTH} characters and no control characters, got ${preview(collection)}`,
  );
}

/** Checked at once, although the run checks addresses and redirects again. */
function checkUrls(documents: readonly DocumentSource[], { outbound }: KnowledgeService): void {
  for (const document of documents)
    if ("url" in document)
      checkOutboundUrl(document.url, `document ${preview(document.name)}: url`, outbound);
}

function viewOf(
  document: KnowledgeDocument,
  { embedder }: Pick<KnowledgeService, "embedder">,
): DocumentView {
  const { recipe, createdAtMs, updatedAtMs, ...rest } = document;
  const isOutdated = rest.chunks > 0 && !isOfModel(recipe, embedder.model);
  return {
    ...(isOutdated ? { outdated: true as const } : undefined),
    ...rest,
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
}

/** The cursor is the last name after a fixed letter, so any name can be a cursor. */
function page<Row extends { readonly name: string }, View>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => View,
) {
  const cursor = ({ name }: Row) => `n${encodeURIComponent(name)}`;
  return { status: 200, json: pageOf(rows, limit, { item, cursor }) } as const;
}

function nameOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  try {
    if (cursor.startsWith("n")) return decodeURIComponent(cursor.slice(1));
  } catch {
    // reported below, like any other invalid cursor
  }
  throw new EngineError(
    "invalid_input",
    "the cursor is not valid; leave it out to start from the first page",
    {
      issues: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }],
    },
  );
}
