// Contents of memory paths: `/memory/scopes`, `/tree`, `/info`, `/categories`.
import { operation, type Operation, type OperationRequest } from "../../parts/operation.ts";
import type { ScopeViewer } from "../memory-records.ts";
import type { TenantMemory } from "../tenant-memory.ts";
import { MemoryViewer, type ViewerFields } from "./memory-viewer.ts";
import {
  pathQuery,
  treeQuery,
  memoryCategoriesShape,
  memoryScopeInfoShape,
  memoryScopePathShape,
  memoryTreeShape,
} from "./schemas.ts";

const shared = { group: "Memory" } as const;

type MemoryOf = (tenant: string) => TenantMemory;

export function scopeOperations(memoryOf: MemoryOf): readonly Operation[] {
  return [
    listMemoryScopes(memoryOf),
    memoryTree(memoryOf),
    memoryInfo(memoryOf),
    memoryCategories(memoryOf),
  ];
}

function listMemoryScopes(memoryOf: MemoryOf): Operation {
  return operation({
    ...shared,
    id: "listMemoryScopes",
    method: "get",
    path: "/memory/scopes",
    scope: "read",
    summary: "List the paths directly below a path",
    query: pathQuery,
    answers: { 200: { description: "Whole paths", list: memoryScopePathShape } },
    problems: [400],
    handle: async (request) => ({
      status: 200,
      json: {
        items: await memoryOf(request.tenant)
          .open()
          .listScopes(...seen(request)),
      },
    }),
  });
}

function memoryTree(memoryOf: MemoryOf): Operation {
  return operation({
    ...shared,
    id: "memoryTree",
    method: "get",
    path: "/memory/tree",
    scope: "read",
    summary: "Draw the paths at and below a path",
    query: treeQuery,
    answers: { 200: { description: "Indented lines, or nodes", shape: memoryTreeShape } },
    problems: [400],
    handle: async (request) => {
      const { format, depth } = request.query;
      const [path, viewer] = seen(request);
      const memory = memoryOf(request.tenant).open();
      return {
        status: 200,
        json: {
          tree:
            format === "json"
              ? await memory.treeNodes(path, depth, viewer)
              : await memory.tree(path, depth, viewer),
        },
      };
    },
  });
}

function memoryInfo(memoryOf: MemoryOf): Operation {
  return operation({
    ...shared,
    id: "memoryInfo",
    method: "get",
    path: "/memory/info",
    scope: "read",
    summary: "Show the contents of a path and its subpaths",
    query: pathQuery,
    answers: { 200: { description: "Counts, times, categories", shape: memoryScopeInfoShape } },
    problems: [400],
    handle: async (request) => ({
      status: 200,
      json: await memoryOf(request.tenant)
        .open()
        .info(...seen(request)),
    }),
  });
}

function memoryCategories(memoryOf: MemoryOf): Operation {
  return operation({
    ...shared,
    id: "memoryCategories",
    method: "get",
    path: "/memory/categories",
    scope: "read",
    summary: "Count memories by category",
    query: pathQuery,
    answers: { 200: { description: "Counts by name", shape: memoryCategoriesShape } },
    problems: [400],
    handle: async (request) => ({
      status: 200,
      json: {
        categories: await memoryOf(request.tenant)
          .open()
          .listCategories(...seen(request)),
      },
    }),
  });
}

/** The path of a request, and the viewer whose records count. */
function seen(
  request: Pick<OperationRequest, "scopes" | "person"> & {
    readonly query: ViewerFields & { readonly path: string };
  },
): readonly [path: string, viewer: ScopeViewer] {
  const { query } = request;
  const { scope = "/", ...viewer } = new MemoryViewer(request, query).at(query.path);
  return [scope, viewer];
}
