// A value that others watch: what every store of the client stands on.
//
//   WTC1. `get()` returns the same object until something has changed.
//   WTC2. Subscribers are called at most once per frame, and at once for what matters now.
//   WTC3. The first subscriber starts the work, and the last one that leaves ends it five seconds later.
//   WTC4. A closed store leaves no timer, request or listener, and can be subscribed to again.
import type { Clock } from "../../base/clock.ts";

/** How long the connection stays when nobody subscribes any more. */
const LINGER_MS = 5_000;
const FRAME_MS = 16;
/** A hidden page has no frames: its subscribers are called by a timer. */
const HIDDEN_FRAME_MS = 250;

type Frames = {
  readonly requestAnimationFrame?: (callback: () => void) => number;
  readonly cancelAnimationFrame?: (handle: number) => void;
};

/** Does something until the signal aborts. */
export type Work = (signal: AbortSignal) => Promise<void>;

export class Observable<State> {
  readonly #clock: Clock;
  readonly #work: Work;
  readonly #subscribers = new Set<() => void>();
  #shown: State;
  #next: State;
  #working: AbortController | undefined;
  #cancelFrame: (() => void) | undefined;
  #cancelLinger: (() => void) | undefined;

  constructor(initial: State, clock: Clock, work: Work) {
    this.#shown = initial;
    this.#next = initial;
    this.#clock = clock;
    this.#work = work;
  }

  /** What subscribers see. */
  get(): State {
    return this.#shown;
  }

  /** The newest state, which subscribers may see only with the next frame. */
  get newest(): State {
    return this.#next;
  }

  get isWatched(): boolean {
    return this.#subscribers.size > 0;
  }

  /** Calls `notify` after changes. The returned function ends that; `onIdle` is called a while after the last has left. */
  subscribe(notify: () => void, onIdle: () => void = () => this.close()): () => void {
    // The same function may subscribe several times.
    const call = (): void => notify();
    this.#subscribers.add(call);
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    this.start();
    return () => {
      if (!this.#subscribers.delete(call) || this.isWatched) return;
      this.#cancelLinger = this.#clock.after(LINGER_MS, onIdle);
    };
  }

  /** Begins the work, unless it is under way. */
  start(): void {
    if (this.#working !== undefined) return;
    const working = new AbortController();
    this.#working = working;
    void this.#work(working.signal).finally(() => {
      if (this.#working === working) this.#working = undefined;
    });
  }

  set(state: State, urgent: boolean): void {
    if (state === this.#next) return;
    this.#next = state;
    if (!this.isWatched) this.#shown = state;
    else if (urgent) this.#publish();
    else this.#cancelFrame ??= nextFrame(this.#clock, () => this.#publish());
  }

  /** Shows what has not been shown yet. */
  flush(): void {
    if (this.#shown !== this.#next) this.#publish();
  }

  /** Ends the work now. */
  close(): void {
    this.#working?.abort();
    this.#working = undefined;
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    this.#shown = this.#next;
  }

  #publish(): void {
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    this.#shown = this.#next;
    for (const call of this.#subscribers) call();
  }
}

/** With the browser's next frame, or after as long as one takes. */
function nextFrame(clock: Clock, callback: () => void): () => void {
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis as Frames;
  if (requestAnimationFrame === undefined) return clock.after(FRAME_MS, callback);
  const frame = requestAnimationFrame(callback);
  const disarm = clock.after(HIDDEN_FRAME_MS, callback);
  return () => {
    cancelAnimationFrame?.(frame);
    disarm();
  };
}
