// What a store of schedules does, wherever its rows are: `describeScheduleStore(form)`.
import { beforeEach, describe, expect, it } from "vitest";
import type {
  Firing,
  Schedule,
  ScheduleStore,
  Settlement,
} from "../../src/triggers/schedule-store.ts";

export type ScheduleStoreForm = {
  readonly name: string;
  /** An empty store. */
  readonly open: () => ScheduleStore | Promise<ScheduleStore>;
  /** Gives a tenant of the store that was opened last so many schedules, `s1` the first. */
  readonly fill: (tenant: string, count: number) => Promise<void>;
};

const MAX_SCHEDULES = 10_000;
const KEPT_FIRINGS = 50;

export function describeScheduleStore({ name, open, fill }: ScheduleStoreForm): void {
  describe(`a schedule store ${name}`, () => {
    let store: ScheduleStore;

    beforeEach(async () => {
      store = await open();
    });

    function schedule(id: string, more: Partial<Schedule> = {}): Schedule {
      return {
        tenant: "acme",
        id,
        source: "stored",
        definition: {
          cron: "0 7 * * *",
          timeZone: "UTC",
          target: { kind: "crew", name: "briefing" },
          inputs: { topic: "tea" },
          missed: "latest",
          overlap: "allow",
        },
        paused: false,
        nextAtMs: 100,
        dueAtMs: 100,
        lastRunId: null,
        version: 1,
        createdAtMs: 1,
        updatedAtMs: 1,
        ...more,
      };
    }

    async function added(id: string, more: Partial<Schedule> = {}): Promise<Schedule> {
      const made = schedule(id, more);
      expect(await store.add(made)).toBe(true);
      return made;
    }

    /** Claims schedules that are due at 100, up to 500. */
    async function claim(limit = 10): Promise<readonly Schedule[]> {
      return store.claim({ nowMs: 100, untilMs: 500, limit });
    }

    function started(slotMs: number, runId = `run-${slotMs}`): Firing {
      return { atMs: slotMs, slotMs, outcome: "started", runId };
    }

    function settlement(of: Schedule, more: Partial<Settlement> = {}): Settlement {
      return { schedule: of, nextAtMs: 900, dueAtMs: 900, firings: [], ...more };
    }

    const idsOf = (schedules: readonly Schedule[]) => schedules.map(({ id }) => id);

    describe("keeping schedules", () => {
      it("gives back what was added", async () => {
        const paused = schedule("b", {
          source: "code",
          paused: true,
          nextAtMs: null,
          dueAtMs: null,
          lastRunId: "run-7",
          version: 4,
          updatedAtMs: 9,
        });
        await added("a");
        expect(await store.add(paused)).toBe(true);
        expect(await store.get("acme", "a")).toEqual(schedule("a"));
        expect(await store.get("acme", "b")).toEqual(paused);
        expect(await store.get("acme", "c")).toBeUndefined();
      });

      it("refuses an id that is taken, and keeps the first schedule", async () => {
        await added("a");
        expect(await store.add(schedule("a", { version: 7 }))).toBe(false);
        expect(await store.get("acme", "a")).toEqual(schedule("a"));
      });

      it("keeps tenants apart", async () => {
        await added("a");
        const theirs = await added("a", { tenant: "other", version: 5 });
        const acme = await store.get("acme", "a");
        expect(acme).toEqual(schedule("a"));
        expect(idsOf(await store.list("acme", { limit: 5 }))).toEqual(["a"]);
        await store.record("acme", "a", started(1));
        expect(await store.firings("other", "a", 5)).toEqual([]);
        expect(await store.delete("acme", "a")).toBe(true);
        expect(await store.get("other", "a")).toEqual(theirs);
      });

      it("lists by id, page by page, also when schedules come and go in between", async () => {
        for (const id of ["d", "b", "f"]) await added(id);
        expect(idsOf(await store.list("acme", { limit: 2 }))).toEqual(["b", "d"]);
        await store.delete("acme", "d");
        await added("a");
        await added("e");
        expect(idsOf(await store.list("acme", { afterId: "d", limit: 2 }))).toEqual(["e", "f"]);
        expect(await store.list("acme", { afterId: "f", limit: 2 })).toEqual([]);
      });

      it("deletes a schedule once, with its firings", async () => {
        await added("a");
        await store.record("acme", "a", started(1));
        expect(await store.delete("acme", "a")).toBe(true);
        expect(await store.delete("acme", "a")).toBe(false);
        await added("a");
        expect(await store.firings("acme", "a", 5)).toEqual([]);
      });

      it("refuses one schedule too many of a tenant, and no other tenant's", async () => {
        await fill("acme", MAX_SCHEDULES - 1);
        await added("the last one");
        await expect(store.add(schedule("one more"))).rejects.toMatchObject({
          code: "limit_exceeded",
          message: "a tenant may have at most 10000 schedules; delete some first",
        });
        expect(await store.get("acme", "one more")).toBeUndefined();
        expect(await store.add(schedule("s1"))).toBe(false);
        await added("one more", { tenant: "other" });
        await store.delete("acme", "s1");
        await added("one more");
      });

      it("finds the schedules of the code, of all tenants", async () => {
        await added("a");
        await added("b", { source: "code" });
        await added("c", { source: "code", tenant: "other" });
        expect(idsOf(await store.ofCode()).toSorted()).toEqual(["b", "c"]);
      });
    });

    describe("changing a schedule", () => {
      const change = { paused: true, updatedAtMs: 9 };

      it("writes the definition and counts the version; the slots stay what they are", async () => {
        const before = await added("a");
        const definition = { ...before.definition, cron: "* * * * *" };
        expect(await store.change(before, { ...change, definition })).toBe(true);
        expect(await store.get("acme", "a")).toEqual({
          ...before,
          ...change,
          definition,
          version: 2,
        });
      });

      it("moves the next slot when it is told one, or none", async () => {
        const before = await added("a");
        const { definition } = before;
        await store.change(before, { ...change, definition, nextAtMs: 700 });
        const moved = await store.get("acme", "a");
        expect(moved).toMatchObject({ nextAtMs: 700, dueAtMs: 700 });
        await store.change(moved ?? before, { ...change, definition, nextAtMs: null });
        expect(await store.get("acme", "a")).toMatchObject({ nextAtMs: null, dueAtMs: null });
      });

      it("refuses when another change came first, and when the schedule is gone", async () => {
        const before = await added("a");
        const { definition } = before;
        const results = await Promise.all([
          store.change(before, { ...change, definition }),
          store.change(before, { ...change, definition }),
        ]);
        expect(results.toSorted()).toEqual([false, true]);
        expect(await store.change({ ...before, tenant: "other" }, { ...change, definition })).toBe(
          false,
        );
        await store.delete("acme", "a");
        expect(await store.change(before, { ...change, definition })).toBe(false);
        expect(await store.get("acme", "a")).toBeUndefined();
      });
    });

    describe("claiming", () => {
      it("hands out what is due now, of all tenants, and nothing later or paused", async () => {
        await added("due");
        await added("overdue", { tenant: "other", dueAtMs: 3 });
        await added("later", { dueAtMs: 101 });
        await added("never", { dueAtMs: null });
        const claimed = await claim();
        expect(idsOf(claimed).toSorted()).toEqual(["due", "overdue"]);
        expect(claimed).toContainEqual(schedule("due", { dueAtMs: 500 }));
        expect(await store.get("acme", "due")).toEqual(schedule("due", { dueAtMs: 500 }));
        expect(await store.get("acme", "later")).toEqual(schedule("later", { dueAtMs: 101 }));
      });

      it("takes those first that have been due longest", async () => {
        for (const [id, dueAtMs] of [
          ["a", 90],
          ["b", 10],
          ["c", 50],
        ] as const)
          await added(id, { dueAtMs });
        expect(idsOf(await claim(2)).toSorted()).toEqual(["b", "c"]);
        expect(idsOf(await claim(2))).toEqual(["a"]);
      });

      it("gives each schedule to one caller", async () => {
        await fill("acme", 30);
        const claims = await Promise.all(Array.from({ length: 5 }, () => claim(10)));
        const ids = claims.flatMap(idsOf);
        expect(ids).toHaveLength(30);
        expect(new Set(ids).size).toBe(30);
      });

      it("hands out a schedule again when its claim is over", async () => {
        await added("a");
        expect(await claim()).toHaveLength(1);
        const again = (nowMs: number) => store.claim({ nowMs, untilMs: 900, limit: 1 });
        expect(await again(499)).toEqual([]);
        expect(idsOf(await again(500))).toEqual(["a"]);
      });
    });

    describe("settling", () => {
      it("puts back a claimed schedule with its next slot, its last run and its firings", async () => {
        await added("a");
        const [claimed] = await claim();
        const failed: Firing = { atMs: 103, slotMs: 103, outcome: "failed", error: "no crew" };
        const firings = [started(101), started(102), failed];
        await store.settle([settlement(claimed ?? schedule("a"), { firings })]);
        expect(await store.get("acme", "a")).toEqual(
          schedule("a", { nextAtMs: 900, dueAtMs: 900, lastRunId: "run-102" }),
        );
        expect(await store.firings("acme", "a", 5)).toEqual([failed, started(102), started(101)]);
      });

      it("keeps the last run when no slot was started", async () => {
        await added("a", { lastRunId: "run-7" });
        const [claimed] = await claim();
        const firings: Firing[] = [{ atMs: 101, slotMs: 101, outcome: "skipped" }];
        await store.settle([settlement(claimed ?? schedule("a"), { firings, nextAtMs: null })]);
        expect(await store.get("acme", "a")).toMatchObject({ lastRunId: "run-7", nextAtMs: null });
      });

      it("leaves the slots of a schedule that was changed meanwhile, and notes its run", async () => {
        const before = await added("a");
        const [claimed] = await claim();
        await store.change(before, {
          definition: before.definition,
          paused: false,
          updatedAtMs: 2,
          nextAtMs: 700,
        });
        await store.settle([settlement(claimed ?? before, { firings: [started(101)] })]);
        expect(await store.get("acme", "a")).toMatchObject({
          nextAtMs: 700,
          dueAtMs: 700,
          lastRunId: "run-101",
          version: 2,
        });
      });

      it("writes nothing of a schedule that was deleted meanwhile", async () => {
        await added("a");
        const [claimed] = await claim();
        await store.delete("acme", "a");
        await store.settle([settlement(claimed ?? schedule("a"), { firings: [started(101)] })]);
        await added("a");
        expect(await store.firings("acme", "a", 5)).toEqual([]);
      });

      it("settles more schedules and firings than fit one batch", async () => {
        await fill("acme", 150);
        const claimed = await claim(200);
        await store.settle(claimed.map((each) => settlement(each, { firings: [started(101)] })));
        expect(claimed).toHaveLength(150);
        const settled = await store.list("acme", { limit: 200 });
        expect(settled.every(({ nextAtMs, lastRunId }) => nextAtMs === 900 && lastRunId)).toBe(
          true,
        );
        expect(await store.firings("acme", "s150", 5)).toEqual([started(101)]);
      });
    });

    describe("firings", () => {
      it("are listed newest first, at most as many as asked for", async () => {
        await added("a");
        for (const slot of [2, 9, 5]) await store.record("acme", "a", started(slot));
        expect(await store.firings("acme", "a", 2)).toEqual([started(9), started(5)]);
        expect(await store.firings("acme", "never", 2)).toEqual([]);
      });

      it("count a slot once, and each start by hand", async () => {
        await added("a");
        const byHand = (runId: string): Firing => ({ ...started(7, runId), slotMs: null });
        await store.record("acme", "a", started(7));
        await store.record("acme", "a", started(7, "another"));
        await store.record("acme", "a", byHand("hand-1"));
        await store.record("acme", "a", byHand("hand-1"));
        await store.record("acme", "a", byHand("hand-2"));
        const missed: Firing = { atMs: 7, slotMs: 7, outcome: "missed", untilMs: 9 };
        await store.record("acme", "a", missed);
        const firings = await store.firings("acme", "a", 10);
        expect(firings.map(({ outcome, runId }) => runId ?? outcome)).toEqual([
          "hand-2",
          "hand-1",
          "missed",
          "run-7",
        ]);
      });

      it("are kept for a schedule that exists, and only the newest of them", async () => {
        await added("a");
        await added("b");
        await store.record("acme", "b", started(1));
        for (let slot = 1; slot <= KEPT_FIRINGS + 2; slot++)
          await store.record("acme", "a", started(slot));
        const kept = await store.firings("acme", "a", 100);
        expect(kept).toHaveLength(KEPT_FIRINGS);
        expect(kept.at(-1)).toEqual(started(3));
        expect(await store.firings("acme", "b", 5)).toEqual([started(1)]);
        await store.record("acme", "never", started(1));
        await added("never");
        expect(await store.firings("acme", "never", 5)).toEqual([]);
      });
    });
  });
}
