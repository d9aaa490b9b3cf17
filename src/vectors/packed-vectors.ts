import { FilterColumns, passes, type Condition } from "./filter-columns.ts";
import { TopMatches } from "./top-matches.ts";
import type { VectorFilter, VectorMetadata } from "./vector-store.ts";

/** Rows are kept in blocks, so that growing copies nothing. */
const BLOCK_ROWS = 256;

/** Unit vectors of one dimension side by side in memory, searched whole. */
export class PackedVectors {
  readonly #values: Values;
  readonly #columns = new FilterColumns();
  readonly #ids: string[] = [];
  readonly #slotOf = new Map<string, number>();

  /** `int8` takes a quarter of the memory, and its scores are off in the third digit: take more rows than are wanted, and score those again. */
  constructor(dimension: number, precision: "float32" | "int8") {
    this.#values = precision === "int8" ? new CodedValues(dimension) : new WholeValues(dimension);
  }

  get size(): number {
    return this.#ids.length;
  }

  has(id: string): boolean {
    return this.#slotOf.has(id);
  }

  set(id: string, unit: Float32Array, metadata: VectorMetadata = {}): void {
    let slot = this.#slotOf.get(id);
    if (slot === undefined) {
      slot = this.#ids.length;
      this.#ids.push(id);
      this.#slotOf.set(id, slot);
    }
    this.#values.set(slot, unit);
    this.#columns.set(slot, metadata);
  }

  delete(id: string): void {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    const last = this.#ids.length - 1;
    const lastId = this.#ids[last] ?? "";
    if (slot === last) {
      this.#columns.clear(slot);
    } else {
      this.#values.move(last, slot);
      this.#columns.move(last, slot);
      this.#ids[slot] = lastId;
      this.#slotOf.set(lastId, slot);
    }
    this.#ids.pop();
    this.#slotOf.delete(id);
    this.#values.cut(last);
  }

  /** The nearest rows by cosine, in [-1, 1], best first. */
  search(
    unit: Float32Array,
    { limit, floor, filter }: { limit: number; floor: number; filter: VectorFilter },
  ): readonly { readonly id: string; readonly score: number }[] {
    const conditions = this.#columns.conditions(filter);
    if (conditions === undefined) return [];
    const best = new TopMatches(limit, floor, (slot) => this.#ids[slot] ?? "");
    this.#values.scan(unit, { rows: this.size, conditions, best });
    return best.sorted();
  }
}

type Scan = {
  readonly rows: number;
  readonly conditions: readonly Condition[];
  readonly best: TopMatches;
};

interface Values {
  set(slot: number, unit: Float32Array): void;
  move(from: number, to: number): void;
  /** Gives back what rows from this one on took. */
  cut(rows: number): void;
  scan(unit: Float32Array, scan: Scan): void;
}

class WholeValues implements Values {
  readonly #dimension: number;
  readonly #blocks: Float32Array[] = [];

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  set(slot: number, unit: Float32Array): void {
    const block = (this.#blocks[Math.floor(slot / BLOCK_ROWS)] ??= new Float32Array(
      BLOCK_ROWS * this.#dimension,
    ));
    block.set(unit, (slot % BLOCK_ROWS) * this.#dimension);
  }

