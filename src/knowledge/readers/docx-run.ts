// Letters of a run of a Word document: hidden ones, and those of symbol fonts.
import type { TextBuilder } from "../text-builder.ts";
import { isOn, valueOf, type DocxStyle } from "./docx-styles.ts";
import { attribute, type Attributes } from "./markup.ts";
import { isSymbolFont, symbolOf } from "./symbol-fonts.ts";

/** Characters without a meaning outside of their font. */
const PRIVATE = /[\ue000-\uf8ff]/g;

export class DocxRun {
  readonly #styles: ReadonlyMap<string, DocxStyle>;
  readonly #builder: TextBuilder;
  #isHidden = false;
  #font = "";

  constructor(styles: ReadonlyMap<string, DocxStyle>, builder: TextBuilder) {
    this.#styles = styles;
    this.#builder = builder;
  }

  /** Begins a run of a paragraph with a style. */
  begin(paragraph: DocxStyle | undefined): void {
    this.#isHidden = paragraph?.isHidden === true;
    this.#font = paragraph?.font ?? "";
  }

  property(name: string, attributes: Attributes): void {
    if (name === "vanish") this.#isHidden = isOn(attributes);
    else if (name === "rFonts") this.#font = attribute(attributes, "ascii") ?? this.#font;
    else if (name === "rStyle") {
      const { isHidden = this.#isHidden, font } = this.#styles.get(valueOf(attributes)) ?? {};
      this.#isHidden = isHidden;
      this.#font = font ?? this.#font;
    }
  }

  /** Returns the shown text. Hidden text and unknown symbols are reported. */
  shown(text: string): string {
    if (this.#isHidden) {
      if (text.trim() !== "") this.#builder.lose("hidden", { example: text });
      return "";
    }
    return text.replaceAll(PRIVATE, (letter) => this.#symbol(this.#font, letter.charCodeAt(0)));
  }

  /** Returns the character of a symbol, by its font and its code in hexadecimal digits. */
  symbol(attributes: Attributes): string {
    const font = attribute(attributes, "font") ?? "";
    const code = Number.parseInt(attribute(attributes, "char") ?? "", 16);
    if (this.#isHidden || Number.isNaN(code)) return "";
    const isOwn = isSymbolFont(font) || (code >= 0xe000 && code <= 0xf8ff);
    return isOwn ? this.#symbol(font, code) : String.fromCharCode(code);
  }

  #symbol(font: string, code: number): string {
    const known = symbolOf(font === "" ? "Symbol" : font, code);
    if (known === undefined)
      this.#builder.lose("symbol", { example: `${font} ${code.toString(16).toUpperCase()}` });
    return known ?? "";
  }
}
