// What a store of threads does, wherever its rows are: `describeThreadStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type { ThreadMessage, ThreadRun, ThreadStore } from "../../src/protocols/thread-store.ts";
import type { RunStatus } from "../../src/runtime/run.ts";

export type ThreadStoreForm = {
  readonly name: string;
  readonly open: () => ThreadStoreWorld | Promise<ThreadStoreWorld>;
};

/** An empty store, and the index over all runs beside it. */
export type ThreadStoreWorld = {
  readonly store: ThreadStore;
  readonly index: (row: {
    readonly tenant: string;
    readonly id: string;
    readonly status: RunStatus;
    readonly updatedAtMs: number;
    readonly isAsking?: boolean;
  }) => Promise<unknown>;
};

export function describeThreadStore({ name, open }: ThreadStoreForm): void {
  describe(`a thread store ${name}`, () => {
    let world: ThreadStoreWorld;
    let store: ThreadStore;

    beforeEach(async () => {
      world = await open();
      ({ store } = world);
    });

    const run = (runId: string, more: Partial<ThreadRun> = {}): ThreadRun => ({
      runId,
      protocol: "a2a",
      threadId: "t",
      kind: "crew",
      name: "briefing",
      createdAtMs: 1,
      data: {},
      ...more,
    });
    const message = (
      id: string,
      runId: string,
      more: Partial<ThreadMessage> = {},
    ): ThreadMessage => ({ id, runId, role: "user", content: id, createdAtMs: 1, ...more });

    it("keeps a run once, for its tenant alone", async () => {
      const first = run("r", { data: { a: [1, null] } });
      expect(await store.add("acme", first)).toBe(true);
      expect(await store.add("acme", run("r", { threadId: "other" }))).toBe(false);
      expect(await store.get("acme", "r")).toEqual(first);
      expect(await store.get("other", "r")).toBeUndefined();
      await store.setData("other", "r", { b: 1 });
      expect((await store.get("acme", "r"))?.data).toEqual({ a: [1, null] });
      await store.setData("acme", "r", { b: 1 });
      expect((await store.get("acme", "r"))?.data).toEqual({ b: 1 });
    });

    it("finds the latest run of a thread", async () => {
      const thread = { protocol: "a2a", threadId: "t" };
      expect(await store.latest("acme", thread)).toBeUndefined();
      await store.add("acme", run("a", { createdAtMs: 5 }));
      await store.add("acme", run("b", { createdAtMs: 4 }));
      await store.add("acme", run("c", { createdAtMs: 9, protocol: "mcp" }));
      await store.add("other", run("d", { createdAtMs: 9 }));
      expect((await store.latest("acme", thread))?.runId).toBe("a");
    });

    it("keeps messages in their order, each once, with any content", async () => {
      const r = run("r");
      await store.add("acme", r);
      const parts = [{ type: "image", url: "https://x/a.png" } as const];
      const said = [
        message("1", "r"),
        message("2", "r", { role: "agent", content: parts, data: { x: 1 } }),
      ];
      await store.say("acme", r, { messages: said });
      await store.say("acme", r, { messages: [message("2", "r"), message("3", "r")] });
      const thread = { protocol: "a2a", threadId: "t" };
      expect(await store.messages("acme", thread, 10)).toEqual([...said, message("3", "r")]);
      expect((await store.messages("acme", thread, 2)).map(({ id }) => id)).toEqual(["2", "3"]);
      expect(await store.messages("acme", { runId: "r" }, 10)).toHaveLength(3);
      expect(await store.messages("other", thread, 10)).toEqual([]);
      expect(await store.messages("acme", { ...thread, protocol: "mcp" }, 10)).toEqual([]);
    });

    it("knows which runs have no answer among the messages", async () => {
      await store.add("acme", run("a", { createdAtMs: 2 }));
      await store.add("acme", run("b", { createdAtMs: 1 }));
      const thread = { protocol: "a2a", threadId: "t" };
      const ids = async () =>
        (await store.unanswered("acme", thread, 10)).map(({ runId }) => runId);
      expect(await ids()).toEqual(["b", "a"]);
      await store.say("acme", run("b"), { messages: [message("answer", "b")], answered: true });
      expect(await ids()).toEqual(["a"]);
      await store.say("acme", run("a"), { messages: [], answered: true });
      expect(await ids()).toEqual([]);
    });

    it("lists the latest change first, page by page, with the total of the filter", async () => {
      for (const [index, id] of ["a", "b", "c", "d"].entries()) {
        await store.add("acme", run(id, { threadId: id === "d" ? "u" : "t" }));
        await world.index({
          tenant: "acme",
          id,
          status: "running",
          updatedAtMs: index < 2 ? 7 : 9,
        });
      }
      await store.add("acme", run("unknown to the index"));
      const first = await store.list("acme", { protocol: "a2a", limit: 2 });
      expect([first.total, first.items.map(({ runId }) => runId)]).toEqual([4, ["d", "c"]]);
      const after = first.items.at(-1);
      const second = await store.list("acme", { protocol: "a2a", limit: 9, after });
      expect([second.total, second.items.map(({ runId }) => runId)]).toEqual([4, ["b", "a"]]);
      const some = { protocol: "a2a", threadId: "t", updatedSinceMs: 9, limit: 5 };
      expect(await store.list("acme", some)).toMatchObject({ total: 1, items: [{ runId: "c" }] });
      const empty = { total: 0, items: [] };
      expect(await store.list("other", { protocol: "a2a", limit: 5 })).toEqual(empty);
      const others = { protocol: "a2a", subject: { kind: "crew", name: "x" }, limit: 5 };
      expect(await store.list("acme", others)).toEqual(empty);
    });

    it("tells runs that ask somebody from those that wait for something else", async () => {
      for (const id of ["asks", "sleeps", "done"]) await store.add("acme", run(id));
      const at = { tenant: "acme", updatedAtMs: 1 };
      await world.index({ ...at, id: "asks", status: "waiting", isAsking: true });
      await world.index({ ...at, id: "sleeps", status: "waiting" });
      await world.index({ ...at, id: "done", status: "completed" });
      const ids = async (filter: { isAsking?: boolean; statuses?: RunStatus[] }) =>
        (await store.list("acme", { protocol: "a2a", limit: 9, ...filter })).items
          .map(({ runId, isAsking }) => (isAsking ? `${runId}!` : runId))
          .toSorted();
      expect(await ids({ isAsking: true })).toEqual(["asks!"]);
      expect(await ids({ isAsking: false, statuses: ["waiting", "running"] })).toEqual(["sleeps"]);
      expect(await ids({ statuses: ["completed"] })).toEqual(["done"]);
    });

    it("forgets old runs that the index no longer has, with their messages", async () => {
      for (const id of ["gone", "kept", "young"])
        await store.add("acme", run(id, { createdAtMs: id === "young" ? 99 : 1 }));
      await store.say("acme", run("gone"), { messages: [message("m", "gone")] });
      await world.index({ tenant: "acme", id: "kept", status: "completed", updatedAtMs: 1 });
      await store.prune(50, 10);
      expect(await store.get("acme", "gone")).toBeUndefined();
      expect(await store.messages("acme", { runId: "gone" }, 9)).toEqual([]);
      expect(await store.get("acme", "kept")).toBeDefined();
      expect(await store.get("acme", "young")).toBeDefined();
    });

    it("prunes the row of a thread with its last run, after a month without one", async () => {
      const own = (threadId: string, createdAtMs: number) =>
        store.add("acme", {
          ...run(threadId, { threadId, createdAtMs }),
          kind: "",
          name: "",
          protocol: "a2a-threads",
        });
      const monthMs = 30 * 86_400_000;
      await own("idle", 10);
      await own("used", 10);
      await own("new", 60);
      await store.add("acme", run("its-run", { threadId: "used", createdAtMs: monthMs + 90 }));
      await store.prune(monthMs + 50, 10);
      expect(await store.get("acme", "idle")).toBeUndefined();
      expect(await store.get("acme", "used")).toBeDefined();
      expect(await store.get("acme", "new")).toBeDefined();
      await store.prune(monthMs + 99, 10);
      await store.prune(monthMs + 99, 10);
      expect(await store.get("acme", "used")).toBeUndefined();
    });
  });
}
