/** The tools of the catalogue, each by itself: a Worker carries those that it names. */
export * from "./tools/catalog/mcp/index.ts";
export * from "./tools/catalog/merge/index.ts";
export * from "./tools/catalog/provider/index.ts";
export * from "./tools/catalog/serper/index.ts";
export * from "./tools/catalog/web/index.ts";
