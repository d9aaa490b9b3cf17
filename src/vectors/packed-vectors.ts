import { FilterColumns, passes, type Condition } from "./filter-columns.ts";
import { TopMatches } from "./top-matches.ts";
import type { VectorFilter, VectorMetadata } from "./vector-store.ts";

/** Rows per block. Growth adds blocks and copies no rows. */
const BLOCK_ROWS = 256;
/** Number of rows scored together. */
const AT_ONCE = 4;

/** Unit vectors of one dimension side by side in memory, with a full scan as search. */
export class PackedVectors {
  readonly #values: Values;
  readonly #columns = new FilterColumns();
  readonly #ids: string[] = [];
  readonly #slotOf = new Map<string, number>();

  /**
   * `int8` takes a quarter of the memory, but its scores are off in the third digit. Search for more rows than needed
   * and score them again.
   */
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

  /** Returns the nearest rows by cosine, in [-1, 1], best first. */
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
  /** Frees the memory of the rows from this one on. */
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
    const query = Float64Array.from(unit);
    const scores = new Float64Array(AT_ONCE);
    const found = new Int32Array(BLOCK_ROWS + AT_ONCE);
    for (const [index, block] of this.#blocks.entries()) {
      const first = index * BLOCK_ROWS;
      const count = passing(conditions, { first, rows, found });
      for (let at = 0; at < count; at += AT_ONCE) {
        scoreFour(block, query, { rows: found, at, scores });
        for (let one = 0; one < AT_ONCE && at + one < count; one++) {
          const score = scores[one] ?? 0;
          if (score >= best.floor) best.offer(score, first + (found[at + one] ?? 0));
        }
      }
    }
  }
}

/** Vectors as integers from -127 to 127, each with a scale factor. */
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
    const query = new Int8Array(this.#dimension);
    const scale = encode(unit, query);
    const sums = new Int32Array(AT_ONCE);
    const found = new Int32Array(BLOCK_ROWS + AT_ONCE);
    for (const [index, { codes, scales }] of this.#blocks.entries()) {
      const first = index * BLOCK_ROWS;
      const count = passing(conditions, { first, rows, found });
      for (let at = 0; at < count; at += AT_ONCE) {
        sumFour(codes, query, { rows: found, at, sums });
        for (let one = 0; one < AT_ONCE && at + one < count; one++) {
          const row = found[at + one] ?? 0;
          const score = scale * (scales[row] ?? 0) * (sums[one] ?? 0);
          if (score >= best.floor) best.offer(score, first + row);
        }
      }
    }
  }
}

/**
 * Writes the passing rows of a block and returns their number. Also fills the rest of the last group of four, so the
 * group can be scored like the others.
 */
function passing(
  conditions: readonly Condition[],
  {
    first,
    rows,
    found,
  }: { readonly first: number; readonly rows: number; readonly found: Int32Array },
): number {
  const all = conditions.length === 0;
  const size = Math.min(BLOCK_ROWS, rows - first);
  let count = 0;
  for (let row = 0; row < size; row++) {
    if (all || passes(conditions, first + row)) found[count++] = row;
  }
  found.fill(0, count, count + AT_ONCE);
  return count;
}

/** Writes the codes of a vector and returns their scale. */
function encode(unit: Float32Array, codes: Int8Array): number {
  let largest = 0;
  for (const value of unit) largest = Math.max(largest, Math.abs(value));
  const scale = largest / 127;
  for (let index = 0; index < unit.length; index++) {
    codes[index] = Math.round((unit[index] ?? 0) / scale);
  }
  return scale;
}

// The hot loops process four rows at once: each number of the query is read once for all of them, and no sum waits for
// another.

function scoreFour(
  block: Float32Array,
  query: Float64Array,
  {
    rows,
    at,
    scores,
  }: { readonly rows: Int32Array; readonly at: number; readonly scores: Float64Array },
): void {
  const length = query.length;
  const [one, two, three, four] = [
    rows[at]! * length,
    rows[at + 1]! * length,
    rows[at + 2]! * length,
    rows[at + 3]! * length,
  ];
  let [a, b, c, d] = [0, 0, 0, 0];
  let [e, f, g, h] = [0, 0, 0, 0];
  let index = 0;
  for (; index + 1 < length; index += 2) {
    const even = query[index]!;
    const odd = query[index + 1]!;
    a += block[one + index]! * even;
    b += block[two + index]! * even;
    c += block[three + index]! * even;
    d += block[four + index]! * even;
    e += block[one + index + 1]! * odd;
    f += block[two + index + 1]! * odd;
    g += block[three + index + 1]! * odd;
    h += block[four + index + 1]! * odd;
  }
  if (index < length) {
    a += block[one + index]! * query[index]!;
    b += block[two + index]! * query[index]!;
    c += block[three + index]! * query[index]!;
    d += block[four + index]! * query[index]!;
  }
  scores[0] = a + e;
  scores[1] = b + f;
  scores[2] = c + g;
  scores[3] = d + h;
}

function sumFour(
  codes: Int8Array,
  query: Int8Array,
  { rows, at, sums }: { readonly rows: Int32Array; readonly at: number; readonly sums: Int32Array },
): void {
  const length = query.length;
  const [one, two, three, four] = [
    rows[at]! * length,
    rows[at + 1]! * length,
    rows[at + 2]! * length,
    rows[at + 3]! * length,
  ];
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let index = 0; index < length; index++) {
    const value = query[index]!;
    a = (a + Math.imul(codes[one + index]!, value)) | 0;
    b = (b + Math.imul(codes[two + index]!, value)) | 0;
    c = (c + Math.imul(codes[three + index]!, value)) | 0;
    d = (d + Math.imul(codes[four + index]!, value)) | 0;
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}
