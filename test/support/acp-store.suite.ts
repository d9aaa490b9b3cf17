// What the store of the agent protocol does, wherever its rows are: `describeAcpStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type {
  AcpStore,
  ContextPiece,
  StoredSession,
  StoredTask,
} from "../../src/protocols/acp/store.ts";
import type { TaskState } from "../../src/protocols/acp/task.ts";

export type AcpStoreForm = {
  readonly name: string;
  /** An empty store. */
  readonly open: () => AcpStore | Promise<AcpStore>;
};

type NewTask = Omit<StoredTask, "state" | "version">;

const NONE = { contextIds: [], maxQueued: 9 };
const SUBMITTED: TaskState = { status: "submitted", timestamp: 1 };
const COMPLETED: TaskState = { status: "completed", timestamp: 5 };
const CANCELED: TaskState = { status: "canceled", message: "over", timestamp: 7 };

function task(id: string, more: Partial<NewTask> = {}): NewTask {
  return {
    tenant: "acme",
    id,
    agent: "crew/briefing",
    sessionId: more.session ?? id,
    messages: [{ role: "user", parts: [{ type: "text", text: "Write it" }] }],
    contexts: [],
    history: [SUBMITTED],
    runId: `run-${id}`,
    digest: "d",
    pending: "launch",
    dueAtMs: 60,
    createdAtMs: 1,
    ...more,
  };
}

function session(name: string, more: Partial<StoredSession> = {}): StoredSession {
  const times = { createdAtMs: 1, lastActiveMs: 1 };
  return { tenant: "acme", name, id: `s-${name}`, closed: false, ...times, ...more };
}

function piece(content: string, priority: ContextPiece["priority"] = "medium"): ContextPiece {
  return { type: "note", content, metadata: {}, priority };
}

