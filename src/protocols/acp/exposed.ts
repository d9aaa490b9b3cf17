// What the protocol's clients may start.
import { EngineError } from "../../base/error.ts";
import type { ExampleSubject } from "../../parts/operation.ts";
import type { Part, PartHost, Subject } from "../../parts/part.ts";
import { findSubject, subjectsOf } from "../../parts/subjects.ts";
import type { AgentSkill } from "./task.ts";

/** How an exposed crew, agent or flow is described. */
export type ExposedAgent = {
  readonly description?: string;
  /** @default one whose id is the name */
  readonly skills?: readonly AgentSkill[];
};

/** Everything that can be started, or some of it by kind and name: `{ "crew/briefing": {} }`. */
export type Expose = "all" | Readonly<Record<string, ExposedAgent>>;

/** An exposed crew, agent or flow, by its key `kind/name`. */
export type ExposedSubject = ExposedAgent & {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
};

/** Stored definitions that a list shows, of each kind. */
const MAX_STORED = 100;

export class Exposed {
  readonly #expose: Expose;
  readonly #sources: Parameters<typeof findSubject>[0] & Pick<PartHost, "definitions">;

  constructor(expose: Expose, { parts, definitions }: Pick<PartHost, "parts" | "definitions">) {
    this.#expose = expose;
    this.#sources = { subjects: subjectsOf(parts), definitions };
  }

  /** The subject of a key; undefined if there is none, or none that is exposed. */
  async find(
    tenant: string,
    key: string,
  ): Promise<(ExposedSubject & { readonly subject: Subject }) | undefined> {
    const exposed = this.#read(key);
    if (exposed === undefined) return undefined;
    try {
      return { ...exposed, subject: await findSubject(this.#sources, tenant, exposed) };
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    }
  }

  /** All that the tenant can start: those of the code, then its stored ones. */
  async list(tenant: string): Promise<readonly ExposedSubject[]> {
    const keys = await (this.#expose === "all" ? this.#all(tenant) : Object.keys(this.#expose));
    return keys.map((key) => this.#read(key)).filter((each) => each !== undefined);
  }

  /** What everybody may see: what the code exposes by name. */
  get inPublic(): readonly ExposedSubject[] {
    const keys = this.#expose === "all" ? [] : Object.keys(this.#expose);
    return keys.map((key) => this.#read(key)).filter((each) => each !== undefined);
  }

  /** A key and a text for examples: of what everybody may see, else of this subject. */
  example({ kind, name, inputs }: ExampleSubject): { readonly key: string; readonly text: string } {
    const own = `${kind}/${name}`;
    const key = this.inPublic[0]?.key ?? own;
    const takesInputs = key === own && Object.keys(inputs).length > 0;
    return { key, text: takesInputs ? JSON.stringify(inputs) : "Edge computing" };
  }

  async #all(tenant: string): Promise<readonly string[]> {
    const { subjects, definitions } = this.#sources;
    const kinds = [...subjects].map(async ([kind, { names, read }]) => {
      const page = read && (await definitions.list(tenant, kind, { limit: MAX_STORED }));
      const all = new Set([...names(), ...(page ?? []).map(({ name }) => name)]);
      return [...all].map((name) => `${kind}/${name}`);
    });
    return (await Promise.all(kinds)).flat();
  }

  #read(key: string): ExposedSubject | undefined {
    const [, kind = "", name = ""] = /^([^/]+)\/(.+)$/s.exec(key) ?? [];
    if (name === "") return undefined;
    if (this.#expose === "all") return { key, kind, name };
    return Object.hasOwn(this.#expose, key) ? { key, kind, name, ...this.#expose[key] } : undefined;
  }
}

/** Throws `invalid_definition` for keys that no part of the app can start. */
export function checkExpose(expose: Expose, parts: readonly Part[]): void {
  if (expose === "all") return;
  const kinds = [...subjectsOf(parts).keys()];
  for (const key of Object.keys(expose))
    if (!kinds.some((kind) => key.startsWith(`${kind}/`) && key.length > kind.length + 1))
      throw new EngineError(
        "invalid_definition",
        `acp({ expose }) takes keys such as "crew/briefing"; the kinds of this app are ${kinds.join(", ")}, got ${JSON.stringify(key)}`,
      );
}
