// An upload of 100 MB into a bucket that keeps nothing: time, CPU, and what is in memory at once. Run: node --expose-gc bench/upload.ts
import { D1BlobIndex } from "../src/cloudflare/stores/d1-blob-index.ts";
import { D1FileIndex } from "../src/cloudflare/stores/d1-file-index.ts";
import { R2FileStore, type Bucket } from "../src/cloudflare/stores/r2-file-store.ts";
import { randomId, systemClock } from "../src/base/system.ts";
import { Blobs } from "../src/files/blobs.ts";
import { FileLibrary } from "../src/files/file-library.ts";
import { InMemoryBucket } from "../test/support/in-memory-bucket.ts";
import { sqliteD1 } from "../test/support/sqlite-d1.ts";

const MIB = 1024 * 1024;
const BYTES = 100_000_000;
const PIECE = new Uint8Array(64 * 1024).map((_, index) => index * 7);
const ROUNDS = 5;

/** What is alive, in bytes, after everything else was collected. */
function alive(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** As a client sends it. */
function body(): ReadableStream<Uint8Array> {
  let left = BYTES;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      const piece = PIECE.slice(0, Math.min(left, PIECE.length));
      left -= piece.length;
      controller.enqueue(piece);
    },
  });
}

/** A bucket whose objects are gone at once, which looks at the memory when it gets bytes. */
class Sink extends InMemoryBucket {
  peak = 0;
  readonly looks: boolean;

  constructor(looks: boolean) {
    super();
    this.looks = looks;
  }

  #look(): void {
    if (this.looks) this.peak = Math.max(this.peak, alive());
  }

  override async createMultipartUpload(...args: Parameters<Bucket["createMultipartUpload"]>) {
    const upload = await super.createMultipartUpload(...args);
    return {
      ...upload,
      uploadPart: async (partNumber: number) => {
        this.#look();
        return { partNumber, etag: String(partNumber) };
      },
      complete: async () => undefined,
    };
  }
}

async function uploaded(looks: boolean): Promise<Sink> {
  const sink = new Sink(looks);
  const db = sqliteD1();
  const ports = { clock: systemClock, randomId };
  const store = new R2FileStore(sink, "bench");
  const blobs = new Blobs({ ...ports, store, index: new D1BlobIndex(db, "bench") });
  const limits = { maxBytes: BYTES, quota: { files: 10, bytes: 2 * BYTES }, ttlMs: 60_000 };
  const library = new FileLibrary({ ...ports, blobs, index: new D1FileIndex(db, "bench"), limits });
  const file = await library.add({ name: "large", content: body() });
  if (file.bytes !== BYTES) throw new Error(`${file.bytes} bytes were stored`);
  return sink;
}

await uploaded(false);
const before = alive();
const { peak } = await uploaded(true);
const times: number[] = [];
const cpu = process.cpuUsage();
for (let round = 0; round < ROUNDS; round++) {
  const start = performance.now();
  await uploaded(false);
  times.push(performance.now() - start);
}
const { user, system } = process.cpuUsage(cpu);
const [median = 0] = times.toSorted((one, other) => one - other).slice(Math.floor(ROUNDS / 2));
console.log(
  `100 MB uploaded: ${median.toFixed(0)} ms, ${((user + system) / 1000 / ROUNDS).toFixed(0)} ms of CPU`,
);
console.log(`in memory at once: ${((peak - before) / MIB).toFixed(1)} MiB (bound: 24)`);
if (peak - before > 24 * MIB) process.exitCode = 1;
