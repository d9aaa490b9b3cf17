import { Watched } from "./watched.ts";

const SHOWN_MS = 500;
const BLANK_MS = 50;
const MAX_WAITING = 10;

/**
 * The text of a live region, one announcement after the other: two in one frame would leave only the last,
 * and a text that does not change is not read again.
 */
export class Announcer {
  readonly text = new Watched("");
  #waiting: string[] = [];
  #isBusy = false;

  /** Shows the text once those before it were shown; of more than ten that wait, the oldest are dropped. */
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
