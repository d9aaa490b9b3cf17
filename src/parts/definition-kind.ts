import type * as z from "zod";
import type { Issue } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Graph } from "../graph/graph.ts";
import type { DefinitionReaders } from "./definition-body.ts";
import type { StoredDefinition } from "./definition-store.ts";

/** A parsed definition, ready to be stored. */
export type ReadDefinition = {
  readonly definition: JsonValue;
  /** Form of the definition in the API. */
  readonly details: () => object;
  /** Names of the required inputs of every run. */
  readonly inputs: readonly string[];
  /** Features ignored in this deployment, each with advice. */
  readonly ignored: readonly Issue[];
  /** Graph of the definition, with places. */
  readonly graph: () => Promise<Graph>;
};

/** One kind of definition, for `definitionOperations`. */
export type DefinitionKindSpec<View extends { readonly name: string }> = {
  /** Name of the kind, whose plural ends in "s": the path is `/<kind>s`. */
  readonly kind: string;
  /** Name in ids and shapes: `Crew`. */
  readonly title: string;
  /** Names of the definitions in code. */
  readonly registered: Readonly<Record<string, unknown>>;
  readonly ofCode: {
    readonly view: (name: string) => View;
    readonly details: (name: string) => object;
  };
  readonly ofStored: {
    readonly view: (tenant: string, row: StoredDefinition) => View;
    readonly details: (tenant: string, row: StoredDefinition) => object;
  };
  readonly readers: () => DefinitionReaders;
  /** Reads a request to store a definition under a name. Throws `invalid_definition` with an issue for each mistake. */
  readonly read: (tenant: string, name: string, sent: unknown) => ReadDefinition;
  /** Reads a stored definition in order to store it again. Throws like `read`. */
  readonly readStored: (tenant: string, name: string, stored: JsonValue) => ReadDefinition;
  readonly body: { readonly schema: z.ZodType; readonly description: string };
  readonly example: JsonObject;
  /** Missing requirement for storing definitions, in words after "Needs". */
  readonly needs?: string | undefined;
};
