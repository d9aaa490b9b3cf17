import { expect, it } from "vitest";
import { D1FileStore } from "../../../src/cloudflare/stores/d1-file-store.ts";
import { fileStoreOf } from "../../../src/cloudflare/stores/file-store-setting.ts";
import { R2FileStore } from "../../../src/cloudflare/stores/r2-file-store.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { describeFileStore, pieces } from "../../support/file-store.suite.ts";
import { InMemoryBucket } from "../../support/in-memory-bucket.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const MIB = 1024 * 1024;

describeFileStore({
  name: "in memory",
  open: (...tenants) => tenants.map(() => new InMemoryFileStore()),
  manyBytes: 3_000_000,
});

describeFileStore({
  name: "in D1",
  open: (...tenants) => {
    const db = sqliteD1();
    return tenants.map((tenant) => new D1FileStore(db, tenant, new SimulatedClock()));
  },
  manyBytes: 1_900_000,
});

describeFileStore({
  name: "in R2",
  open: (...tenants) => {
    const bucket = new InMemoryBucket();
    return tenants.map((tenant) => new R2FileStore(bucket, tenant));
  },
  manyBytes: 16 * MIB, // a whole number of parts
});

it("in R2 a tenant's name cannot reach into another's folder", async () => {
  const bucket = new InMemoryBucket();
  await new R2FileStore(bucket, "a/b").put("c", "1", "text/plain");
  expect(bucket.keys).toEqual(["a%2Fb/c"]);
});

it("in R2 a failing stream leaves no upload open", async () => {
  const bucket = new InMemoryBucket();
  const store = new R2FileStore(bucket, "acme");
  bucket.onBytes = () => {
    if ([...bucket.uploads.values()].some(({ parts }) => parts.length === 1))
      throw new Error("no more");
  };
  const stream = pieces(new Uint8Array(20 * MIB));
  await expect(store.put("a", stream, "x/y")).rejects.toThrow("no more");
  expect([bucket.keys, bucket.uploads.size]).toEqual([[], 0]);
});

it("in R2 at most two parts of a stream are read ahead", async () => {
  const bucket = new InMemoryBucket();
  let pulled = 0;
  let kept = 0;
  let most = 0;
  bucket.onBytes = (bytes) => {
    most = Math.max(most, pulled - kept);
    kept += bytes;
  };
  const piece = new Uint8Array(64 * 1024);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled >= 100 * MIB) return controller.close();
      pulled += piece.length;
      controller.enqueue(piece);
    },
  });
  await new R2FileStore(bucket, "acme").put("a", stream, "x/y");
  expect(kept).toBe(100 * MIB);
  expect(most).toBeLessThan(9 * MIB);
});

it("in R2 a file is assembled from single parts", async () => {
  const bucket = new InMemoryBucket();
  const store = new R2FileStore(bucket, "acme");
  const { parts } = store;
  const path = "blobs/1";
  const upload = { path, uploadId: await parts.begin(path, "video/mp4") };
  const first = await parts.add(upload, 1, new Uint8Array(parts.partBytes));
  const last = await parts.add(upload, 2, new Uint8Array(3));
  expect(bucket.keys).toEqual([]);
  await parts.complete(upload, [first, last]);
  expect(bucket.objects.get("acme/blobs/1")?.content.length).toBe(parts.partBytes + 3);
  expect(bucket.objects.get("acme/blobs/1")?.contentType).toBe("video/mp4");
  await parts.abort(upload); // is over: no error
  const other = { path, uploadId: await parts.begin(path, "video/mp4") };
  await parts.abort(other);
  expect(bucket.uploads.size).toBe(0);
});

it("are chosen by the app, and must be bound", async () => {
  const env = { DB: sqliteD1(), FILES: new InMemoryBucket(), NAME: "text" };
  const db = fileStoreOf(env, "d1", "acme");
  await db.put("a", "1", "text/plain");
  expect(await new D1FileStore(env.DB, "acme", new SimulatedClock()).get("a")).toBeDefined();
  const files = fileStoreOf(env, { r2: "FILES" }, "acme");
  expect(await files.get("a")).toBeUndefined();
  await files.put("a", "2", "text/plain");
  expect(await new R2FileStore(env.FILES, "acme").get("a")).toBeDefined();
  for (const r2 of ["NAME", "GONE"])
    expect(() => fileStoreOf(env, { r2 }, "acme")).toThrow(
      `defineApp({ files: { r2: "${r2}" } }) needs an R2 bucket bound as ${r2} in wrangler.toml`,
    );
});

it.each([
  ["bytes", new Uint8Array(1_900_001)],
  ["a stream", pieces(new Uint8Array(1_900_001))],
])("D1 refuses %s beyond a row's limit, with a remedy (FT40)", async (_, content) => {
  const store = new D1FileStore(sqliteD1(), "acme", new SimulatedClock());
  await expect(store.put("big", content, "x/y")).rejects.toMatchObject({
    code: "value_too_large",
    message: expect.stringContaining("keep files in R2"),
  });
  expect(await store.stat("big")).toBeUndefined();
});
