import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { queryTable } from "../../../../../src/entry/tables.ts";
import { D1BlobIndex } from "../../../../../src/cloudflare/stores/d1-blob-index.ts";
import { D1WorkspaceIndex } from "../../../../../src/cloudflare/stores/d1-workspace-index.ts";
import { Blobs } from "../../../../../src/files/blobs.ts";
import { InMemoryFileStore } from "../../../../../src/files/in-memory-file-store.ts";
import { IndexedWorkspaces } from "../../../../../src/files/indexed-workspaces.ts";
import { runWorkspace } from "../../../../../src/files/workspace.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import { sqliteD1 } from "../../../../support/sqlite-d1.ts";
import { bytesOf } from "../../../../support/table-world.ts";
import { callOf } from "../../../../support/tool-world.ts";

const sql = "SELECT sum(amount) AS total FROM sales";
const CSV = "region,amount\nnorth,10\nsouth,5\n";

it("TBL5: reads a stored file once, in each run with the same storage", async () => {
  const tableStorage = new DatabaseSync(":memory:");
  let reads = 0;
  const ref = {
    id: "file_sales",
    name: "sales.csv",
    kind: "text",
    mediaType: "text/csv",
    bytes: CSV.length,
    sha256: await sha256Of(CSV),
    createdAt: "2026-01-01T00:00:00.000Z",
  } as const;
  const storedFiles = {
    get: async () => ({
      ref,
      open: async () => {
        reads++;
        return new Response(CSV).body ?? new ReadableStream();
      },
    }),
  };
  for (let call = 0; call < 3; call++) {
    const { text } = await callOf(
      queryTable(),
      { file: ref.id, sql },
      { services: { storedFiles, tableStorage } },
    );
    expect(text).toContain("| 15 | B2:B3 (2 rows) |");
  }
  expect(reads).toBe(1);
});

it("TBL5: reads a file of a workspace again after it was replaced, and a file under another ending", async () => {
  const tableStorage = new DatabaseSync(":memory:");
  const db = sqliteD1();
  const store = new InMemoryFileStore();
  const clock = new SimulatedClock();
  let ids = 0;
  const randomId = (): string => `id-${++ids}`;
  const blobs = new Blobs({ store, index: new D1BlobIndex(db, "acme"), clock, randomId });
  const workspaces = new IndexedWorkspaces({
    blobs,
    index: new D1WorkspaceIndex(db, "acme"),
    clock,
    randomId,
  });
  const workspace = workspaces.open(runWorkspace("run-1"));
  const get = store.get.bind(store);
  let reads = 0;
  store.get = (path) => {
    reads++;
    return get(path);
  };
  const ask = async (file = "sales.csv"): Promise<string> =>
    (
      await callOf(
        queryTable(),
        { file, sql },
        { services: { files: store, workspaces, tableStorage } },
      )
    ).text;
  await workspace.write("sales.csv", bytesOf(CSV));
  expect(await ask()).toContain("| 15 |");
  const before = reads;
  expect(await ask()).toContain("| 15 |");
  expect(reads).toBe(before);

  await workspace.write("sales.csv", bytesOf(CSV.replace("10", "20")));
  expect(await ask()).toContain("| 25 |");
  expect(reads).toBe(before + 1);

  await workspace.write("sales.csv", bytesOf(CSV));
  expect(await ask()).toContain("| 15 |");
  expect(reads).toBe(before + 1);

  await workspace.write("sales.jsonl", bytesOf('{"amount":1}\n{"amount":2}\n'));
  await workspace.write("sales.txt", bytesOf('{"amount":1}\n{"amount":2}\n'));
  expect(await ask("sales.jsonl")).toContain("| 3 |");
  expect(await ask("sales.txt")).not.toContain("| 3 |");
});

async function sha256Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytesOf(text));
  return Buffer.from(digest).toString("hex");
}
