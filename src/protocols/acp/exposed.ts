// Startable subjects for the protocol's clients, by their ids: `crew/briefing`.
import { EngineError } from "../../base/error.ts";
import type { ExampleSubject } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import { Exposure, refOf, type Expose } from "../exposure.ts";

/** An exposed crew, agent or flow, by its key `kind/name`. */
export type ExposedAgent = Pick<ExposedSubject, "kind" | "name" | "subject" | "info"> & {
  readonly key: string;
};

export class Exposed {
  readonly #expose: Expose;
  readonly #exposure: Exposure;

  constructor(expose: Expose, host: Pick<PartHost, "parts" | "definitions">) {
    this.#expose = expose;
    this.#exposure = new Exposure(expose, host);
  }

  /** Returns the subject of a key; undefined for an unknown or unexposed one. */
  async find(tenant: string, key: string): Promise<ExposedAgent | undefined> {
    try {
      return { ...(await this.#exposure.findOwn(tenant, refOf(key))), key };
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    }
  }

  /** Lists all startable subjects of the tenant. */
  async list(tenant: string): Promise<readonly ExposedAgent[]> {
    const all = await this.#exposure.list(tenant);
    return all.map((each) => ({ ...each, key: `${each.kind}/${each.name}` }));
  }

  /** Lists the public subjects: those exposed by name in the code. */
  async inPublic(): Promise<readonly ExposedAgent[]> {
    return this.#expose === "all" ? [] : this.list("");
  }

  /** Returns a key and a text for examples: of a subject exposed by name in the code, otherwise of this one. */
  example({ kind, name, inputs }: ExampleSubject): { readonly key: string; readonly text: string } {
    const own = `${kind}/${name}`;
    const [named = own] = this.#expose === "all" ? [] : Object.keys(this.#expose);
    const takesInputs = named === own && Object.keys(inputs).length > 0;
    return { key: named, text: takesInputs ? JSON.stringify(inputs) : "Edge computing" };
  }
}
