import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { D1FileStore } from "../../../src/cloudflare/stores/d1-file-store.ts";
import type { Database, Statement } from "../../../src/cloudflare/d1.ts";
import { fileStoreOf } from "../../../src/cloudflare/stores/file-store-setting.ts";
import { R2FileStore, type Bucket } from "../../../src/cloudflare/stores/r2-file-store.ts";
import type { FileStore } from "../../../src/files/file-store.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { readSource } from "../../support/source-files.ts";

/** `node:sqlite` as D1 answers: a blob comes back as a list of numbers. */
function database(): Database {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(readSource("migrations/0003_files.sql"));
  const statement = (
    sql: string,
    values: ReadonlyArray<string | number | null | Uint8Array>,
  ): Statement => ({
    bind: (...bound) => statement(sql, bound),
    first: async () => {
      const row = sqlite.prepare(sql).get(...values) as { content: Uint8Array } | undefined;
      return row === undefined ? null : { ...row, content: [...row.content] };
    },
    all: async () => ({ results: [] }),
    run: async () => ({ meta: { changes: Number(sqlite.prepare(sql).run(...values).changes) } }),
  });
  return { prepare: (sql) => statement(sql, []) };
}

function bucket(keys: string[] = []): Bucket {
  const objects = new Map<string, { content: Uint8Array; contentType: string }>();
  return {
    put: async (key, content, { httpMetadata }) => {
      keys.push(key);
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      objects.set(key, { content: bytes, contentType: httpMetadata.contentType });
    },
    get: async (key) => {
      const found = objects.get(key);
      if (found === undefined) return null;
      const { content, contentType } = found;
      return { httpMetadata: { contentType }, arrayBuffer: async () => content.slice().buffer };
    },
  };
}

describe.each<[string, (tenants: readonly string[]) => readonly FileStore[]]>([
  ["in memory", (tenants) => tenants.map(() => new InMemoryFileStore())],
  [
    "in D1",
    (tenants) => {
      const db = database();
      return tenants.map((tenant) => new D1FileStore(db, tenant, new SimulatedClock()));
    },
  ],
  [
    "in R2",
    (tenants) => {
      const shared = bucket();
      return tenants.map((tenant) => new R2FileStore(shared, tenant));
    },
  ],
])("files %s", (_, open) => {
  it("are read as they were written; the last writing counts", async () => {
    const [store] = open(["acme"]);
    expect(await store?.get("a.txt")).toBeUndefined();
    await store?.put("a.txt", "old", "text/plain");
    await store?.put("a.txt", "Grüße", "text/markdown");
    expect(await store?.get("a.txt")).toEqual({
      content: new TextEncoder().encode("Grüße"),
      mediaType: "text/markdown",
    });
    const bytes = new Uint8Array([0, 255, 128]);
    await store?.put("dir/b.bin", bytes, "application/octet-stream");
    expect((await store?.get("dir/b.bin"))?.content).toEqual(bytes);
  });

  it("of one tenant are not another's", async () => {
    const [acme, other] = open(["acme", "other/acme"]);
    await acme?.put("a", "1", "text/plain");
    expect(await other?.get("a")).toBeUndefined();
    expect(await other?.get("../acme/a")).toBeUndefined();
  });
});

it("in R2 a tenant's name cannot reach into another's folder", async () => {
  const keys: string[] = [];
  await new R2FileStore(bucket(keys), "a/b").put("c", "1", "text/plain");
  expect(keys).toEqual(["a%2Fb/c"]);
});

it("are where the app says, which must be bound", async () => {
  const env = { DB: database(), FILES: bucket(), NAME: "text" };
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

it("D1 refuses a file that no row takes, saying what to do", async () => {
  const store = new D1FileStore(database(), "acme", new SimulatedClock());
  await expect(store.put("big", new Uint8Array(1_900_001), "x/y")).rejects.toMatchObject({
    code: "value_too_large",
    message: expect.stringContaining("keep files in R2"),
  });
});