  move(from: number, to: number): void {
    const start = (from % BLOCK_ROWS) * this.#dimension;
    const block = this.#blocks[Math.floor(from / BLOCK_ROWS)];
    if (block) this.set(to, block.subarray(start, start + this.#dimension));
  }

  cut(rows: number): void {
    this.#blocks.length = Math.ceil(rows / BLOCK_ROWS);
  }

  scan(unit: Float32Array, { rows, conditions, best }: Scan): void {
    const dimension = this.#dimension;
    const all = conditions.length === 0;
    for (const [index, block] of this.#blocks.entries()) {
      const first = index * BLOCK_ROWS;
      const count = Math.min(BLOCK_ROWS, rows - first);
      for (let row = 0; row < count; row++) {
        if (!all && !passes(conditions, first + row)) continue;
        const score = dot(block, row * dimension, unit);
        if (score >= best.floor) best.offer(score, first + row);
      }
    }
  }
}

/** Each vector as whole numbers from -127 to 127, with what they are to be multiplied by. */
class CodedValues implements Values {
  readonly #dimension: number;
  readonly #blocks: { readonly codes: Int8Array; readonly scales: Float32Array }[] = [];

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  set(slot: number, unit: Float32Array): void {
    const { codes, scales } = (this.#blocks[Math.floor(slot / BLOCK_ROWS)] ??= {
      codes: new Int8Array(BLOCK_ROWS * this.#dimension),
      scales: new Float32Array(BLOCK_ROWS),
    });
    const row = slot % BLOCK_ROWS;
    const start = row * this.#dimension;
    scales[row] = encode(unit, codes.subarray(start, start + this.#dimension));
  }

  move(from: number, to: number): void {
    const source = this.#blocks[Math.floor(from / BLOCK_ROWS)];
    const target = this.#blocks[Math.floor(to / BLOCK_ROWS)];
    if (!source || !target) return;
    const start = (from % BLOCK_ROWS) * this.#dimension;
    const codes = source.codes.subarray(start, start + this.#dimension);
    target.codes.set(codes, (to % BLOCK_ROWS) * this.#dimension);
    target.scales[to % BLOCK_ROWS] = source.scales[from % BLOCK_ROWS] ?? 0;
  }

  cut(rows: number): void {
    this.#blocks.length = Math.ceil(rows / BLOCK_ROWS);
  }

  scan(unit: Float32Array, { rows, conditions, best }: Scan): void {
    const dimension = this.#dimension;
    const all = conditions.length === 0;
    const query = new Int8Array(dimension);
    const scale = encode(unit, query);
    for (const [index, { codes, scales }] of this.#blocks.entries()) {
      const first = index * BLOCK_ROWS;
      const count = Math.min(BLOCK_ROWS, rows - first);
      for (let row = 0; row < count; row++) {
        if (!all && !passes(conditions, first + row)) continue;
        const score = scale * (scales[row] ?? 0) * dotCodes(codes, row * dimension, query);
        if (score >= best.floor) best.offer(score, first + row);
      }
    }
  }
}

/** Writes the codes of a vector, and returns their scale. */
function encode(unit: Float32Array, codes: Int8Array): number {
  let largest = 0;
  for (const value of unit) largest = Math.max(largest, Math.abs(value));
  const scale = largest / 127;
  for (let index = 0; index < unit.length; index++) {
    codes[index] = Math.round((unit[index] ?? 0) / scale);
  }
  return scale;
}

// The hot loops. Four sums at once, as none waits for another; what is left over of a length comes last.
/* oxlint-disable typescript/no-non-null-assertion -- the indexes are within the arrays, and `??` would be a branch per element */

function dot(block: Float32Array, start: number, unit: Float32Array): number {
  const length = unit.length;
  let at = start;
  let index = 0;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (; index + 3 < length; index += 4, at += 4) {
    a += block[at]! * unit[index]!;
    b += block[at + 1]! * unit[index + 1]!;
    c += block[at + 2]! * unit[index + 2]!;
    d += block[at + 3]! * unit[index + 3]!;
  }
  for (; index < length; index++, at++) a += block[at]! * unit[index]!;
  return a + b + c + d;
}

function dotCodes(codes: Int8Array, start: number, query: Int8Array): number {
  const length = query.length;
  let at = start;
  let index = 0;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (; index + 3 < length; index += 4, at += 4) {
    a = (a + Math.imul(codes[at]!, query[index]!)) | 0;
    b = (b + Math.imul(codes[at + 1]!, query[index + 1]!)) | 0;
    c = (c + Math.imul(codes[at + 2]!, query[index + 2]!)) | 0;
    d = (d + Math.imul(codes[at + 3]!, query[index + 3]!)) | 0;
  }
  for (; index < length; index++, at++) a = (a + Math.imul(codes[at]!, query[index]!)) | 0;
  return a + b + c + d;
}
