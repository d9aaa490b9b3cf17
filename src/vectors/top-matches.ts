/** Best rows of a search so far: a heap of bounded size with the worst row on top. */
export class TopMatches {
  readonly #limit: number;
  readonly #idAt: (slot: number) => string;
  readonly #scores: number[] = [];
  readonly #slots: number[] = [];
  /** Minimum score of an offered row. A lower score cannot be among the best. */
  floor: number;

  constructor(limit: number, floor: number, idAt: (slot: number) => string) {
    this.#limit = limit;
    this.floor = floor;
    this.#idAt = idAt;
  }

  /** Adds a row with a score of at least `floor`. */
  offer(score: number, slot: number): void {
    const scores = this.#scores;
    const slots = this.#slots;
    if (scores.length < this.#limit) {
      scores.push(score);
      slots.push(slot);
      this.#rise(scores.length - 1);
      if (scores.length === this.#limit) this.floor = scores[0] ?? this.floor;
      return;
    }
    if (!this.#isBetter(score, slot, 0)) return;
    scores[0] = score;
    slots[0] = slot;
    this.#sink();
    this.floor = scores[0] ?? this.floor;
  }

  /** Returns the rows, best first. */
  sorted(): { readonly slot: number; readonly id: string; readonly score: number }[] {
    return this.#slots
      .map((slot, index) => ({ slot, id: this.#idAt(slot), score: this.#scores[index] ?? 0 }))
      .toSorted(byScore);
  }

  #isBetter(score: number, slot: number, than: number): boolean {
    const other = this.#scores[than] ?? 0;
    return score === other ? this.#idAt(slot) < this.#idAt(this.#slots[than] ?? 0) : score > other;
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#isBetter(this.#scores[index] ?? 0, this.#slots[index] ?? 0, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(): void {
    for (let index = 0; ;) {
      let worst = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child >= this.#scores.length) break;
        if (this.#isBetter(this.#scores[worst] ?? 0, this.#slots[worst] ?? 0, child)) worst = child;
      }
      if (worst === index) return;
      this.#swap(index, worst);
      index = worst;
    }
  }

  #swap(one: number, other: number): void {
    const scores = this.#scores;
    const slots = this.#slots;
    [scores[one], scores[other]] = [scores[other] ?? 0, scores[one] ?? 0];
    [slots[one], slots[other]] = [slots[other] ?? 0, slots[one] ?? 0];
  }
}

/** Orders by score, the nearest first; rows with equal scores by id. */
export function byScore(
  one: { readonly id: string; readonly score: number },
  other: { readonly id: string; readonly score: number },
): number {
  return other.score - one.score || (one.id < other.id ? -1 : 1);
}
