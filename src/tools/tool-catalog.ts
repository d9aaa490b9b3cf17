// A catalogue of tools, as definitions use it: tools by their names, made with options. What is in it comes with the value.
import type { JsonObject } from "../base/json.ts";
import type { EnvVar } from "./env-vars.ts";
import type { ToolSource } from "./tool-source.ts";
import type { Tool } from "./tool.ts";

/** A tool in a definition: its name, or its name with options. */
export type ToolEntry = string | (JsonObject & { readonly tool: string });

export type CatalogRequest = {
  readonly name: string;
  readonly options: JsonObject;
  /** The definition is data from outside, and no part of the deployed code. */
  readonly fromData: boolean;
  /** Tools that act outside ask nobody, as where the definition comes from. */
  readonly asksNobody: boolean;
};

/** The tool, or why there is none. */
export type CatalogAnswer =
  | { readonly tool: Tool | ToolSource; readonly warnings: readonly string[] }
  | { readonly refused: string };

/** A tool of a catalogue as lists show it. */
export type CatalogListing = {
  readonly className: string;
  readonly names: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly group: string;
  readonly service: string;
  /** Reads, writes into the run's workspace, or acts outside of the run. */
  readonly effect: "reads" | "writes" | "acts";
  readonly variables: readonly EnvVar[];
  readonly bindings: readonly string[];
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  /** JSON Schema of the options. */
  readonly options: JsonObject;
};

/** The class whose tools are the actions of the apps that agents name. */
export const APP_TOOLS = "CrewaiPlatformTools";

/** Tools that definitions can name, beside those that are registered one by one. */
export interface ToolCatalog {
  /** Undefined for a name that is not in the catalogue. */
  make(request: CatalogRequest): CatalogAnswer | undefined;
  /** The class names that are most like a name. */
  nearest(name: string): readonly string[];
  list(): readonly CatalogListing[];
}

/** Registered tools and catalogues, told apart. */
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
