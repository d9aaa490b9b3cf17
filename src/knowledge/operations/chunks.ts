// The chunks of a document, in their order.
import { EngineError } from "../../base/error.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { KnowledgeService } from "../knowledge-service.ts";
import type { KnowledgeChunk, KnowledgeDocument } from "../knowledge-store.ts";
import { collectionPath, pageQuery, type ChunkView, knowledgeChunkShape } from "./schemas.ts";

export function chunkOperation(
  found: (
    tenant: string,
    params: Readonly<Record<string, string>>,
  ) => Promise<{ readonly collection: string; readonly document: KnowledgeDocument }>,
  serviceOf: (tenant: string) => KnowledgeService,
): Operation {
  return operation({
    group: "Knowledge",
    id: "listChunks",
    sample: {
      values: { collection: "example" },
      needs: "the id of a document: `GET /knowledge/example` lists them",
    },
    method: "get",
    path: "/knowledge/{collection}/documents/{id}/chunks",
    scope: "read",
    summary: "List the chunks of a document",
    description: "In order, each with text, place, and search state.",
    pathParams: collectionPath,
    query: pageQuery,
    answers: { 200: { description: "A page of chunks", list: knowledgeChunkShape } },
    problems: [400, 404],
    handle: async ({ tenant, params, query: { limit, cursor } }) => {
      const from = placeOf(cursor);
      const { collection, document } = await found(tenant, params);
      const { store } = serviceOf(tenant);
      const ids = await store.chunkIds(collection, document.id);
      const chunks = await store.chunks(collection, ids.slice(from, from + limit));
      const items = chunks.map((chunk) => viewOf(chunk, document));
      const next = from + limit;
      return {
        status: 200,
        json: ids.length > next ? { items, nextCursor: cursorAfter(String(next)) } : { items },
      };
    },
  });
}

function viewOf(
  { ordinal, text, start, end, page, row, line, sheet, heading }: KnowledgeChunk,
  { indexed }: KnowledgeDocument,
): ChunkView {
  return {
    ordinal,
    text,
    place: {
      ...(sheet === undefined ? undefined : { sheet }),
      ...(heading === undefined ? undefined : { heading }),
      ...(page === undefined ? undefined : { page }),
      ...(row === undefined ? undefined : { row }),
      ...(line === undefined ? undefined : { line }),
    },
    start,
    end,
    // Chunks are indexed in order.
    indexed: ordinal < indexed,
  };
}

/** Throws `invalid_input` for an invalid cursor. */
function placeOf(cursor: string | undefined): number {
  const key = keyOfCursor(cursor) ?? "0";
  if (/^\d{1,9}$/.test(key)) return Number(key);
  throw new EngineError("invalid_input", "the cursor is not valid", {
    issues: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }],
  });
}
