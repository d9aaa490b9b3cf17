// Elements of a page matching a CSS selector, with their texts.
//
//   HEL1. Matches may be nested; each has its whole text, without scripts and styles. End tags may be missing.
//   HEL2. The work of a selection is limited, for any page and selector.
import {
  AS_WRITTEN,
  characterReferences,
  type Decode,
} from "../../../knowledge/readers/html-text.ts";
import {
  attributeIn,
  HtmlScanner,
  type HtmlHandler,
} from "../../../knowledge/readers/html-scanner.ts";
import { ReadingWork } from "../../../knowledge/readers/reading-work.ts";
import { errorMessage } from "../../../base/error.ts";
import { serviceFailure } from "../base/service-failure.ts";

type Element = {
  readonly name: string;
  readonly source: string;
  readonly parent: Element | null;
  readonly children: Element[];
  /** Children of its parent, including itself. */
  readonly siblings: Element[];
  /** Start in the text of the page. */
  readonly start: number;
  end: number;
};

export type Selection = {
  /** Text or attribute of each match, in the order of the page. */
  readonly texts: readonly string[];
  /** True if there are more matches. */
  readonly isCut: boolean;
};

const MAX_ELEMENTS = 200_000;
const MAX_SELECTOR = 1_000;
const MAX_MATCHES = 2_000;
const MAX_CHARACTERS = 1_000_000;
/** Maximum number of steps between elements during the comparison with a selector. */
const MAX_STEPS = 100_000_000;
const PIECE_LENGTH = 32 * 1024;
const ELEMENTS_AT_ONCE = 500;
const UNSEEN = new Set("script style noscript iframe noembed noframes".split(" "));
/** Elements that end a word. */
const BREAKS = new Set(
  "address article aside blockquote br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);

/**
 * Returns the texts of the elements matching a selector, or the values of one of their attributes. Throws the failure
 * `bad_request` for an invalid selector, and `too_large` for a page too large for it.
 */
export async function selectElements(
  html: string,
  selector: string,
  attribute?: string,
): Promise<Selection> {
  const decode = html.includes("&") ? await characterReferences() : AS_WRITTEN;
  const page = new ElementTree(decode);
  const matches = await matcher(selector, page);
  const work = new ReadingWork("page");
  const scanner = new HtmlScanner(html, page);
  while (scanner.advance(PIECE_LENGTH)) {
    work.spend(PIECE_LENGTH);
    await work.pause();
  }
  const texts: string[] = [];
  let characters = 0;
  for (const [index, element] of page.elements.entries()) {
    if (index % ELEMENTS_AT_ONCE === 0) {
      work.spend(ELEMENTS_AT_ONCE * 20);
      await work.pause();
    }
    if (!matches(element)) continue;
    if (texts.length >= MAX_MATCHES || characters > MAX_CHARACTERS) return { texts, isCut: true };
    const text =
      attribute === undefined
        ? page.textOf(element, MAX_CHARACTERS)
        : page.attributeOf(element, attribute.toLowerCase());
    if (text === undefined) continue;
    const line = text.replaceAll("\0", "").replaceAll(/\s+/g, " ").trim();
    texts.push(line);
    characters += line.length;
  }
  return { texts, isCut: false };
}

/** Creates a matcher for a selector. Throws the failure `bad_request` for an invalid one. */
async function matcher(
  selector: string,
  page: ElementTree,
): Promise<(element: Element) => boolean> {
  const { compile } = await import("css-select");
  let steps = 0;
  const spend = <T>(value: T, cost = 1): T => {
    steps += cost;
    if (steps <= MAX_STEPS) return value;
    throw serviceFailure({
      code: "too_large",
      message: `The selector ${JSON.stringify(selector)} takes too much work on this page.`,
    });
  };
  try {
    if (selector.trim() === "") throw new Error("it is empty");
    if (selector.length > MAX_SELECTOR)
      throw new Error(`it has more than ${MAX_SELECTOR} characters`);
    return compile<Element, Element>(selector, {
      adapter: {
        isTag: (node): node is Element => spend(node.name !== ""),
        getName: ({ name }) => spend(name),
        getParent: ({ parent }) => spend(parent),
        getChildren: ({ children }) => spend(children),
        getSiblings: ({ siblings }) => spend(siblings, 1 + siblings.length / 10),
        prevElementSibling: (element) => {
          const at = element.siblings.indexOf(element);
          return spend(element.siblings[at - 1] ?? null, 1 + element.siblings.length / 10);
        },
        getAttributeValue: (element, name) =>
          spend(page.attributeOf(element, name), 1 + element.source.length / 10),
        hasAttrib: (element, name) =>
          spend(page.attributeOf(element, name) !== undefined, 1 + element.source.length / 10),
        getText: (element) => spend(page.textOf(element), (element.end - element.start) / 10),
        removeSubsets: (nodes) => nodes,
        equals: (one, other) => spend(one === other),
      },
      pseudos: { empty: ({ start, end, children }) => start === end && children.length === 0 },
    });
  } catch (error) {
    throw serviceFailure({
      code: "bad_request",
      message: `The selector ${JSON.stringify(selector.slice(0, 200))} is not understood: ${errorMessage(error)}`,
    });
  }
}

class ElementTree implements HtmlHandler {
  readonly elements: Element[] = [];
  readonly #decode: Decode;
  readonly #roots: Element[] = [];
  readonly #texts: string[] = [];
  #length = 0;
  #whole: string | undefined;
  #parent: Element | null = null;
  /** Depth of open `template` elements. Their content is not part of the page. */
  #templates = 0;

  constructor(decode: Decode) {
    this.#decode = decode;
  }

  /** Returns the text of an element; only after the page is read. */
  textOf({ start, end }: Element, maxCharacters = Infinity): string {
    this.#whole ??= this.#texts.join("");
    return this.#whole.slice(start, Math.min(end, start + maxCharacters));
  }

  attributeOf({ source }: Element, name: string): string | undefined {
    const value = attributeIn(source, name);
    return value?.includes("&") === true ? this.#decode.attribute(value) : value;
  }

  readonly open = (name: string, source: string): void => {
    if (this.#templates > 0 || name === "template") {
      this.#templates++;
      return;
    }
    if (this.elements.length >= MAX_ELEMENTS)
      throw serviceFailure({
        code: "too_large",
        message: `The page has more than ${MAX_ELEMENTS} elements.`,
      });
    if (BREAKS.has(name)) this.#add(" ");
    const parent = this.#parent;
    const siblings = parent?.children ?? this.#roots;
    const element: Element = {
      name,
      source,
      parent,
      children: [],
      siblings,
      start: this.#length,
      end: this.#length,
    };
    siblings.push(element);
    this.elements.push(element);
    this.#parent = element;
  };

  readonly close = (name: string): void => {
    if (this.#templates > 0) {
      this.#templates--;
      return;
    }
    if (this.#parent === null) return;
    this.#parent.end = this.#length;
    this.#parent = this.#parent.parent;
    if (BREAKS.has(name)) this.#add(" ");
  };

  readonly text = (source: string, raw?: string): void => {
    if (this.#templates === 0 && (raw === undefined || !UNSEEN.has(raw)))
      this.#add(source.includes("&") ? this.#decode.text(source) : source);
  };

  #add(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
  }
}
