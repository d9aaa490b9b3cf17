// Operations on the whole memory of a tenant: its vector index, and its end.
import { operation, type Operation } from "../../parts/operation.ts";
import { startedRunShape } from "../../parts/run-shapes.ts";
import type { MemoryContext } from "./memory-context.ts";
import { memoryIndexShape, reindexBody, resetBody } from "./schemas.ts";

const shared = { group: "Memory" } as const;

export function indexOperations(context: MemoryContext): readonly Operation[] {
  return [resetMemory(context), showIndex(context), reindexMemory(context)];
}

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

const showIndex = ({ memoryOf }: MemoryContext) =>
  operation({
    ...shared,
    id: "memoryIndex",
    method: "get",
    path: "/memory/index",
    scope: "read",
    summary: "Show the vector index: its embedder, and the records without a vector",
    answers: { 200: { description: "State of the index", shape: memoryIndexShape } },
    problems: [],
    handle: async ({ tenant }) => {
      const { service } = memoryOf(tenant);
      const state = await service.records.indexState?.();
      const { records = 0, missing = 0, made, isPending = false } = state ?? {};
      const embedder = service.embedder?.(undefined).model;
      return {
        status: 200,
        json: {
          ...(embedder === undefined ? undefined : { embedder }),
          ...(made === undefined ? undefined : { made }),
          records,
          missing,
          reindexing: isPending,
        },
      };
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
