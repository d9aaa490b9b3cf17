// The lines of a live view on a terminal: rewritten in place, at most ten times a second.
import type { Clock } from "../base/clock.ts";
import type { Sink } from "./output.ts";
import { viewLines } from "./live-view.ts";
import type { RunView } from "./run-view.ts";

const PAUSE_MS = 100;
const CLEAR_DOWN = "\u001b[0J";

export type LiveScreenOptions = {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly ascii: boolean;
};

/** Shows a view that changes. What stands above it in the terminal is left alone. */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  #view: RunView | undefined;
  #height = 0;
  #stopTimer: (() => void) | undefined;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
  }

  show(view: RunView): void {
    this.#view = view;
    this.#stopTimer ??= this.#options.clock.after(PAUSE_MS, () => {
      this.#stopTimer = undefined;
      this.#paint();
    });
  }

  /** Takes the view away, for questions and the like; the next `show` brings it back below. */
  clear(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#height > 0) this.#options.sink.write(this.#up() + CLEAR_DOWN);
    this.#height = 0;
  }

  /** Leaves the last state standing. */
  end(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#paint();
    this.#height = 0;
    this.#view = undefined;
  }

  #paint(): void {
    if (this.#view === undefined) return;
    const { sink, clock, ascii } = this.#options;
    const { columns = 80, rows = 24 } = sink;
    const lines = viewLines(this.#view, { columns, rows, nowMs: clock.now(), ascii });
    sink.write(`${this.#up()}${CLEAR_DOWN}${lines.join("\n")}\n`);
    this.#height = lines.length;
  }

  #up(): string {
    return this.#height === 0 ? "" : `\u001b[${this.#height}A\r`;
  }
}
