/** A formula in MathML as one line: its TeX if the page has it, or else its signs in sequence. */
export class HtmlFormula {
  readonly #open: Array<{ readonly name: string; children: number }> = [];
  #signs: string[] = [];
  #tex: string | undefined;

  /** `isTex`: an annotation with the formula in TeX. */
  open(name: string, isTex: boolean): void {
    if (isTex) this.#tex = "";
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      const between = parent.children === 1 ? BETWEEN[parent.name] : undefined;
      if (between !== undefined) this.#signs.push(between);
      parent.children++;
    }
    if (name === "msqrt" || name === "mroot") this.#signs.push("√");
    this.#open.push({ name, children: 0 });
  }

  close(): void {
    this.#open.pop();
  }

  text(text: string): void {
    const { name } = this.#open.at(-1) ?? {};
    if (name === "annotation" && this.#tex !== undefined) this.#tex += text;
    else this.#signs.push(text.replaceAll(/\s*\n\s*/g, ""));
  }

  get line(): string {
    return (this.#tex ?? this.#signs.join("")).replaceAll(/\s+/g, " ").trim();
  }
}

/** Signs between the first and the second part of an element. */
const BETWEEN: Readonly<Record<string, string>> = {
  msup: "^",
  msub: "_",
  mfrac: "/",
  mover: "^",
  munder: "_",
  msubsup: "_",
};
