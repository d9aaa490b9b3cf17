import type { VectorFilter, VectorMetadata } from "./vector-store.ts";

/** A row passes if `allowed` has 1 for the number in its slot of `numbers`. */
export type Condition = { readonly numbers: Int32Array; readonly allowed: Uint8Array };

/** Filter fields of rows as small numbers, so a search compares no texts for each row. */
export class FilterColumns {
  readonly #scope = new Column();
  readonly #source = new Column();
  readonly #collection = new Column();
  readonly #document = new Column();
  /** Owner of a private row; empty if the row is not private. */
  readonly #owner = new Column();

  set(slot: number, metadata: VectorMetadata): void {
    this.#scope.set(slot, metadata.scope);
    this.#source.set(slot, metadata.source);
    this.#collection.set(slot, metadata.collection);
    this.#document.set(slot, metadata.document);
    this.#owner.set(slot, metadata.private === true ? ownerOf(metadata.source) : undefined);
  }

  clear(slot: number): void {
    this.set(slot, {});
  }

  move(from: number, to: number): void {
    for (const column of this.#all()) column.move(from, to);
  }

  /** Returns the conditions for a row, or undefined if no row can pass. */
  conditions(filter: VectorFilter): readonly Condition[] | undefined {
    const { scope, visibleTo } = filter;
    const found = [
      scope === undefined || scope === "/" ? [] : this.#scope.below(scope),
      filter.source === undefined ? [] : this.#source.equal(filter.source),
      filter.collection === undefined ? [] : this.#collection.equal(filter.collection),
      filter.document === undefined ? [] : this.#document.equal(filter.document),
      filter.private === undefined ? [] : this.#owner.some(filter.private),
      visibleTo === undefined
        ? []
        : this.#owner.noneOr(visibleTo === null ? null : ownerOf(visibleTo)),
    ];
    return found.some((conditions) => conditions === undefined)
      ? undefined
      : found.flatMap((conditions) => conditions ?? []);
  }

  #all(): readonly Column[] {
    return [this.#scope, this.#source, this.#collection, this.#document, this.#owner];
  }
}

export function passes(conditions: readonly Condition[], slot: number): boolean {
  for (const { numbers, allowed } of conditions) {
    if (allowed[numbers[slot] ?? 0] !== 1) return false;
  }
  return true;
}

function ownerOf(source: string | undefined): string {
  return source === undefined ? "" : `=${source}`;
}

type Found = readonly Condition[] | undefined;

/** One field of all rows. A text has a number as long as a row uses it; 0 is no text. */
class Column {
  #numbers = new Int32Array(64);
  readonly #numberOf = new Map<string, number>();
  readonly #textOf: string[] = [""];
  /** Number of rows using each number. */
  readonly #uses: number[] = [0];
  readonly #free: number[] = [];
  /** Cache of searched scopes, cleared by a new text. */
  readonly #below = new Map<string, Uint8Array | undefined>();

  set(slot: number, text: string | undefined): void {
    const number = text === undefined ? 0 : this.#take(text);
    if (slot >= this.#numbers.length) this.#grow(slot + 1);
    this.#release(this.#numbers[slot] ?? 0);
    this.#numbers[slot] = number;
  }

  move(from: number, to: number): void {
    this.#release(this.#numbers[to] ?? 0);
    this.#numbers[to] = this.#numbers[from] ?? 0;
    this.#numbers[from] = 0;
  }

  equal(text: string): Found {
    const number = this.#numberOf.get(text);
    return number === undefined ? undefined : [this.#allowing([number])];
  }

  /** Matches rows with a text, or rows without one. */
  some(isThere: boolean): Found {
    const allowed = new Uint8Array(this.#uses.length).fill(isThere ? 1 : 0);
    allowed[0] = isThere ? 0 : 1;
    return [{ numbers: this.#numbers, allowed }];
  }

  /** Matches rows without a text, and rows with this one. */
  noneOr(text: string | null): Found {
    const number = text === null ? undefined : this.#numberOf.get(text);
    return [this.#allowing(number === undefined ? [0] : [0, number])];
  }

  /** Matches the path itself and all paths below it. */
  below(path: string): Found {
    if (!this.#below.has(path)) {
      if (this.#below.size >= 64) this.#below.clear();
      const start = `${path}/`;
      const numbers = [...this.#numberOf]
        .filter(([text]) => text === path || text.startsWith(start))
        .map(([, number]) => number);
      this.#below.set(path, numbers.length === 0 ? undefined : this.#allowing(numbers).allowed);
    }
    const allowed = this.#below.get(path);
    return allowed && [{ numbers: this.#numbers, allowed }];
  }

  #allowing(numbers: readonly number[]): Condition {
    const allowed = new Uint8Array(this.#uses.length);
    for (const number of numbers) allowed[number] = 1;
    return { numbers: this.#numbers, allowed };
  }

  #take(text: string): number {
    let number = this.#numberOf.get(text);
    if (number === undefined) {
      number = this.#free.pop() ?? this.#uses.length;
      this.#numberOf.set(text, number);
      this.#textOf[number] = text;
      this.#uses[number] = 0;
      this.#below.clear();
    }
    this.#uses[number] = (this.#uses[number] ?? 0) + 1;
    return number;
  }

  #release(number: number): void {
    if (number === 0) return;
    const uses = (this.#uses[number] ?? 0) - 1;
    this.#uses[number] = uses;
    if (uses > 0) return;
    this.#numberOf.delete(this.#textOf[number] ?? "");
    this.#free.push(number);
    this.#below.clear();
  }

  #grow(slots: number): void {
    const grown = new Int32Array(Math.max(slots, Math.ceil(this.#numbers.length * 1.5)));
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}
