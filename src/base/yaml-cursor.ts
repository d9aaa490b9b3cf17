// A place in a YAML text that moves on, and what stands there.

/** Makes an error of what is wrong at an offset. */
export type RefuseAt = (reason: string, offset: number) => Error;

const BLANK = /[ \t]*/y;
const SPACES = / */y;
const MARKER = /(?:---|\.\.\.)(?=[ \t\n]|$)/y;

export class YamlCursor {
  readonly text: string;
  readonly refuse: RefuseAt;
  at = 0;
  /** Where the text of this line begins: spaces alone are before it. */
  #begin = 0;
  #lineStart = 0;

  constructor(text: string, refuse: RefuseAt) {
    this.text = text;
    this.refuse = refuse;
    this.#startLine(0);
  }

  /** Empty at the end. */
  get next(): string {
    return this.text.charAt(this.at);
  }

  get column(): number {
    return this.at - this.#lineStart;
  }

  /** How many spaces this line begins with. */
  get indentation(): number {
    return this.#begin - this.#lineStart;
  }

  /** Whether nothing but spaces stands before this place in its line. */
  get isFirst(): boolean {
    return this.at === this.#begin;
  }

  /** Whether a tab is among the spaces right before this place. */
  get isTabbed(): boolean {
    let start = this.at;
    while (/[ \t]/.test(this.text.charAt(start - 1))) start--;
    return this.text.slice(start, this.at).includes("\t");
  }

  /** Whether the document ends here: with the text, or at `---` or `...`. */
  get isOver(): boolean {
    return this.at >= this.text.length || this.marker !== undefined;
  }

  get marker(): string | undefined {
    return this.at === this.#lineStart ? this.look(MARKER)?.[0] : undefined;
  }

  /** What a sticky pattern finds here. */
  look(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text) ?? undefined;
  }

  /** As `look`, and moves behind it. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = this.look(pattern);
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }

  /** Passes spaces, comments and line breaks. Tells whether a line ended. */
  skip(): boolean {
    let hasEnded = false;
    for (;;) {
      const blank = this.take(BLANK)?.[0] ?? "";
      const isApart = blank !== "" || this.isFirst || this.at === this.#lineStart;
      if (this.next === "#" && isApart) this.at = this.#lineEnd();
      if (this.next !== "\n") return hasEnded;
      this.#startLine(this.at + 1);
      hasEnded = true;
    }
  }

  /** Passes the spaces of this line. */
  skipBlanks(): void {
    this.take(BLANK);
  }

  /** Passes lines without a text. Tells how many there were. */
  skipLines(): number {
    let count = -1;
    for (; this.next === "\n"; count++) {
      this.#startLine(this.at + 1);
      this.skipBlanks();
    }
    return count;
  }

  /** Moves to a place that may be in another line. */
  moveTo(place: number): void {
    this.#startLine(this.text.lastIndexOf("\n", place - 1) + 1);
    this.at = place;
  }

  #startLine(start: number): void {
    this.at = start;
    this.#lineStart = start;
    this.take(SPACES);
    this.#begin = this.at;
  }

  #lineEnd(): number {
    const end = this.text.indexOf("\n", this.at);
    return end < 0 ? this.text.length : end;
  }
}
