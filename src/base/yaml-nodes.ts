// The values of a YAML document as they become complete, with what their tags make of them and what aliases repeat.
import type { RefuseAt } from "./yaml-cursor.ts";
import type { Entries, YamlNode } from "./yaml-entries.ts";
import { isCollectionTag, plainValue, taggedValue } from "./yaml-values.ts";

/** What may stand before a value: its name for aliases, and its tag in full. */
export type Properties = {
  readonly anchor?: string;
  readonly tag?: string;
  readonly tagAt: number;
};

type Place = {
  readonly offset: number;
  readonly properties?: Properties;
  readonly isPlain?: boolean;
};

/** How many characters all aliases together may add to a document. */
const MAX_ALIASED = 1_000_000;

export class YamlNodes {
  readonly #refuse: RefuseAt;
  /** Nothing for a name whose value is not complete. */
  readonly #anchors = new Map<string, YamlNode | undefined>();
  #aliased = 0;

  constructor(refuse: RefuseAt) {
    this.#refuse = refuse;
  }

  /** A list or a mapping begins: until it is complete, its name stands for nothing. */
  begin({ anchor }: Properties): void {
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
  }

  alias(name: string, { offset, properties }: Place): YamlNode {
    if (properties?.anchor !== undefined || properties?.tag !== undefined)
      throw this.#refuse("an alias has no anchor and no tag", offset);
    const target = this.#anchors.get(name);
    if (target === undefined)
      throw this.#refuse(`the alias *${name} must follow the end of what it names`, offset);
    this.#aliased += target.size;
    if (this.#aliased > MAX_ALIASED)
      throw this.#refuse(`aliases must not add more than ${MAX_ALIASED} characters`, offset);
    return { ...target, offset };
  }

  /** The value of a text, which is empty where none stands. */
  scalar(text: string, { offset, properties, isPlain = true }: Place): YamlNode {
    const { tag, tagAt = offset } = properties ?? {};
    const plain = isPlain ? plainValue(text) : text;
    const value = tag === undefined ? plain : taggedValue(tag, text);
    if (value === undefined) throw this.#refuse(`unknown scalar tag !<${tag}>`, tagAt);
    const isMerge = isPlain && tag === undefined && text === "<<";
    const size = 1 + text.length;
    return this.#known({ value, offset, children: [], size, isMerge }, properties);
  }

  list(items: readonly YamlNode[], { offset, properties }: Place): YamlNode {
    this.#checkTag(properties, "sequence");
    const value = items.map((item) => item.value);
    const size = items.reduce((total, item) => total + item.size, 1);
    return this.#known({ value, offset, children: items, size }, properties);
  }

  mapping(entries: Entries, { offset, properties }: Place): YamlNode {
    this.#checkTag(properties, "mapping");
    const { children, size } = entries;
    return this.#known({ value: entries.value(), offset, children, size }, properties);
  }

  #checkTag(properties: Properties | undefined, kind: "sequence" | "mapping"): void {
    const { tag, tagAt = 0 } = properties ?? {};
    if (tag !== undefined && !isCollectionTag(tag, kind))
      throw this.#refuse(`unknown ${kind} tag !<${tag}>`, tagAt);
  }

  #known(node: YamlNode, { anchor }: Partial<Properties> = {}): YamlNode {
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }
}
