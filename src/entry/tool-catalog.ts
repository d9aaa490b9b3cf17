/** The whole catalogue, for definitions with tool names: projects of CrewAI, crews stored over HTTP. */
export { toolCatalog, type ToolCatalogOptions } from "../tools/catalog/tool-catalog.ts";
export type { CatalogListing, ToolCatalog } from "../tools/tool-catalog.ts";
