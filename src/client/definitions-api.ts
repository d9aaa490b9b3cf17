import type { DefinitionCheck } from "../parts/definition-shapes.ts";
import type {
  DefinitionVersionDetails,
  DefinitionVersionView,
} from "../parts/definition-shapes.ts";
import type { Graph } from "../wire/graph.ts";
import type { Page } from "../runtime/run-directory.ts";
import { definitionBody } from "./definition-body.ts";
import { graphFrom, type GraphOptions } from "./graph-request.ts";
import type { PageOptions } from "./page-options.ts";
import type { Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";

/** Conditions and note for storing a definition. */
export type PutOptions = {
  /**
   * Stores the definition only if this version is the present one, or with `"*"` only if there is any. Otherwise
   * `precondition_failed`.
   */
  readonly ifVersion?: number | "*";
  /** Stores the definition only under a free name. */
  readonly ifNew?: boolean;
  /** Text for the list of versions. */
  readonly note?: string;
};

/** Definitions of one kind: those of the code, and stored ones with their versions. */
export class DefinitionsApi<View, Details> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, path: string) {
    this.#transport = transport;
    this.#path = path;
  }

  list(page: PageOptions = {}): Promise<Page<View>> {
    return this.#transport.json(this.#path, { query: { ...page } });
  }

  get(name: string): Promise<Details> {
    return this.#transport.json(this.#of(name));
  }

  /**
   * Stores a definition: an object, or YAML as a string. Each change is a version; the answer has its number as
   * `version`.
   */
  put(name: string, definition: object | string, options: PutOptions = {}): Promise<Details> {
    return this.#transport.json(this.#of(name), {
      method: "PUT",
      query: { note: options.note },
      headers: conditions(options),
      ...definitionBody(definition),
    });
  }

  /** Deletes the definition. Its versions stay. */
  async delete(name: string): Promise<void> {
    await this.#transport.send(this.#of(name), { method: "DELETE" });
  }

  /** Returns the definition as a graph: tasks of a crew, methods of a flow, speakers of a conversation. */
  graph(name: string, options: GraphOptions = {}): Promise<Graph> {
    return graphFrom(this.#transport, this.#of(name), options);
  }

  /** Checks a definition as if it were stored under `name`, and resolves to its problems. Stores nothing. */
  check(
    definition: object | string,
    { name }: { readonly name?: string } = {},
  ): Promise<DefinitionCheck> {
    return this.#transport.json(`${this.#path}/check`, {
      method: "POST",
      query: { name },
      ...definitionBody(definition),
    });
  }

  /** Lists the versions, newest first. */
  versions(name: string, page: PageOptions = {}): Promise<Page<DefinitionVersionView>> {
    return this.#transport.json(`${this.#of(name)}/versions`, { query: { ...page } });
  }

  version(name: string, version: number): Promise<DefinitionVersionDetails> {
    return this.#transport.json(`${this.#of(name)}/versions/${version}`);
  }

  /** Stores an old version again, as a new version. */
  restore(name: string, version: number, options: PutOptions = {}): Promise<Details> {
    return this.#transport.json(`${this.#of(name)}/versions/${version}/restore`, {
      method: "POST",
      query: { note: options.note },
      headers: conditions(options),
    });
  }

  #of(name: string): string {
    return namedPath(this.#path, name);
  }
}

function conditions({ ifVersion, ifNew = false }: PutOptions): Readonly<Record<string, string>> {
  return {
    ...(ifVersion === undefined
      ? undefined
      : { "if-match": ifVersion === "*" ? "*" : `"${ifVersion}"` }),
    ...(ifNew ? { "if-none-match": "*" } : undefined),
  };
}
