/** A limit on concurrent calls. Callers without a free slot wait in line. */
export class Slots {
  #free: number;
  readonly #line: Array<() => void> = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Returns true if a slot was free and is taken now; otherwise the caller waits for `turn()`, which takes one. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.#line.push(resolve));
  }

  release(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
