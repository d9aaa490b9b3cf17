import type { TextBuilder } from "../text-builder.ts";

/** Maximum length of a table cell on one line; a longer cell is cut at its paragraphs. */
const MAX_CELL_LINE = 200;
const MAX_INDENT = 20;

/** Joins headings, paragraphs, lists and tables as in Markdown. */
export class BlockText {
  readonly #builder: TextBuilder;
  #line: string[] = [];
  #length = 0;
  #breaks = 0;
  #prefix = "";
  #cells = 0;
  /** True in a heading, whose text is one line. */
  #isHeading = false;
  /** Maximum number of line breaks between two lines. */
  readonly #most: number;

  /** `isTight`: no blank lines between blocks. */
  constructor(builder: TextBuilder, { isTight = false }: { readonly isTight?: boolean } = {}) {
    this.#builder = builder;
    this.#most = isTight ? 1 : 2;
  }

  write(text: string): void {
    this.#line.push(text);
    this.#length += text.length;
    this.#builder.check(this.#length);
  }

  /** Ends the line, with at least this many line breaks before the next one. */
  break(lines: 1 | 2): void {
    if (this.#isHeading || (this.#cells > 0 && this.#length < MAX_CELL_LINE)) this.write(" ");
    else this.#end(lines);
  }

  heading(level: number): void {
    this.#end(2);
    this.#prefix = `${"#".repeat(level)} `;
    this.#isHeading = true;
  }

  endHeading(): void {
    this.#isHeading = false;
    this.#end(2);
  }

  /** Begins an item of a list; `depth` counts from 0. */
  item(depth: number, mark: string): void {
    this.#end(1);
    this.#prefix = `${"  ".repeat(Math.max(0, Math.min(depth, MAX_INDENT)))}${mark} `;
  }

  row(): void {
    this.#end(1);
    this.#cells = 0;
  }

  cell(): void {
    if (this.#cells++ > 0) this.write(" | ");
  }

  endTable(): void {
    this.#cells = 0;
    this.#end(2);
  }

  /** Adds text unchanged, between fences. */
  verbatim(text: string): void {
    this.#end(2);
    if (text.trim() === "") return;
    const fence = text.includes("```") ? "~~~~~" : "```";
    this.#put(`${fence}\n${text.replace(/^\n/, "").trimEnd()}\n${fence}`);
    this.#breaks = 2;
  }

  /** Returns the start of the next line. */
  mark(): number {
    this.#end(2);
    return this.#builder.length;
  }

  #end(lines: 1 | 2): void {
    if (this.#line.length > 0) {
      const text = this.#line
        .join("")
        .replaceAll(/ \s+|[^\S ]\s*/g, " ")
        .trim();
      this.#line = [];
      this.#length = 0;
      if (text !== "" && !/^(\| ?)+$/.test(text)) {
        this.#put(this.#prefix + text);
        this.#prefix = "";
        this.#breaks = 0;
      }
    }
    this.#breaks = Math.max(this.#breaks, lines);
  }

  #put(text: string): void {
    const isFirst = this.#builder.length === 0;
    this.#builder.add(isFirst ? text : "\n".repeat(Math.min(this.#breaks, this.#most)) + text);
  }
}
