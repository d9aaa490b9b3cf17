// Vector search in one process: exact search beside a plain loop over a typed array, and the coded form that a Durable
// Object keeps, with its recall against the exact result. Run: node bench/vectors.ts
import { ExactVectors } from "../src/vectors/exact-vectors.ts";
import { PackedVectors } from "../src/vectors/packed-vectors.ts";
import { unitVector } from "../src/vectors/check-vectors.ts";

const DIMENSION = 384;
const TOP = 10;
const ROUNDS = 60;

let state = 7;
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return (state >>> 0) / 0x1_0000_0000;
}

/** Texts come in topics: vectors around centres, as an embedder makes them, are harder to tell apart than scattered ones. */
const centres = Array.from({ length: 200 }, () => scattered());
function scattered(): Float32Array {
  return Float32Array.from({ length: DIMENSION }, () => random() + random() + random() - 1.5);
}
function topical(): Float32Array {
  const centre = centres[Math.floor(random() * centres.length)] ?? scattered();
  const own = scattered();
  return unitVector(own.map((value, index) => value + 1.2 * (centre[index] ?? 0)));
}

/** The loop that anyone would write first. */
function plainTop(packed: Float32Array, rows: number, query: Float32Array): number[] {
  const scores = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let index = 0; index < DIMENSION; index++)
      sum += packed[row * DIMENSION + index]! * query[index]!;
    scores[row] = sum;
  }
  const best: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (best.length === TOP && scores[row]! <= scores[best[TOP - 1]!]!) continue;
    let at = best.length;
    while (at > 0 && scores[best[at - 1]!]! < scores[row]!) at--;
    best.splice(at, 0, row);
    if (best.length > TOP) best.pop();
  }
  return best;
}

/** CPU time of each search, as other processes are on the machine. */
async function times(work: (query: Float32Array) => unknown): Promise<number[]> {
  const taken: number[] = [];
  for (let round = -10; round < ROUNDS; round++) {
    const query = topical();
    const before = process.cpuUsage();
    await work(query);
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) taken.push((user + system) / 1000);
  }
  return taken.toSorted((one, other) => one - other);
}

const ms = (value: number | undefined): string => `${(value ?? 0).toFixed(2)} ms`;
const said = (taken: readonly number[]): string =>
  `least ${ms(taken[0])}, p50 ${ms(taken[Math.floor(taken.length / 2)])}, p95 ${ms(taken[Math.floor(taken.length * 0.95)])}`;

async function exact(rows: number): Promise<void> {
  const packed = new Float32Array(rows * DIMENSION);
  const store = new ExactVectors({ tenant: "t", collection: "c", model: "bench" });
  for (let start = 0; start < rows; start += 1000) {
    const batch = Array.from({ length: 1000 }, (_, index) => {
      const vector = topical();
      packed.set(vector, (start + index) * DIMENSION);
      return { id: `row-${start + index}`, vector, metadata: { scope: `/s/${index % 10}` } };
    });
    await store.upsert(batch);
  }
  // In turns, so that a busy moment of the machine meets both.
  const plain: number[] = [];
  const ours: number[] = [];
  const filtered: number[] = [];
  for (let round = 0; round < 3; round++) {
    plain.push(...(await times((query) => plainTop(packed, rows, query))));
    ours.push(...(await times((query) => store.query(query, { limit: TOP }))));
    filtered.push(
      ...(await times((query) => store.query(query, { limit: TOP, filter: { scope: "/s/3" } }))),
    );
  }
  for (const list of [plain, ours, filtered]) list.sort((one, other) => one - other);
  const ratio = (ours[0] ?? 0) / (plain[0] ?? 1);
  console.log(`${rows} x ${DIMENSION}, top ${TOP}`);
  console.log(`  plain loop      ${said(plain)}`);
  console.log(
    `  ExactVectors    ${said(ours)} (${ratio.toFixed(2)} times the plain loop, the least of both)`,
  );
  console.log(`  in one of ten scopes  ${said(filtered)}`);
}

/** What is held in memory, in MB. */
function held(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

async function coded(rows: number): Promise<void> {
  const before = held();
  const small = new PackedVectors(DIMENSION, "int8");
  const whole = new PackedVectors(DIMENSION, "float32");
  const first = state;
  for (let row = 0; row < rows; row++) {
    small.set(`00000000-0000-0000-0000-${String(row).padStart(12, "0")}`, topical(), {
      scope: `/crew/briefing/agent/${row % 50}`,
    });
  }
  const taken = held() - before;
  state = first;
  for (let row = 0; row < rows; row++) whole.set(`${row}`, topical());
  const search = { floor: -Infinity, filter: {} };
  console.log(`${rows} x ${DIMENSION}`);
  for (const candidates of [10, 20, 40]) {
    let hits = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const query = topical();
      const truth = new Set(
        whole.search(query, { limit: TOP, ...search }).map(({ id }) => Number(id)),
      );
      const found = small.search(query, { limit: candidates, ...search });
      hits += found.filter(({ id }) => truth.has(Number(id.slice(-12)))).length;
    }
    console.log(
      `  recall@${TOP} from ${candidates} candidates ${(hits / ROUNDS / TOP).toFixed(4)}`,
    );
  }
  const exactly = await times((query) => whole.search(query, { limit: TOP, ...search }));
  const fast = await times((query) => small.search(query, { limit: 40, ...search }));
  console.log(`  float32 ${said(exactly)}`);
  console.log(`  int8    ${said(fast)}, ${taken.toFixed(0)} MB with ids and scopes`);
}

// First what is measured for its memory.
await coded(100_000);
await exact(10_000);
