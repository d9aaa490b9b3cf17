/** Main part of a page: all `main` elements, or else the first of `main` and `article` with enough text. */
export type MainPart = "none" | "every" | "first";

type PartName = "main" | "article";

type Part = {
  readonly name: PartName;
  readonly start: number;
  /** Undefined while it is open. */
  end: number | undefined;
};

/** Minimum length of a page's main part; a shorter one does not count. */
const MIN_MAIN = 200;

/** Outermost `main` and `article` elements of a page, with the ends of their texts. */
export class HtmlParts {
  readonly #main: MainPart;
  readonly #parts: Part[] = [];
  readonly #open = { main: 0, article: 0 };

  constructor(main: MainPart) {
    this.#main = main;
  }

  /** True within any of them. */
  get isOpen(): boolean {
    return this.#open.main + this.#open.article > 0;
  }

  /** `mark` ends the line, and returns the length of the text. */
  begin(name: PartName, mark: () => number): void {
    if (this.#open[name]++ === 0 && this.#needs(name))
      this.#parts.push({ name, start: mark(), end: undefined });
  }

  end(name: PartName, mark: () => number): void {
    if (--this.#open[name] > 0) return;
    const part = this.#parts.findLast((each) => each.name === name && each.end === undefined);
    if (part !== undefined) part.end = mark();
  }

  /** Returns the text of the main part; undefined without one. */
  mainOf(whole: string): string | undefined {
    const texts = (of: PartName): string[] =>
      this.#parts
        .filter(({ name }) => name === of)
        .map(({ start, end }) => whole.slice(start, end).trim());
    if (this.#main === "every") return texts("main").join("\n\n").trim() || undefined;
    if (this.#main === "none") return undefined;
    return [texts("main")[0], texts("article")[0]].find(
      (text) => text !== undefined && text.length >= MIN_MAIN,
    );
  }

  #needs(name: PartName): boolean {
    if (this.#main === "every") return name === "main";
    return this.#main === "first" && !this.#parts.some((part) => part.name === name);
  }
}
