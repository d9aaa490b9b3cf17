// A value with subscribers: the base of every store of the client.
//
//   WTC1. `get()` returns the same object until a change.
//   WTC2. Subscribers are called at most once per frame, and at once for urgent changes.
//   WTC3. The first subscriber starts the work. It ends five seconds after the last one has left.
//   WTC4. A closed store leaves no timer, request or listener, and accepts new subscriptions.
import type { Clock } from "../../base/clock.ts";

/** Time to keep the connection after the last subscriber has left. */
const LINGER_MS = 5_000;
const FRAME_MS = 16;
/** A hidden page has no frames: its subscribers are called by a timer. */
const HIDDEN_FRAME_MS = 250;

type Frames = {
  readonly requestAnimationFrame?: (callback: () => void) => number;
  readonly cancelAnimationFrame?: (handle: number) => void;
};

/** Work until the signal aborts. */
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

  /** Returns the value shown to subscribers. */
  get(): State {
    return this.#shown;
  }

  /** The newest state, possibly not yet shown to subscribers. */
  get newest(): State {
    return this.#next;
  }

  get isWatched(): boolean {
    return this.#subscribers.size > 0;
  }

  /**
   * Calls `notify` after changes, until the returned function is called. `onIdle` is called a while after the last
   * subscriber has left.
   */
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

  /** Starts the work, unless it is already running. */
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

  /** Publishes pending changes. */
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

/** Calls back with the browser's next frame, or after the length of one. */
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
