// Lists, mappings and what stands in them: a reader of YAML that goes down from the document, and knows the place of each value.
import { YamlCursor, type RefuseAt } from "./yaml-cursor.ts";
import { takeBlock, takePlain, takeQuoted } from "./yaml-scalar-reader.ts";
import { Entries, type YamlNode } from "./yaml-entries.ts";
import { YamlNodes, type Properties } from "./yaml-nodes.ts";
import { Tags } from "./yaml-values.ts";

const MAX_DEPTH = 100;

const NO_TABS = "tab characters must not be used in indentation";

const PROPERTY = /([&!])((?:<[^ \t\n>]*>)?[^ \t\n,[\]{}]*)/y;
const ALIAS = /\*([^ \t\n,[\]{}]+)/y;
const DASH = /-(?=[ \t\n]|$)/y;
const QUESTION = /\?(?=[ \t\n]|$)/y;
const COLON = /[ \t]*:(?=[ \t\n]|$)/y;
const FLOW_QUESTION = /\?(?=[ \t\n,[\]{}]|$)/y;
/** Behind quotes and brackets. */
const NEAR_COLON = /:/y;
const FLOW_COLON = /:(?=[ \t\n,[\]{}]|$)/y;

/** What begins an entry of a mapping: a short key in one line, or `?`. */
const ENTRY =
  /\?(?=[ \t\n]|$)|(?:[&!][^ \t\n]*[ \t]+)*(?:\*[^ \t\n,[\]{}]+|"(?:[^"\\\n]|\\.){0,1024}"|'(?:[^'\n]|''){0,1024}'|(?:[^ \t\n\-?:,[\]{}#&*!|>'"%@`]|[-?:](?=[^ \t\n]))(?:[ \t]*(?:[^ \t\n:#]|:(?=[^ \t\n])|(?<=[^ \t\n])#)){0,1024}|)[ \t]*:(?=[ \t\n]|$)/y;

/** Where a value of a block may stand. */
type Room = {
  /** The least indentation of its lines. */
  readonly least: number;
  /** The place of a value that is not there. */
  readonly above: number;
  /** Whether a list or a mapping may begin in the line in which the cursor is. */
  readonly isOpen: boolean;
  /** Whether a list may stand one column further left. */
  readonly holdsList?: boolean;
};

export class YamlReader {
  readonly #cursor: YamlCursor;
  readonly #refuse: RefuseAt;
  readonly #tags = new Tags();
  readonly #nodes: YamlNodes;
  #depth = 0;

  constructor(text: string, refuse: RefuseAt) {
    this.#cursor = new YamlCursor(text, refuse);
    this.#refuse = refuse;
    this.#nodes = new YamlNodes(refuse);
  }

  document(): YamlNode {
    const cursor = this.#cursor;
    cursor.skip();
    const hasDirectives = this.#directives();
    const hasMarker = cursor.marker === "---";
    if (hasMarker) cursor.at += 3;
    else if (hasDirectives) throw this.#refuse("directives end mark is expected", cursor.at);
    const root = this.#block({ least: 0, above: 0, isOpen: !hasMarker });
    cursor.skip();
    if (!cursor.isOver)
      throw this.#refuse("end of the text or a document separator is expected", cursor.at);
    if (cursor.marker === "...") {
      cursor.at += 3;
      cursor.skip();
    } else if (cursor.marker === "---") {
      cursor.at += 3;
      cursor.skip();
      throw this.#refuse("there must be one document, got more", cursor.at);
    }
    if (cursor.next === "") return root;
    throw this.#refuse("there must be one document, got more", cursor.at);
  }

  #directives(): boolean {
    const cursor = this.#cursor;
    let isSome = false;
    for (; cursor.column === 0 && cursor.next === "%"; cursor.skip()) {
      const { at } = cursor;
      const [, name = "", first = "", second = ""] =
        cursor.take(/%([^ \t\n]*)[ \t]*([^ \t\n]*)[ \t]*([^ \t\n]*)[^\n]*/y) ?? [];
      if (name === "YAML" && !/^1\.\d+$/.test(first))
        throw this.#refuse("unacceptable YAML version of the document", at);
      if (name === "TAG") this.#tags.add(first, second);
      isSome = true;
    }
    return isSome;
  }

  /** A value of a block, from behind what announces it. */
  #block({ least, above, isOpen, holdsList = false }: Room): YamlNode {
    const cursor = this.#cursor;
    let hasEnded = cursor.skip();
    let mayNest = isOpen || hasEnded;
    let properties: Properties = { tagAt: -1 };
    for (;;) {
      const isList = cursor.look(DASH) !== undefined;
      const room = holdsList && isList ? least - 1 : least;
      if (cursor.isOver || (hasEnded && cursor.indentation < room))
        return this.#nodes.scalar("", { offset: above, properties });
      if (mayNest && (isList || cursor.look(ENTRY) !== undefined)) {
        if (cursor.isTabbed) throw this.#refuse(NO_TABS, cursor.at);
        return this.#nested(properties, isList ? "list" : "mapping");
      }
      const property = this.#property(properties);
      if (property === undefined) break;
      properties = property;
      hasEnded = cursor.skip();
      mayNest = hasEnded;
    }
    const offset = cursor.at;
    const block = takeBlock(cursor, least);
    if (block !== undefined)
      return this.#nodes.scalar(block, { offset, properties, isPlain: false });
    const node = this.#single(properties, { indentation: least, isFlow: false });
    if (node !== undefined) return node;
    throw this.#refuse(`a value is expected, got ${JSON.stringify(cursor.next)}`, cursor.at);
  }

  #nested(properties: Properties, kind: "list" | "mapping"): YamlNode {
    this.#deeper();
    const node = kind === "list" ? this.#list(properties) : this.#mapping(properties);
    this.#depth--;
    return node;
  }

  #list(properties: Properties): YamlNode {
    const cursor = this.#cursor;
    const { column, at: offset } = cursor;
    this.#nodes.begin(properties);
    const items: YamlNode[] = [];
    do {
      if (cursor.take(DASH) === undefined) break;
      items.push(this.#block({ least: column + 1, above: offset, isOpen: true }));
    } while (this.#follows(column, "sequence"));
    return this.#nodes.list(items, { offset, properties });
  }

  #mapping(properties: Properties): YamlNode {
    const cursor = this.#cursor;
    const { column, at: offset } = cursor;
    this.#nodes.begin(properties);
    const entries = new Entries(this.#refuse);
    do {
      const isLong = cursor.take(QUESTION) !== undefined;
      const { at } = cursor;
      const long = { least: column + 1, above: at, isOpen: true };
      const key = isLong ? this.#block(long) : this.#key();
      if (isLong) cursor.skip();
      const hasValue = !isLong || (cursor.isFirst && cursor.column === column);
      const isPair = hasValue && cursor.take(COLON) !== undefined;
      if (!isPair && !isLong) throw this.#refuse("expected ':' after a mapping key", cursor.at);
      const room = { least: column + 1, above: key.offset, isOpen: isLong, holdsList: true };
      const value = isPair ? this.#block(room) : this.#nodes.scalar("", { offset: key.offset });
      entries.add(key, value);
    } while (this.#follows(column, "mapping"));
    return this.#nodes.mapping(entries, { offset, properties });
  }

  /** Whether another entry of a list or a mapping stands in this column. */
  #follows(column: number, kind: "sequence" | "mapping"): boolean {
    const cursor = this.#cursor;
    cursor.skip();
    if (cursor.isOver || (cursor.isFirst && cursor.column < column)) return false;
    if (cursor.isFirst && cursor.column === column) return true;
    throw this.#refuse(cursor.isTabbed ? NO_TABS : `bad indentation of a ${kind} entry`, cursor.at);
  }

  /** The key of an entry, in one line. */
  #key(): YamlNode {
    const cursor = this.#cursor;
    if (cursor.look(ENTRY) === undefined)
      throw this.#refuse("expected ':' after a mapping key", cursor.at);
    let properties: Properties = { tagAt: -1 };
    for (;;) {
      const property = this.#property(properties);
      if (property === undefined) break;
      properties = property;
      cursor.skipBlanks();
    }
    const offset = cursor.at;
    const place = { indentation: 0, isFlow: false };
    const node = cursor.look(COLON) ? undefined : this.#single(properties, place);
    return node ?? this.#nodes.scalar("", { offset, properties });
  }

  /** An anchor or a tag, with those before it. */
  #property(before: Properties): Properties | undefined {
    const cursor = this.#cursor;
    const { at } = cursor;
    const [, sign, name = ""] = cursor.take(PROPERTY) ?? [];
    if (sign === undefined) return undefined;
    if (sign === "&") {
      if (name === "" || before.anchor !== undefined)
        throw this.#refuse("a value has one anchor, with a name", at);
      return { ...before, anchor: name };
    }
    if (before.tag !== undefined) throw this.#refuse("duplication of a tag property", at);
    const tag = this.#tags.full(sign + name);
    if (tag === undefined) throw this.#refuse(`undeclared tag handle of "${sign + name}"`, at);
    return { ...before, tag, tagAt: at };
  }

  /** An alias, a value in brackets or a text; undefined where none begins. */
  #single(
    properties: Properties,
    place: { readonly indentation: number; readonly isFlow: boolean },
  ): YamlNode | undefined {
    const cursor = this.#cursor;
    const offset = cursor.at;
    if (/[[{]/.test(cursor.next)) return this.#brackets(properties, place.indentation);
    const alias = cursor.take(ALIAS)?.[1];
    if (alias !== undefined) return this.#nodes.alias(alias, { offset, properties });
    const quoted = takeQuoted(cursor, place.indentation);
    if (quoted !== undefined)
      return this.#nodes.scalar(quoted, { offset, properties, isPlain: false });
    const plain = takePlain(cursor, place);
    return plain === undefined ? undefined : this.#nodes.scalar(plain, { offset, properties });
  }

  #brackets(properties: Properties, indentation: number): YamlNode {
    const cursor = this.#cursor;
    const offset = cursor.at;
    const isList = cursor.next === "[";
    const end = isList ? "]" : "}";
    this.#deeper();
    this.#nodes.begin(properties);
    cursor.at++;
    const items: YamlNode[] = [];
    const entries = new Entries(this.#refuse);
    while (this.#within(indentation) !== end) {
      const { at } = cursor;
      const isLong = cursor.take(FLOW_QUESTION) !== undefined;
      if (isLong) this.#within(indentation);
      const key = this.#inner(at, indentation);
      const isClear = /["'\]}]/.test(cursor.text.charAt(cursor.at - 1)) && cursor.at > at;
      this.#within(indentation);
      const isPair = cursor.take(isClear ? NEAR_COLON : FLOW_COLON);
      if (isPair) this.#within(indentation);
      if (cursor.at === at)
        throw this.#refuse(`a value is expected, got ${JSON.stringify(cursor.next)}`, at);
      const value = isPair
        ? this.#inner(key.offset, indentation)
        : this.#nodes.scalar("", { offset: key.offset });
      if (!isList) entries.add(key, value);
      else if (isPair || isLong) {
        const pair = new Entries(this.#refuse);
        pair.add(key, value);
        items.push(this.#nodes.mapping(pair, { offset: key.offset }));
      } else items.push(key);
      const next = this.#within(indentation);
      if (next === ",") cursor.at++;
      else if (next !== end)
        throw this.#refuse("missed comma between flow collection entries", cursor.at);
    }
    cursor.at++;
    this.#depth--;
    return isList
      ? this.#nodes.list(items, { offset, properties })
      : this.#nodes.mapping(entries, { offset, properties });
  }

  /** A value between brackets; `null` where there is none. */
  #inner(above: number, indentation: number): YamlNode {
    let properties: Properties = { tagAt: -1 };
    for (;;) {
      const property = this.#property(properties);
      if (property === undefined) break;
      properties = property;
      this.#within(indentation);
    }
    const node = this.#single(properties, { indentation, isFlow: true });
    return node ?? this.#nodes.scalar("", { offset: above, properties });
  }

  /** Passes what stands between values in brackets, and tells what comes. A closing bracket may stand in any column. */
  #within(indentation: number): string {
    const cursor = this.#cursor;
    const hasEnded = cursor.skip();
    const { next } = cursor;
    if (next === "" || cursor.marker !== undefined)
      throw this.#refuse("unexpected end of the text within brackets", cursor.at);
    if (hasEnded && cursor.indentation < indentation && !/[\]}]/.test(next))
      throw this.#refuse("deficient indentation", cursor.at);
    return next;
  }

  #deeper(): void {
    if (this.#depth++ < MAX_DEPTH) return;
    throw this.#refuse(`nesting exceeded maxDepth (${MAX_DEPTH})`, this.#cursor.at);
  }
}
