import { describe, expect, it } from "vitest";
import { D1BlobIndex } from "../../../src/cloudflare/stores/d1-blob-index.ts";
import { D1WorkspaceIndex } from "../../../src/cloudflare/stores/d1-workspace-index.ts";
import { Blobs } from "../../../src/files/blobs.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { IndexedWorkspaces } from "../../../src/files/indexed-workspaces.ts";
import { runWorkspace, sharedWorkspace, workspaceOf } from "../../../src/files/workspace.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { describeWorkspace } from "../../support/workspace.suite.ts";

const DAY_MS = 24 * 60 * 60_000;

function indexed() {
  const db = sqliteD1();
  const store = new InMemoryFileStore();
  const clock = new SimulatedClock();
  let ids = 0;
  const randomId = (): string => `id-${++ids}`;
  const blobs = new Blobs({ store, index: new D1BlobIndex(db, "acme"), clock, randomId });
  const index = new D1WorkspaceIndex(db, "acme");
  const workspaces = new IndexedWorkspaces({ blobs, index, clock, randomId });
  const rows = (table: string): number =>
    Number(db.sqlite.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()?.["count"]);
  return { workspaces, store, blobs, rows, clock };
}

describeWorkspace({
  name: "in a folder of a store",
  open: () => {
    const files = new InMemoryFileStore();
    return (runId) => workspaceOf({ runId, services: { files } });
  },
});

describeWorkspace({
  name: "with an index",
  open: () => {
    const { workspaces } = indexed();
    return (runId) => workspaceOf({ runId, services: { workspaces } });
  },
});

it.each(["in a folder", "with an index"])(
  "WSP3: a workspace %s has at most 1000 files",
  async (form) => {
    const services = form === "in a folder" ? { files: new InMemoryFileStore() } : indexed();
    const workspace = workspaceOf({ runId: "r", services });
    const all = Array.from({ length: 1000 }, (_, index) => ({
      path: `f${index}`,
      content: "same",
    }));
    await workspace.change(all);
    const full = { code: "limit_exceeded" };
    await expect(workspace.write("one-more", "x")).rejects.toMatchObject(full);
    await workspace.write("f7", "replaced");
    await workspace.delete("f8");
    await workspace.write("one-more", "x");
    await expect(workspace.change([...all, { path: "f1000", content: "" }])).rejects.toMatchObject(
      full,
    );
    expect(await workspace.list()).toHaveLength(1000);
  },
);

describe("the bytes of workspaces with an index", () => {
  it("are stored once, and removed with their last file", async () => {
    const { workspaces, store, blobs, rows } = indexed();
    const [one, two] = [workspaces.open("runs/1"), workspaces.open("runs/2")];
    await one.write("a", "same");
    await two.write("b", "same");
    await two.change([
      { path: "c", content: "same" },
      { path: "d", content: "same" },
    ]);
    expect([store.paths.length, rows("file_blobs"), rows("file_removals")]).toEqual([1, 1, 0]);
    await one.write("a", "other");
    await two.delete("b");
    await two.delete("c");
    expect(rows("file_removals")).toBe(0);
    await two.delete("d");
    expect([rows("file_blobs"), rows("file_removals")]).toEqual([1, 1]);
    await blobs.removeDue();
    expect([store.paths.length, rows("file_removals")]).toEqual([1, 0]);
    expect(await one.read("a")).toBeDefined();
  });

  it("of a refused change are not stored", async () => {
    const { workspaces, store, rows } = indexed();
    const workspace = workspaces.open("runs/1");
    const change = [{ path: "a", content: "x", before: "0".repeat(64) }];
    await expect(workspace.change(change)).rejects.toMatchObject({ code: "conflict" });
    expect([store.paths.length, rows("file_blobs"), rows("file_removals")]).toEqual([0, 0, 0]);
    expect(rows("workspace_changes")).toBe(0);
  });
});

describe("bytes written before the process died", () => {
  it("BLB1: are removed after a day without a file", async () => {
    const { workspaces, store, blobs, rows, clock } = indexed();
    const lost = await blobs.write(new Uint8Array([1, 2, 3]));
    await workspaces.open("runs/1").write("a", "kept");
    expect(store.paths).toHaveLength(2);
    await blobs.removeDue();
    expect(store.paths).toContain(lost.path);
    await clock.advance(DAY_MS);
    await blobs.removeDue();
    expect(store.paths).not.toContain(lost.path);
    expect([store.paths.length, rows("file_removals")]).toEqual([1, 0]);
  });

  it("BLB1: are not used by a late write after their removal", async () => {
    const { workspaces, store, blobs, rows, clock } = indexed();
    // The process was away for a day between the bytes and their entry.
    const put = store.put.bind(store);
    store.put = async (...args) => {
      await put(...args);
      await clock.advance(DAY_MS);
      await blobs.removeDue();
    };
    const late = workspaces.open("runs/1").write("a", "late");
    await expect(late).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect([rows("workspace_files"), rows("file_blobs")]).toEqual([0, 0]);
  });
});

it("a workspace has a safe name", () => {
  expect(runWorkspace("r")).toBe("runs/r");
  expect(sharedWorkspace("Quarterly report 4")).toBe("workspaces/Quarterly report 4");
  for (const name of ["", "../a", "a/b", ".", "a.", " a", "x".repeat(129), 7, undefined])
    expect(() => sharedWorkspace(name)).toThrow("the name of a workspace may have up to 128");
});

it("a run without a file store has no workspace", () => {
  expect(() => workspaceOf({ runId: "r", services: {} })).toThrow("this run has no file store");
  expect(() => workspaceOf()).toThrow("there is no workspace outside of runs");
});
