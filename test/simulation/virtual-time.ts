// Virtual time: one queue of what is to happen, and a wall clock that may jump and stand still.

type Entry = {
  readonly atMs: number;
  readonly tie: number;
  readonly run: () => void;
  cancelled: boolean;
};

const EPOCH_MS = Date.UTC(2026, 0, 1);

export class VirtualTime {
  /** Milliseconds since the start of the simulation; only ever grows. */
  elapsedMs = 0;
  /** Told when the wall clock has jumped. */
  onWallChanged: () => void = () => undefined;
  readonly #heap: Entry[] = [];
  readonly #random: () => number;
  #offsetMs = 0;
  #frozenAtMs: number | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** What clocks show. */
  wallMs(): number {
    return this.#frozenAtMs ?? this.#runningMs();
  }

  /** How long until clocks show `wallMs`; undefined while they stand still before it. */
  untilMs(wallMs: number): number | undefined {
    const delayMs = wallMs - this.wallMs();
    if (delayMs > 0 && this.#frozenAtMs !== undefined) return undefined;
    return Math.max(0, delayMs);
  }

  jump(byMs: number): void {
    this.#offsetMs += byMs;
    if (this.#frozenAtMs !== undefined) this.#frozenAtMs += byMs;
    this.onWallChanged();
  }

  freeze(forMs: number): void {
    if (this.#frozenAtMs !== undefined) return;
    this.#frozenAtMs = this.#runningMs();
    this.after(forMs, () => this.thaw());
  }

  thaw(): void {
    if (this.#frozenAtMs === undefined) return;
    this.#frozenAtMs = undefined;
    this.onWallChanged();
  }

  /** Calls `run` later, never synchronously; the returned function cancels it. What is due at once comes in any order. */
  after(delayMs: number, run: () => void): () => void {
    const entry: Entry = {
      atMs: this.elapsedMs + Math.max(0, delayMs),
      tie: this.#random(),
      run,
      cancelled: false,
    };
    push(this.#heap, entry);
    return () => {
      entry.cancelled = true;
    };
  }

  /** Lets the next thing happen; false when there is none. */
  step(): boolean {
    for (;;) {
      const entry = pop(this.#heap);
      if (entry === undefined) return false;
      if (entry.cancelled) continue;
      this.elapsedMs = Math.max(this.elapsedMs, entry.atMs);
      entry.run();
      return true;
    }
  }

  #runningMs(): number {
    return EPOCH_MS + this.elapsedMs + this.#offsetMs;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.tie < b.tie);
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  while (index > 0) {
    const up = (index - 1) >> 1;
    const parent = heap[up];
    if (parent === undefined || !before(entry, parent)) break;
    heap[index] = parent;
    index = up;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): Entry | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    let least = last;
    let at = index;
    const leftEntry = heap[left];
    const rightEntry = heap[right];
    if (leftEntry !== undefined && before(leftEntry, least)) [least, at] = [leftEntry, left];
    if (rightEntry !== undefined && before(rightEntry, least)) [least, at] = [rightEntry, right];
    heap[index] = least;
    if (at === index) return top;
    index = at;
  }
}

/** A generator of numbers in [0, 1) that depends on its seed alone. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}
