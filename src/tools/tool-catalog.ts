// Interface of a tool catalogue for definitions: tools by name, created with options. The value brings its content.
import type { JsonObject } from "../base/json.ts";
import type { EnvVar } from "./env-vars.ts";
import type { ToolSource } from "./tool-source.ts";
import type { Tool } from "./tool.ts";

/** Tool in a definition: its name, or its name with options. */
export type ToolEntry = string | (JsonObject & { readonly tool: string });

export type CatalogRequest = {
  readonly name: string;
  readonly options: JsonObject;
  /** True if the definition is data from outside, not part of the deployed code. */
  readonly fromData: boolean;
  /** True if acting tools need no approval, because of the definition's origin. */
  readonly asksNobody: boolean;
};

/** The tool, or the reason for its absence. */
export type CatalogAnswer =
  | { readonly tool: Tool | ToolSource; readonly warnings: readonly string[] }
  | { readonly refused: string };

/** Tool of a catalogue in lists. */
export type CatalogListing = {
  readonly className: string;
  readonly names: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly group: string;
  readonly service: string;
  /** Effect: reads, writes into the run's workspace, or acts outside of the run. */
  readonly effect: "reads" | "writes" | "acts";
  readonly variables: readonly EnvVar[];
  readonly bindings: readonly string[];
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  /** JSON Schema of the options. */
  readonly options: JsonObject;
};

/** Class of tools for the actions of an agent's apps. */
export const APP_TOOLS = "CrewaiPlatformTools";

/** Tools available to definitions in addition to the individually registered ones. */
export interface ToolCatalog {
  /** Creates a tool. Returns undefined for a name outside of the catalogue. */
  make(request: CatalogRequest): CatalogAnswer | undefined;
  /** Returns the class names most similar to a name. */
  nearest(name: string): readonly string[];
  list(): readonly CatalogListing[];
}

/** Separates registered tools from catalogues. */
export function partedTools(listed: ToolCatalog | readonly (Tool | ToolCatalog)[] = []): {
  readonly tools: readonly Tool[];
  readonly catalogs: readonly ToolCatalog[];
} {
  const all = isCatalog(listed) ? [listed] : listed;
  return {
    tools: all.filter((each): each is Tool => !isCatalog(each)),
    catalogs: all.filter((each): each is ToolCatalog => isCatalog(each)),
  };
}

function isCatalog(value: ToolCatalog | Tool | readonly unknown[]): value is ToolCatalog {
  return "make" in value && "nearest" in value;
}
