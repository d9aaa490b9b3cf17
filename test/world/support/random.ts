/** Seeded pseudo-random numbers: equal seeds give equal sequences on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Integer from 0 up to, and without, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error("cannot pick from an empty list");
    return items[this.below(items.length)] as Item;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Generator for one program, so that a change in one leaves the others as they are. */
  fork(key: string | number): Random {
    let hash = this.#state;
    for (const character of String(key))
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    return new Random(hash);
  }
}
