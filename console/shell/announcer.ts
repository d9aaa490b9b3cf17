import { Watched } from "./watched.ts";

const SHOWN_MS = 500;
const BLANK_MS = 50;
const MAX_WAITING = 10;

/**
 * Text of a live region, one announcement after the other. Of two in one frame only the last would be read, and an
 * unchanged text is not read again.
 */
export class Announcer {
  readonly text = new Watched("");
  #waiting: string[] = [];
  #isBusy = false;

  /** Shows the text after those before it. If more than ten wait, the oldest are dropped. */
  readonly say = (text: string): void => {
    this.#waiting = [...this.#waiting.filter((each) => each !== text), text].slice(-MAX_WAITING);
    if (!this.#isBusy) this.#next();
  };

  #next(): void {
    const text = this.#waiting.shift();
    this.#isBusy = text !== undefined;
    if (text === undefined) return;
    this.text.set(text);
    setTimeout(() => {
      this.text.set("");
      setTimeout(() => this.#next(), BLANK_MS);
    }, SHOWN_MS);
  }
}
