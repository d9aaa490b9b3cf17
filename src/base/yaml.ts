// YAML 1.2 by its core schema (`yes`, `on` and dates are texts) with merge keys, one document to a text.
import {
  constructFromEvents,
  CORE_SCHEMA,
  EVENT_ID,
  getScalarValue,
  mergeTag,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type Event,
  type ScalarStyle,
} from "js-yaml";
import { placesIn, type TextPlace } from "./text-place.ts";

/** Place of a value, and of the values in it: by key, or by number. */
export type Placed = {
  readonly offset: number;
  readonly children: ReadonlyMap<string, Placed> | readonly Placed[];
};

export type YamlText = {
  /** Parsed value; `null` for an empty text. */
  readonly value: unknown;
  readonly root: Placed;
  readonly placeAt: (offset: number) => TextPlace;
};

type RefuseAt = (reason: string, offset: number) => Error;

/** `size` is the length of the text with all aliases written out: at least one for each value. */
type Sized = Placed & { readonly size: number };

/** Characters before the value of a scalar. */
const OPENINGS: ReadonlyMap<ScalarStyle, string> = new Map([
  [SCALAR_STYLE.SINGLE_QUOTED, "'"],
  [SCALAR_STYLE.DOUBLE_QUOTED, '"'],
  [SCALAR_STYLE.LITERAL_BLOCK, "|"],
  [SCALAR_STYLE.FOLDED_BLOCK, ">"],
]);

const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/** Maximum characters added to a document by all aliases together. */
const MAX_ALIASED = 1_000_000;

/** Maximum characters read again because of brackets too far to the left. */
const MAX_REREAD = 10_000_000;

/** Parses a YAML text. Throws the result of `refuse` for the first error. */
export function readYaml(
  text: string,
  refuse: (reason: string, place: TextPlace) => Error,
): YamlText {
  const place = placesIn(text);
  const moved: number[] = [];
  const placeAt = (offset: number): TextPlace =>
    place(offset - moved.filter((at) => at < offset).length);
  const refuseAt: RefuseAt = (reason, offset) => refuse(reason, placeAt(offset));
  try {
    const { source, events } = parse(text, moved);
    const root = new Places(events, source, refuseAt).document();
    const [value = null] = constructFromEvents(events, { source, schema: SCHEMA });
    return { value, root, placeAt };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw refuseAt(error.reason, error.mark?.position ?? 0);
  }
}

/** A value as it is written: a scalar's text, a sequence, or a mapping. */
export type YamlNode = string | readonly YamlNode[] | ReadonlyMap<string, YamlNode>;

/** A document of a text, with the places of its values. */
export type YamlDocument = { readonly node: YamlNode; readonly root: Placed };

/**
 * Returns the documents of a text. Tags are skipped, and `<<` is a key. Throws the result of `refuse` for the first
 * error.
 */
export function readYamlDocuments(
  text: string,
  refuse: (reason: string, place: TextPlace) => Error,
): readonly YamlDocument[] {
  const place = placesIn(text);
  const refuseAt: RefuseAt = (reason, offset) => refuse(reason, place(offset));
  try {
    const { source, events } = parse(text, []);
    const roots = new Places(events, source, refuseAt).documents();
    const nodes = new Nodes(events, source).documents();
    const empty: Placed = { offset: 0, children: [] };
    return nodes.map((node, index) => ({ node, root: roots[index] ?? empty }));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw refuseAt(error.reason, error.mark?.position ?? 0);
  }
}

/** Builds values whose aliases `Places` has checked. An alias is the same value again. */
class Nodes {
  readonly #events: readonly Event[];
  readonly #source: string;
  readonly #anchors = new Map<string, YamlNode>();
  #index = 0;

  constructor(events: readonly Event[], source: string) {
    this.#events = events;
    this.#source = source;
  }

  documents(): YamlNode[] {
    const documents: YamlNode[] = [];
    while (this.#index < this.#events.length) {
      this.#index++;
      this.#anchors.clear();
      if (!this.#isEnd()) documents.push(this.#next());
      this.#index++;
    }
    return documents;
  }

  #isEnd(): boolean {
    return this.#events[this.#index]?.type === EVENT_ID.POP;
  }

  #next(): YamlNode {
    const event = this.#events[this.#index++];
    if (event === undefined || !("anchorStart" in event)) return "";
    const anchor = this.#source.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) return this.#anchors.get(anchor) ?? "";
    const node = this.#value(event);
    if (anchor !== "") this.#anchors.set(anchor, node);
    return node;
  }

  #value(event: ValueEvent): YamlNode {
    if (event.type === EVENT_ID.SCALAR) return getScalarValue(this.#source, event);
    const items: YamlNode[] = [];
    while (!this.#isEnd()) items.push(this.#next());
    this.#index++;
    if (event.type === EVENT_ID.SEQUENCE) return items;
    const fields = new Map<string, YamlNode>();
    for (let at = 0; at + 1 < items.length; at += 2) {
      const key = items[at] ?? "";
      fields.set(typeof key === "string" ? key : JSON.stringify(key), items[at + 1] ?? "");
    }
    return fields;
  }
}

