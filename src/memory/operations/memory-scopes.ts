// Contents of memory paths: `/memory/scopes`, `/tree`, `/info`, `/categories`.
import { operation, type Operation } from "../../parts/operation.ts";
import type { TenantMemory } from "../tenant-memory.ts";
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
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: { items: await memoryOf(tenant).open().listScopes(query.path) },
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
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: {
        tree:
          query.format === "json"
            ? await memoryOf(tenant).open().treeNodes(query.path, query.depth)
            : await memoryOf(tenant).open().tree(query.path, query.depth),
      },
    }),
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
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: await memoryOf(tenant).open().info(query.path),
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
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: { categories: await memoryOf(tenant).open().listCategories(query.path) },
    }),
  });
}
