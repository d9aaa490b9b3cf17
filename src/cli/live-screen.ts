// Lines of a live view on a terminal.
//
//   LSC1. They are rewritten in place, at most ten times a second, and once a second without events, as time passes.
//   LSC2. Lines above them stay, also after the terminal became narrower: view lines that it has wrapped are erased
//         completely.
//   LSC3. At the end the last state stays visible, and writing stops.
import type { Clock } from "../base/clock.ts";
import { widthOf, type Sink } from "./output.ts";
import { viewLines } from "./live-view.ts";
import type { RunView } from "./run-view.ts";

const PAUSE_MS = 100;
const TICK_MS = 1_000;
const CLEAR_DOWN = "\u001b[0J";

export type LiveScreenOptions = {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly ascii: boolean;
};

/** Shows a changing view. */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  #view: RunView | undefined;
  #painted: readonly string[] = [];
  #stopTimer: (() => void) | undefined;
  #isTicking = false;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
  }

  show(view: RunView): void {
    this.#view = view;
    if (this.#isTicking) this.#stop();
    this.#stopTimer ??= this.#options.clock.after(PAUSE_MS, () => this.#paint());
  }

  /** Removes the view, for example for a question. The next `show` paints it below. */
  clear(): void {
    this.#stop();
    if (this.#painted.length > 0) this.#options.sink.write(this.#up() + CLEAR_DOWN);
    this.#painted = [];
  }

  /** Stops, and leaves the last state visible. */
  end(): void {
    this.#paint();
    this.#stop();
    this.#painted = [];
    this.#view = undefined;
  }

  #stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#isTicking = false;
  }

  #paint(): void {
    this.#stop();
    if (this.#view === undefined) return;
    const { sink, clock, ascii } = this.#options;
    const { columns = 80, rows = 24 } = sink;
    const lines = viewLines(this.#view, { columns, rows, nowMs: clock.now(), ascii });
    sink.write(`${this.#up()}${CLEAR_DOWN}${lines.join("\n")}\n`);
    this.#painted = lines;
    this.#isTicking = true;
    this.#stopTimer = clock.after(TICK_MS, () => this.#paint());
  }

  /** Moves to the beginning of the painted lines, at the terminal's current width. */
  #up(): string {
    const { columns = 80 } = this.#options.sink;
    const height = this.#painted.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)),
      0,
    );
    return height === 0 ? "" : `\u001b[${height}A\r`;
  }
}