/**
 * Parses a text. PyYAML allows a `]` or `}` in the column of its key, and many files have it; the specification and
 * js-yaml require more indentation. Such a bracket is moved by a space, noted in `moved`, and the text read again.
 */
function parse(text: string, moved: number[]): { source: string; events: Event[] } {
  for (let source = text; ;) {
    try {
      return { source, events: parseEvents(source, {}) };
    } catch (error) {
      const isIndent = error instanceof YAMLException && error.reason === "deficient indentation";
      const at = (isIndent ? error.mark?.position : undefined) ?? -1;
      if (!/[\]}]/.test(source.charAt(at)) || moved.length * text.length > MAX_REREAD) throw error;
      moved.push(at);
      source = `${source.slice(0, at)} ${source.slice(at)}`;
    }
  }
}

/** Finds the place of each value. Refuses aliases that make a document large or endless, before any value is built. */
class Places {
  readonly #events: readonly Event[];
  readonly #source: string;
  readonly #refuse: RefuseAt;
  /** Undefined for a name whose value is incomplete. */
  readonly #anchors = new Map<string, Sized | undefined>();
  #index = 0;
  #aliased = 0;

  constructor(events: readonly Event[], source: string, refuse: RefuseAt) {
    this.#events = events;
    this.#source = source;
    this.#refuse = refuse;
  }

  document(): Placed {
    this.#index++;
    const root = this.#next(0);
    this.#index += 2;
    if (this.#index < this.#events.length)
      throw this.#refuse("there must be one document, got more", this.#next(0).offset);
    return root;
  }

  /** Checks every document. An anchor belongs to one. */
  documents(): Placed[] {
    const roots: Placed[] = [];
    while (this.#index < this.#events.length) {
      this.#index++;
      this.#anchors.clear();
      if (this.#events[this.#index]?.type !== EVENT_ID.POP) roots.push(this.#next(0));
      this.#index++;
    }
    return roots;
  }

  #next(above: number): Sized {
    const event = this.#events[this.#index++];
    if (event === undefined || !("anchorStart" in event))
      return { offset: above, size: 0, children: [] };
    const anchor = this.#source.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) return this.#alias(anchor, event.anchorStart - 1);
    if (anchor !== "") this.#anchors.set(anchor, undefined);
    const placed = this.#value(event, above);
    if (anchor !== "") this.#anchors.set(anchor, placed);
    return placed;
  }

  #alias(anchor: string, offset: number): Sized {
    const target = this.#anchors.get(anchor);
    if (target === undefined)
      throw this.#refuse(`the alias *${anchor} must follow the end of its anchor`, offset);
    this.#aliased += target.size;
    if (this.#aliased > MAX_ALIASED)
      throw this.#refuse(`aliases must not add more than ${MAX_ALIASED} characters`, offset);
    return { ...target, offset };
  }

  #value(event: ValueEvent, above: number): Sized {
    if (event.type === EVENT_ID.SCALAR) {
      const { valueStart: start, valueEnd, style } = event;
      const opening = OPENINGS.get(style);
      const begin = opening === undefined ? start : this.#source.lastIndexOf(opening, start - 1);
      const offset = start < 0 ? above : begin;
      return { offset, size: 1 + valueEnd - start, children: [] };
    }
    const { start: offset } = event;
    let size = 1;
    const sized = (placed: Sized): Sized => {
      size += placed.size;
      return placed;
    };
    const isEnd = (): boolean => this.#events[this.#index]?.type === EVENT_ID.POP;
    if (event.type === EVENT_ID.SEQUENCE) {
      const children: Placed[] = [];
      while (!isEnd()) children.push(sized(this.#next(offset)));
      this.#index++;
      return { offset, size, children };
    }
    const children = new Map<string, Placed>();
    while (!isEnd()) {
      const key = this.#events[this.#index];
      const { offset: keyOffset } = sized(this.#next(offset));
      const value = sized(this.#next(keyOffset));
      if (key?.type === EVENT_ID.SCALAR)
        children.set(getScalarValue(this.#source, key), { ...value, offset: keyOffset });
    }
    this.#index++;
    return { offset, size, children };
  }
}

type ValueEvent = Extract<Event, { readonly tagStart: number }>;
