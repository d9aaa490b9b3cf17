/** The whole catalogue, for definitions that name tools: projects of CrewAI, crews stored over HTTP. */
export { toolCatalog, type ToolCatalogOptions } from "./tools/catalog/tool-catalog.ts";
export type { CatalogListing, ToolCatalog } from "./tools/tool-catalog.ts";
