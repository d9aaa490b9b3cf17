// The entries of a YAML mapping, each key once, and what is merged into it by `<<`.
import { isJsonObject } from "./json.ts";
import type { RefuseAt } from "./yaml-cursor.ts";

/** A value with its place. `size` is that of its text, with all aliases written out: at least one for each value. */
export type YamlNode = {
  readonly value: unknown;
  readonly offset: number;
  readonly children: ReadonlyMap<string, YamlNode> | readonly YamlNode[];
  readonly size: number;
  /** Whether it is the key `<<`. */
  readonly isMerge?: boolean;
};

export class Entries {
  readonly #refuse: RefuseAt;
  readonly #own = new Map<string, unknown>();
  readonly #merged = new Map<string, unknown>();
  /** By key; each stands where its key does. */
  readonly children = new Map<string, YamlNode>();
  size = 1;

  constructor(refuse: RefuseAt) {
    this.#refuse = refuse;
  }

  add(key: YamlNode, value: YamlNode): void {
    if (typeof key.value === "object" && key.value !== null)
      throw this.#refuse("a key must be one value, got a list or a mapping", key.offset);
    const name = String(key.value);
    this.children.set(name, { ...value, offset: key.offset });
    this.size += key.size + value.size;
    if (key.isMerge) {
      const sources: readonly unknown[] = Array.isArray(value.value) ? value.value : [value.value];
      for (const each of sources) this.#merge(each, value);
    } else {
      if (this.#own.has(name)) throw this.#refuse("duplicated mapping key", key.offset);
      this.#own.set(name, value.value);
    }
  }

  /** Its own keys go before merged ones, and these before those that are merged later. */
  value(): Record<string, unknown> {
    return Object.fromEntries([...this.#merged, ...this.#own]);
  }

  #merge(source: unknown, { offset }: YamlNode): void {
    if (!isJsonObject(source))
      throw this.#refuse("what is merged must be a mapping or a list of mappings", offset);
    for (const [key, value] of Object.entries(source))
      if (!this.#merged.has(key)) this.#merged.set(key, value);
  }
}
