import type { LossKind } from "../document-losses.ts";
import type { TextBuilder } from "../text-builder.ts";
import { attributeIn } from "./html-scanner.ts";

/** Elements with content of another kind. */
const OTHER_CONTENT: Readonly<Record<string, LossKind>> = {
  iframe: "frame",
  frame: "frame",
  object: "embedded_file",
  embed: "embedded_file",
  canvas: "drawing",
  audio: "media",
  video: "media",
};
/** Maximum length of a page's text that a script may replace by another one. */
const MAX_SHELL = 200;

/** Reports content of a page that is not read. */
export class HtmlLosses {
  readonly #builder: TextBuilder;
  /** Kind of the skipped element, and whether it has text so far. */
  #skipped: { readonly kind: LossKind; isDone: boolean } | undefined;
  #labels = 0;

  constructor(builder: TextBuilder) {
    this.#builder = builder;
  }

  /** Begins an element that is skipped with its content. */
  skip(name: string, source: string, isHidden: boolean): void {
    const kind = OTHER_CONTENT[name];
    if (isHidden) this.#skipped = { kind: "hidden", isDone: false };
    else if (kind !== undefined) this.element(name, source);
    else if (name === "svg") this.#skipped = { kind: "drawing", isDone: false };
    else if (!WITHOUT_TEXT.has(name)) this.#skipped = { kind: "navigation", isDone: false };
    this.#labels = 0;
  }

  /** Reports an element by its name. */
  element(name: string, source: string): void {
    const kind = OTHER_CONTENT[name];
    if (kind !== undefined) this.#builder.lose(kind, { example: addressIn(source) });
  }

  picture(source: string): void {
    this.#builder.lose("picture", { example: addressIn(source) });
  }

  openInside(name: string): void {
    if (name === "text") this.#labels++;
  }

  /** Reports text of a skipped element; of a drawing only its labels. */
  textInside(text: string, raw: string | undefined): void {
    const skipped = this.#skipped;
    if (skipped === undefined || skipped.isDone || raw !== undefined) return;
    if (skipped.kind === "drawing" && this.#labels === 0) return;
    if (text.trim() === "") return;
    skipped.isDone = true;
    this.#builder.lose(skipped.kind, { example: text.slice(0, MAX_SHELL) });
  }

  end(): void {
    this.#skipped = undefined;
  }

  /** Reports a page whose text is made by scripts. */
  page(length: number, hasScripts: boolean): void {
    if (hasScripts && length < MAX_SHELL) this.#builder.lose("script");
  }
}

const WITHOUT_TEXT = new Set(
  "head script style noscript template noembed noframes annotation annotation-xml rp math".split(
    " ",
  ),
);

/** Returns the end of the address of an element. */
function addressIn(source: string): string {
  const address = attributeIn(source, "src") ?? attributeIn(source, "data") ?? "";
  return address.startsWith("data:")
    ? ""
    : address.slice(address.lastIndexOf("/", address.length - 2) + 1);
}