export function describeAcpStore({ name, open }: AcpStoreForm): void {
  describe(`a store of the agent protocol ${name}`, () => {
    let store: AcpStore;

    beforeEach(async () => {
      store = await open();
    });

    async function added(id: string, more: Partial<NewTask> = {}): Promise<StoredTask> {
      const result = await store.tasks.add(task(id, more), NONE);
      if (typeof result === "string") throw new Error(result);
      return result;
    }

    async function stored(id: string, tenant = "acme"): Promise<StoredTask> {
      const found = await store.tasks.get(tenant, id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found;
    }

    const end = (of: StoredTask) =>
      store.tasks.end({ ...of, state: "ended", history: [...of.history, COMPLETED] }, 5);

    it("gives back a task as it was stored", async () => {
      const whole = task("a", {
        metadata: { order: "7" },
        contexts: [piece("x")],
        resumes: "s-1",
        yieldPayload: { reason: "r", state: [1], timestamp: 2 },
        previousRunId: "run-0",
        streams: true,
      });
      const expected = { ...whole, state: "active", version: 1 };
      expect(await store.tasks.add(whole, NONE)).toEqual(expected);
      expect(await store.tasks.get("acme", "a")).toEqual(expected);
      expect(await store.tasks.get("acme", "A")).toBeUndefined();
      expect(await store.tasks.get("other", "a")).toBeUndefined();
    });

    it("adds an id once to a tenant", async () => {
      await added("a");
      expect(await store.tasks.add(task("a", { runId: "run-2" }), NONE)).toBe("exists");
      expect(await stored("a")).toMatchObject({ runId: "run-a", version: 1 });
      expect(await store.tasks.add(task("a", { tenant: "other" }), NONE)).toMatchObject({
        id: "a",
      });
    });

    it("changes only the version that was read", async () => {
      const first = await added("a");
      const { pending: _, dueAtMs: __, ...changed } = { ...first, runId: "run-b" };
      expect(await store.tasks.change(changed)).toBe(true);
      expect(await stored("a")).toEqual({ ...changed, version: 2 });
      expect(await store.tasks.change({ ...changed, runId: "run-c" })).toBe(false);
      expect(await stored("a")).toMatchObject({ runId: "run-b" });
      expect(await store.tasks.change({ ...first, tenant: "other" })).toBe(false);
    });

    it("queues what comes to a session that has a task", async () => {
      await store.sessions.add(session("s"));
      await store.sessions.add(session("s", { tenant: "other" }));
      const first = await added("a", { session: "s-s" });
      const second = await added("b", { session: "s-s" });
      await added("c", { session: "s-s" });
      expect(first).toMatchObject({ state: "active", pending: "launch", dueAtMs: 60 });
      expect(second.state).toBe("queued");
      expect(second).not.toHaveProperty("pending");
      expect(second).not.toHaveProperty("dueAtMs");
      expect(await added("b", { session: "s-s", tenant: "other" })).toMatchObject({
        state: "active",
      });
      expect(await store.tasks.queued("acme", "s-s")).toBe(2);
      expect(await store.tasks.queued("acme", "s-s", "b")).toBe(1);
      expect(await store.tasks.queued("acme", "s-s", "c")).toBe(2);
      expect((await store.tasks.active("acme", "s-s"))?.id).toBe("a");
      expect(await store.tasks.active("acme", "s-other")).toBeUndefined();
    });

    it("has the active task looked after once others wait for it", async () => {
      await store.sessions.add(session("s"));
      const { dueAtMs: _, pending: __, ...quiet } = await added("a", { session: "s-s" });
      await store.tasks.change(quiet);
      expect(await store.tasks.claim({ nowMs: 99_999, untilMs: 1, limit: 9 })).toEqual([]);
      await added("b", { session: "s-s", createdAtMs: 10 });
      expect(await stored("a")).toMatchObject({ version: 3, dueAtMs: 60_010 });
    });

    it("adds nothing to a session that is gone, closed or full", async () => {
      let attempts = 0;
      const to = (id: string) =>
        store.tasks.add(task(id, { session: "s-s", runId: `run-${attempts++}` }), {
          contextIds: [],
          maxQueued: 1,
        });
      expect(await to("a")).toBe("session_not_found");
      await store.sessions.add(session("s"));
      expect([await to("a"), await to("b")]).toMatchObject([
        { state: "active" },
        { state: "queued" },
      ]);
      expect(await to("c")).toBe("queue_full");
      await store.sessions.close("acme", "s", 9);
      expect(await to("d")).toBe("session_closed");
      expect(await to("b")).toBe("exists");
      expect(await store.tasks.get("acme", "d")).toBeUndefined();
      expect(await store.sessions.get("acme", { name: "s" })).toMatchObject({
        closed: true,
        lastActiveMs: 9,
      });
    });

    it("ends a task and goes on with the next one of its session at once", async () => {
      await store.sessions.add(session("s"));
      const first = await added("a", { session: "s-s" });
      await added("b", { session: "s-s" });
      await added("c", { session: "s-s" });
      const now = await stored("a");
      expect(await end(first)).toEqual({ changed: false }); // an older version, and it is still active
      expect(await store.tasks.promote("acme", "s-s", 5)).toBeUndefined();
      const { changed, next } = await end(now);
      expect([changed, next?.id, next?.state, next?.pending, next?.dueAtMs]).toEqual([
        true,
        "b",
        "active",
        "launch",
        60_005,
      ]);
      expect(await stored("a")).toMatchObject({ state: "ended", history: [SUBMITTED, COMPLETED] });
      expect((await end(await stored("b"))).next?.id).toBe("c");
      expect(await end(await stored("c"))).toEqual({ changed: true });
      expect(await end(await added("alone"))).toEqual({ changed: true });
    });

    it("drops a queue, and leaves the active task", async () => {
      await store.sessions.add(session("s"));
      for (const id of ["a", "b", "c"]) await added(id, { session: "s-s" });
      expect(await store.tasks.dropQueue("acme", "s-s", CANCELED)).toBe(2);
      expect(await store.tasks.dropQueue("acme", "s-s", CANCELED)).toBe(0);
      expect(await stored("a")).toMatchObject({ state: "active", history: [SUBMITTED] });
      expect(await stored("c")).toMatchObject({
        state: "ended",
        history: [SUBMITTED, CANCELED],
        version: 2,
      });
    });

    it("shows the newest tasks of a session, oldest first", async () => {
      await store.sessions.add(session("s"));
      for (const id of ["c", "a", "b"]) await added(id, { session: "s-s" });
      await added("d");
      const ids = async (limit: number, ended = false) =>
        (await store.tasks.ofSession("acme", "s-s", { limit, ended })).map(({ id }) => id);
      expect([await ids(9), await ids(2), await ids(9, true)]).toEqual([
        ["c", "a", "b"],
        ["a", "b"],
        [],
      ]);
      await end(await stored("c"));
      expect([await ids(1), await ids(1, true)]).toEqual([["b"], ["c"]]);
    });

    it("hands out due tasks of all tenants once, the most overdue first", async () => {
      await added("later", { dueAtMs: 50 });
      await added("first", { dueAtMs: 10, tenant: "other" });
      await added("not-yet", { dueAtMs: 51 });
      const claim = async (nowMs: number, limit: number) =>
        (await store.tasks.claim({ nowMs, untilMs: 100, limit })).map(({ id }) => id);
      expect(await claim(50, 1)).toEqual(["first"]);
      expect(await claim(50, 9)).toEqual(["later"]);
      expect(await claim(50, 9)).toEqual([]);
      expect((await claim(100, 9)).toSorted()).toEqual(["first", "later", "not-yet"]);
    });

    it("forgets what ended long ago, unless something is pending for it", async () => {
      const { pending: _, dueAtMs: __, ...ended } = await added("a");
      await store.tasks.end({ ...ended, state: "ended" }, 5);
      await store.tasks.end({ ...(await added("b")), state: "ended", pending: "cancel" }, 5);
      await added("c");
      await store.tasks.prune(5, 9);
      expect(await store.tasks.get("acme", "a")).toBeDefined();
      await store.tasks.prune(6, 9);
      const left = ["a", "b", "c"].map(async (id) => (await store.tasks.get("acme", id))?.id);
      expect(await Promise.all(left)).toEqual([undefined, "b", "c"]);
    });

    it("takes contexts with the task that has them, all or none", async () => {
      const keep = (text: string) =>
        store.contexts.add("acme", piece(text), { nowMs: 0, expiresAtMs: 9 });
      await keep("one");
      await keep("two");
      const [one, two] = await store.contexts.list("acme", 1);
      const ids = [one?.id ?? 0, two?.id ?? 0];
      const using = (contextIds: readonly number[]) => ({ contextIds, maxQueued: 9 });
      expect(await store.tasks.add(task("a"), using([ids[0] ?? 0]))).toMatchObject({ id: "a" });
      expect(await store.tasks.add(task("b"), using(ids))).toBe("contexts_taken");
      expect(await store.tasks.get("acme", "b")).toBeUndefined();
      expect((await store.contexts.list("acme", 1)).map(({ id }) => id)).toEqual([ids[1]]);
      expect(await store.tasks.add(task("a", { runId: "run-x" }), using([ids[1] ?? 0]))).toBe(
        "exists",
      );
      expect(await store.contexts.list("acme", 1)).toHaveLength(1);
      const theirs = task("a", { tenant: "other" });
      expect(await store.tasks.add(theirs, using([ids[1] ?? 0]))).toBe("contexts_taken");
    });

    it("lists contexts by priority, then by age, until they expire", async () => {
      const times = { nowMs: 0, expiresAtMs: 9 };
      await store.contexts.add("acme", piece("low", "low"), times);
      await store.contexts.add("acme", piece("first"), times);
      await store.contexts.add("acme", piece("second"), { nowMs: 0, expiresAtMs: 5 });
      await store.contexts.add("acme", piece("high", "high"), times);
      await store.contexts.add("other", piece("theirs"), times);
      const listed = async (nowMs: number) =>
        (await store.contexts.list("acme", nowMs)).map((each) => each.piece.content);
      expect(await listed(4)).toEqual(["high", "first", "second", "low"]);
      expect(await listed(5)).toEqual(["high", "first", "low"]);
      await store.contexts.prune(9);
      expect(await listed(0)).toEqual([]);
    });

    it("has room for some contexts of each tenant, by number and size", async () => {
      const keep = (tenant: string, text: string, nowMs = 0) =>
        store.contexts.add(tenant, piece(text), { nowMs, expiresAtMs: nowMs + 9 });
      for (let index = 0; index < 32; index++) expect(await keep("acme", "x")).toBe(true);
      expect(await keep("acme", "x")).toBe(false);
      expect(await keep("acme", "x", 9)).toBe(true);
      for (let index = 0; index < 3; index++)
        expect(await keep("other", "é".repeat(32_768))).toBe(true);
      expect(await keep("other", "é".repeat(32_768))).toBe(false);
      expect(await keep("other", "x")).toBe(true);
    });

    it("adds a session once by name, and finds it by name and id", async () => {
      const whole = session("s", { repoScope: "owner/repo" });
      expect(await store.sessions.add(whole)).toBe(true);
      expect(await store.sessions.add(session("s", { id: "another" }))).toBe(false);
      expect(await store.sessions.get("acme", { name: "s" })).toEqual(whole);
      expect(await store.sessions.get("acme", { id: "s-s" })).toEqual(whole);
      expect(await store.sessions.get("acme", { id: "s" })).toBeUndefined();
      expect(await store.sessions.get("other", { name: "s" })).toBeUndefined();
      expect(await store.sessions.get("other", { id: "s-s" })).toBeUndefined();
    });

    it("lists sessions by name, with their tasks", async () => {
      await store.sessions.add(session("b"));
      await store.sessions.add(session("a"));
      await store.sessions.add(session("c", { tenant: "other" }));
      await added("t", { session: "s-b", createdAtMs: 8 });
      const listed = await store.sessions.list("acme");
      expect(listed.map((each) => [each.name, each.taskCount, each.lastActiveMs])).toEqual([
        ["a", 0, 1],
        ["b", 1, 8],
      ]);
    });

    it("keeps the tasks of a session that is deleted, and ends its queue", async () => {
      await store.sessions.add(session("s"));
      await added("a", { session: "s-s" });
      await added("b", { session: "s-s" });
      expect(await store.sessions.delete("other", "s", CANCELED)).toBe(false);
      expect(await store.sessions.delete("acme", "s", CANCELED)).toBe(true);
      expect(await store.sessions.delete("acme", "s", CANCELED)).toBe(false);
      expect(await stored("a")).toMatchObject({ state: "active" });
      expect(await stored("a")).not.toHaveProperty("session");
      expect(await stored("b")).toMatchObject({ state: "ended", history: [SUBMITTED, CANCELED] });
    });

    it("keeps remote agents by name", async () => {
      const card = {
        name: "far",
        description: "",
        url: "u",
        version: "1",
        skills: [],
        capabilities: { streaming: false, pushNotifications: false },
      };
      const remote = { url: "https://far.example.com", card, lastHeartbeat: 1 };
      await store.remotes.put("acme", "far", { ...remote, url: "https://old.example.com" });
      await store.remotes.put("acme", "far", remote);
      expect(await store.remotes.get("acme", "far")).toEqual(remote);
      expect(await store.remotes.get("other", "far")).toBeUndefined();
      expect(await store.remotes.touch("acme", "far", 7)).toBe(true);
      expect(await store.remotes.touch("other", "far", 8)).toBe(false);
      expect(await store.remotes.list("acme")).toEqual([
        { name: "far", ...remote, lastHeartbeat: 7 },
      ]);
      expect(await store.remotes.list("other")).toEqual([]);
      expect(await store.remotes.delete("other", "far")).toBe(false);
      expect(await store.remotes.delete("acme", "far")).toBe(true);
      for (let index = 0; index < 100; index++)
        await store.remotes.put("acme", `r${index}`, remote);
      await expect(store.remotes.put("acme", "far", remote)).rejects.toMatchObject({
        code: "limit_exceeded",
      });
      await store.remotes.put("acme", "r7", remote);
    });
  });
}
