import type * as z from "zod";
import type { Issue } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Graph } from "../wire/graph.ts";
import type { DefinitionReaders } from "./definition-body.ts";
import type { StoredDefinition } from "./definition-store.ts";
import type { Shape } from "./shape.ts";

/** A definition in a list. */
type AnyView = { readonly name: string };
/** A definition with its contents; a stored one has a version. */
type AnyDetails = { readonly version?: number | undefined };

/** A parsed definition, ready to be stored. */
export type ReadDefinition<Details = AnyDetails> = {
  readonly definition: JsonValue;
  /** Form of the definition in the API. */
  readonly details: () => Details;
  /** Names of the required inputs of every run. */
  readonly inputs: readonly string[];
  /** Features ignored in this deployment, each with advice. */
  readonly ignored: readonly Issue[];
  /** Graph of the definition, with places. */
  readonly graph: () => Promise<Graph>;
};

/** One kind of definition, for `definitionOperations`. */
export type DefinitionKindSpec<
  View extends AnyView = AnyView,
  Details extends AnyDetails = AnyDetails,
> = {
  /** Name of the kind, whose plural ends in "s": the path is `/<kind>s`. */
  readonly kind: string;
  /** Name in ids and shapes: `Crew`. */
  readonly title: string;
  readonly shapes: { readonly view: Shape<View>; readonly details: Shape<Details> };
  /** Names of the definitions in code. */
  readonly registered: Readonly<Record<string, unknown>>;
  readonly ofCode: {
    readonly view: (name: string) => View;
    readonly details: (name: string) => Details;
  };
  readonly ofStored: {
    readonly view: (tenant: string, row: StoredDefinition) => View;
    readonly details: (tenant: string, row: StoredDefinition) => Details;
  };
  readonly readers: () => DefinitionReaders;
  /** Reads a request to store a definition under a name. Throws `invalid_definition` with an issue for each mistake. */
  readonly read: (tenant: string, name: string, sent: unknown) => ReadDefinition<Details>;
  /** Reads a stored definition in order to store it again. Throws like `read`. */
  readonly readStored: (tenant: string, name: string, stored: JsonValue) => ReadDefinition<Details>;
  readonly body: { readonly schema: z.ZodType; readonly description: string };
  readonly example: JsonObject;
  /** Missing requirement for storing definitions, in words after "Needs". */
  readonly needs?: string | undefined;
};
