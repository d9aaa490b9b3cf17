// What a directory of runs does, wherever the runs live: `describeRunDirectory(form)`.
import { describe, expect, it } from "vitest";
import type { RunDirectory, RunQuery, RunSummary } from "../../src/runtime/run-directory.ts";
import type { Run, RunStart, RunStatus } from "../../src/runtime/run.ts";

export type RunDirectoryForm = {
  readonly name: string;
  /**
   * Knows the crews `single` (one task, `only`, that answers "done") and `asking` (the task `before`, then the task `ask`, which asks a
   * person "How many?" and answers what they said), and the flow `account` (waits for the event `paid`, a number `amount`).
   */
  readonly directory: RunDirectory;
};

const SOON = { timeout: 15_000, interval: 5 };

export function describeRunDirectory({ name, directory }: RunDirectoryForm): void {
  describe(`a run directory ${name}`, () => {
    let count = 0;
    const fresh = (what: string) => `${what}-${++count}`;

    async function start(
      tenant: string,
      crew: string,
      more: Partial<RunStart> = {},
    ): Promise<string> {
      const id = fresh(crew);
      const { id: started } = await directory.start({
        id,
        tenant,
        kind: "crew",
        name: crew,
        inputs: {},
        ...more,
      });
      return started;
    }

    /** Starts a run and lets it go as far as it can by itself. */
    async function rested(
      tenant: string,
      crew: string,
      more: Partial<RunStart> = {},
    ): Promise<Run> {
      return directory.settled(tenant, await start(tenant, crew, more), SOON.timeout);
    }

    /** The whole listing, page by page. */
    async function listed(query: Partial<RunQuery> & { tenant: string }): Promise<RunSummary[]> {
      const items: RunSummary[] = [];
      let cursor: string | undefined;
      do {
        const page = await directory.list({ limit: 2, ...query, cursor });
        expect(page.items.length).toBeLessThanOrEqual(2);
        items.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return items;
    }

    /** Resolves once the listing shows the runs of a tenant with these statuses, in whatever order. */
    async function shows(tenant: string, ...statuses: readonly RunStatus[]): Promise<void> {
      await expect
        .poll(async () => (await listed({ tenant })).map(({ status }) => status).toSorted(), SOON)
        .toEqual(statuses.toSorted());
    }

    async function waitingIds(tenant: string, limit = 50): Promise<readonly string[]> {
      return (await directory.waits({ tenant, limit })).items.map(({ run }) => run.id);
    }

    /** What each of these was rejected with. */
    async function failuresOf(
      attempts: Readonly<Record<string, Promise<unknown>>>,
    ): Promise<Readonly<Record<string, unknown>>> {
      const failures = Object.entries(attempts).map(async ([method, attempt]) => [
        method,
        await attempt.then(
          () => "succeeded",
          (error: unknown) => error,
        ),
      ]);
      return Object.fromEntries(await Promise.all(failures)) as Readonly<Record<string, unknown>>;
    }

    /** Runs by what the port promises: newest first, by id where two began at once. */
    const newestFirst = (runs: readonly Run[]): readonly string[] =>
      runs
        .toSorted((a, b) =>
          a.createdAt === b.createdAt ? (b.id < a.id ? -1 : 1) : b.createdAt < a.createdAt ? -1 : 1,
        )
        .map(({ id }) => id);

    describe("starting", () => {
      it("answers the run, which goes on by itself", async () => {
        const tenant = fresh("tenant");
        const run = await rested(tenant, "single", { inputs: { topic: "tea" }, meta: { by: "x" } });
        expect(run).toMatchObject({
          kind: "crew",
          name: "single",
          status: "completed",
          inputs: { topic: "tea" },
          meta: { by: "x" },
          output: { raw: "done" },
        });
        expect(await directory.get(tenant, run.id)).toEqual(run);
      });

      it("answers the first run when its id comes again, whatever comes with it", async () => {
        const tenant = fresh("tenant");
        const first = await rested(tenant, "asking", { inputs: { n: 1 } });
        const again = await rested(tenant, "single", { id: first.id, inputs: { n: 2 } });
        expect(again).toMatchObject({ name: "asking", inputs: { n: 1 }, status: "waiting" });
        await shows(tenant, "waiting");
      });

      it("takes one id for two tenants as two runs", async () => {
        const [tenant, other] = [fresh("tenant"), fresh("tenant")];
        const mine = await rested(tenant, "asking");
        const theirs = await rested(other, "single", { id: mine.id });
        expect([mine.name, theirs.name]).toEqual(["asking", "single"]);
        expect((await directory.get(tenant, mine.id)).status).toBe("waiting");
      });
    });

    it("knows no run that never was, and no other tenant's", async () => {
      const tenant = fresh("tenant");
      const { id: theirs } = await rested(fresh("tenant"), "asking");
      const page = { limit: 5, values: false };
      const point = { newId: fresh("fork"), from: { fromTask: "ask" } };
      for (const id of [theirs, fresh("never")]) {
        const notFound = { code: "not_found", message: `there is no run ${id}` };
        const attempts: Record<string, Promise<unknown>> = {
          get: directory.get(tenant, id),
          settled: directory.settled(tenant, id, 0),
          steps: directory.steps(tenant, id, page),
          resume: directory.resume(tenant, id, { feedback: "x" }),
          sendEvent: directory.sendEvent(tenant, id, { name: "paid" }),
          cancel: directory.cancel(tenant, id, undefined),
          pause: directory.pause(tenant, id),
          unpause: directory.unpause(tenant, id),
          fork: directory.fork(tenant, id, point),
          checkpoints: directory.checkpoints(tenant, id),
          checkpointPage: directory.checkpointPage(tenant, id, page),
          delete: directory.delete(tenant, id),
          events: directory.events(tenant, id, new Request("https://run.test/events")),
        };
        expect(await failuresOf(attempts)).toMatchObject(
          Object.fromEntries(Object.keys(attempts).map((method) => [method, notFound])),
        );
      }
      expect(await directory.reindex(tenant, [theirs])).toBe(0);
    });

    describe("settled", () => {
      it("answers at once for a run that waits, and after its time for one that works on", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        expect((await directory.settled(tenant, id, 600_000)).status).toBe("waiting");
        const queued = await start(tenant, "single");
        expect((await directory.settled(tenant, queued, 0)).id).toBe(queued);
      });

      it("answers when the run has got there", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        await directory.resume(tenant, id, { feedback: "three" });
        const settled = await directory.settled(tenant, id, SOON.timeout);
        expect(settled.status).toBe("completed");
        expect(JSON.stringify(settled.output)).toContain("three");
      });
    });

    describe("listing", () => {
      it("shows the newest first, page by page, without a gap or a double", async () => {
        const tenant = fresh("tenant");
        const runs: Run[] = [];
        for (let n = 0; n < 5; n++) runs.push(await rested(tenant, "single"));
        await shows(tenant, ...runs.map(({ status }) => status));
        const items = await listed({ tenant });
        expect(items.map(({ id }) => id)).toEqual(newestFirst(runs));
        expect(items[0]).toEqual({
          id: runs.at(-1)?.id,
          kind: "crew",
          name: "single",
          status: "completed",
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          startedAt: runs.at(-1)?.startedAt,
          finishedAt: runs.at(-1)?.finishedAt,
          durationMs: expect.any(Number),
          usage: {
            tokens: runs.at(-1)?.usage.totalTokens,
            costUsd: runs.at(-1)?.usage.costUsd,
            requests: runs.at(-1)?.usage.requests,
          },
          waits: 0,
        });
        expect((await directory.list({ tenant, limit: 5 })).nextCursor).toBeUndefined();
      });

      it("goes on where a page ended when runs come and go in between", async () => {
        const tenant = fresh("tenant");
        const runs: Run[] = [];
        for (let n = 0; n < 4; n++) runs.push(await rested(tenant, "single"));
        await shows(tenant, ...runs.map(({ status }) => status));
        const order = newestFirst(runs);
        const { items, nextCursor } = await directory.list({ tenant, limit: 2 });
        expect(items.map(({ id }) => id)).toEqual(order.slice(0, 2));
        await directory.delete(tenant, order[1] ?? "");
        await rested(tenant, "asking");
        await shows(tenant, "completed", "completed", "completed", "waiting");
        const next = await directory.list({ tenant, limit: 9, cursor: nextCursor });
        expect(next.items.map(({ id }) => id)).toEqual(order.slice(2));
      });

      it("filters by kind, name, status and parent, all at once", async () => {
        const tenant = fresh("tenant");
        const single = await rested(tenant, "single");
        const asking = await rested(tenant, "asking");
        const flow = await rested(tenant, "account", { kind: "flow" });
        const parent = { id: single.id, key: "item:0" };
        const child = await rested(tenant, "single", { parent });
        await shows(tenant, "completed", "completed", "waiting", "waiting");
        const ids = async (query: Partial<RunQuery>): Promise<string[]> =>
          (await listed({ tenant, ...query })).map(({ id }) => id).toSorted();
        expect(await ids({ kind: "flow" })).toEqual([flow.id]);
        expect(await ids({ name: "single" })).toEqual([single.id, child.id].toSorted());
        expect(await ids({ status: "waiting" })).toEqual([asking.id, flow.id].toSorted());
        expect(await ids({ parent: single.id })).toEqual([child.id]);
        expect(await ids({ kind: "crew", status: "waiting" })).toEqual([asking.id]);
        expect(await ids({ name: "single", status: "waiting" })).toEqual([]);
        expect((await listed({ tenant, parent: single.id }))[0]?.parent).toEqual(parent);
      });

      it("shows nothing of another tenant", async () => {
        const [tenant, other] = [fresh("tenant"), fresh("tenant")];
        const { id } = await rested(tenant, "asking");
        await rested(other, "asking");
        await shows(tenant, "waiting");
        await shows(other, "waiting");
        expect((await listed({ tenant })).map((run) => run.id)).toEqual([id]);
        await expect.poll(() => waitingIds(tenant), SOON).toEqual([id]);
        expect((await directory.list({ tenant: fresh("tenant"), limit: 5 })).items).toEqual([]);
      });

      it.each(["nonsense", "at-2", btoa("[1]"), btoa('["a","b"]'), ""])(
        "refuses the cursor %j, naming it",
        async (cursor) => {
          const tenant = fresh("tenant");
          const refusal = {
            code: "invalid_input",
            message: "cursor must be the nextCursor of an earlier page, got something else",
            issues: [{ path: "/cursor" }],
          };
          await expect(directory.list({ tenant, limit: 2, cursor })).rejects.toMatchObject(refusal);
          await expect(directory.waits({ tenant, limit: 2, cursor })).rejects.toMatchObject(
            refusal,
          );
        },
      );
    });

    describe("open waits", () => {
      it("are listed oldest first, page by page, and gone once they are answered", async () => {
        const tenant = fresh("tenant");
        const runs: Run[] = [];
        for (let n = 0; n < 3; n++) {
          runs.push(await rested(tenant, "asking"));
          await expect.poll(async () => (await waitingIds(tenant)).length, SOON).toBe(n + 1);
        }
        const all = (await directory.waits({ tenant, limit: 9 })).items;
        expect(all[0]).toMatchObject({
          kind: "human",
          prompt: "How many?",
          key: expect.stringContaining("task:ask/"),
          openedAt: expect.stringMatching(/Z$/),
        });
        expect(all.map(({ openedAt }) => openedAt)).toEqual(
          all.map(({ openedAt }) => openedAt).toSorted(),
        );
        expect(new Set(all.map(({ run }) => run.id))).toEqual(new Set(runs.map(({ id }) => id)));
        const first = await directory.waits({ tenant, limit: 2 });
        const second = await directory.waits({ tenant, limit: 2, cursor: first.nextCursor });
        expect([...first.items, ...second.items]).toEqual(all);
        expect(second.nextCursor).toBeUndefined();

        const { run, key } = all[0] ?? { run: { id: "" }, key: "" };
        await directory.resume(tenant, run.id, { key, feedback: "three" });
        await expect
          .poll(() => waitingIds(tenant), SOON)
          .toEqual(all.slice(1).map((wait) => wait.run.id));
        await directory.cancel(tenant, all[1]?.run.id ?? "", undefined);
        await expect.poll(() => waitingIds(tenant), SOON).toEqual([all[2]?.run.id]);
      });
    });

    describe("steps and checkpoints", () => {
      it("are told in pages, with their values when asked for", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        const whole = await directory.steps(tenant, id, { limit: 1000, values: true });
        const keys = whole.items.map(({ key }) => key);
        expect(whole.nextCursor).toBeUndefined();
        expect(keys).toEqual(expect.arrayContaining(["task:before", "task:ask"]));
        const paged: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await directory.steps(tenant, id, { limit: 2, values: false, cursor });
          expect(page.items.some((step) => "value" in step)).toBe(false);
          paged.push(...page.items.map(({ key }) => key));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(paged).toEqual(keys);
        const before = whole.items.find(({ key }) => key === "task:before");
        expect(before).toMatchObject({ state: "done", value: { raw: "ready" } });
      });

      it("are the finished tasks, oldest first", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        const tasks = async (values: boolean) =>
          (await directory.checkpointPage(tenant, id, { values })).items;
        expect(await tasks(true)).toMatchObject([{ task: "before", output: { raw: "ready" } }]);
        expect((await tasks(false))[0]).not.toHaveProperty("output");
        await directory.resume(tenant, id, { feedback: "three" });
        await directory.settled(tenant, id, SOON.timeout);
        expect((await tasks(false)).map(({ task }) => task)).toEqual(["before", "ask"]);
        expect(await directory.checkpoints(tenant, id)).toEqual(await tasks(false));
      });
    });

    describe("what is sent to a run", () => {
      it("ends its wait for an event, once", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "account", { kind: "flow" });
        const event = { name: "paid", payload: { amount: 5 }, id: "p-1" };
        await expect(
          directory.sendEvent(tenant, id, { ...event, payload: { amount: "x" } }),
        ).rejects.toMatchObject({ code: "invalid_input", issues: [{ path: "/payload/amount" }] });
        expect(await directory.sendEvent(tenant, id, event)).toEqual({
          name: "paid",
          outcome: "delivered",
        });
        const { status } = await directory.settled(tenant, id, SOON.timeout);
        expect(status).toBe("completed");
        await expect(directory.sendEvent(tenant, id, event)).rejects.toMatchObject({
          code: "conflict",
        });
      });

      it("is refused where it does not fit", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        const { id: done } = await rested(tenant, "single");
        const attempts: Record<string, Promise<unknown>> = {
          sendEvent: directory.sendEvent(tenant, id, { name: "paid" }),
          resumeAnother: directory.resume(tenant, id, { key: "another", feedback: "x" }),
          unpause: directory.unpause(tenant, done),
          pause: directory.pause(tenant, done),
          cancel: directory.cancel(tenant, done, undefined),
          resume: directory.resume(tenant, done, { feedback: "x" }),
          delete: directory.delete(tenant, id),
        };
        expect(await failuresOf(attempts)).toMatchObject(
          Object.fromEntries(Object.keys(attempts).map((method) => [method, { code: "conflict" }])),
        );
        expect((await directory.get(tenant, id)).status).toBe("waiting");
      });

      it("pauses and unpauses it, and cancels it for a reason", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        expect((await directory.pause(tenant, id)).paused).toBe(true);
        expect((await directory.unpause(tenant, id)).paused).toBeUndefined();
        const { status, error } = await directory.cancel(tenant, id, "enough");
        expect([status, error?.message]).toEqual(["cancelled", "the run was cancelled: enough"]);
        await shows(tenant, "cancelled");
      });
    });

    describe("forking", () => {
      it("starts a run that takes over the record before a task, with its inputs", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking", { inputs: { topic: "tea" } });
        await directory.resume(tenant, id, { feedback: "three" });
        await directory.settled(tenant, id, SOON.timeout);
        const newId = fresh("fork");
        const from = { fromTask: "ask" };
        await directory.fork(tenant, id, { newId, from, branch: "try two" });
        const fork = await directory.settled(tenant, newId, SOON.timeout);
        expect(fork).toMatchObject({
          id: newId,
          name: "asking",
          status: "waiting",
          inputs: { topic: "tea" },
          origin: { runId: id, branch: "try two" },
          tasks: [{ name: "before", status: "completed" }, { name: "ask" }],
        });
        expect((await directory.get(tenant, id)).status).toBe("completed");
        await shows(tenant, "completed", "waiting");
      });

      it("refuses a point that is not on record, and begins nothing", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "single");
        const newId = fresh("fork");
        for (const [from, code] of [
          [{ fromTask: "none" }, "invalid_input"],
          [{ fromStep: "none" }, "not_found"],
          [{ fromCheckpoint: "none" }, "not_found"],
        ] as const)
          await expect(directory.fork(tenant, id, { newId, from })).rejects.toMatchObject({ code });
        await expect(directory.get(tenant, newId)).rejects.toMatchObject({ code: "not_found" });
        await shows(tenant, "completed");
      });
    });

    describe("deleting", () => {
      it("forgets a finished run whole, and its id is free again", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "asking");
        await directory.cancel(tenant, id, undefined);
        await directory.delete(tenant, id);
        expect((await directory.list({ tenant, limit: 5 })).items).toEqual([]);
        for (const gone of [() => directory.get(tenant, id), () => directory.delete(tenant, id)])
          await expect(gone()).rejects.toMatchObject({ code: "not_found" });
        expect((await rested(tenant, "single", { id })).output).toMatchObject({ raw: "done" });
      });

      it("finds what can be pruned: finished, unchanged since, oldest first, without the newest", async () => {
        const tenant = fresh("tenant");
        const runs: Run[] = [];
        for (let n = 0; n < 4; n++) runs.push(await rested(tenant, "single"));
        await rested(tenant, "asking");
        await rested(fresh("tenant"), "single");
        await shows(tenant, "completed", "completed", "completed", "completed", "waiting");
        const oldest = newestFirst(runs).toReversed();
        const later = Date.now() + 3_600_000;
        const prunable = (query: { beforeMs?: number; keep?: number; limit?: number }) =>
          directory.prunable({ tenant, beforeMs: later, keep: 0, limit: 9, ...query });
        expect(await prunable({})).toEqual(oldest);
        expect(await prunable({ keep: 1 })).toEqual(oldest.slice(0, 3));
        expect(await prunable({ keep: 4 })).toEqual([]);
        expect(await prunable({ limit: 2 })).toEqual(oldest.slice(0, 2));
        expect(await prunable({ keep: 1, limit: 2 })).toEqual(oldest.slice(0, 2));
        const [first] = (await listed({ tenant })).filter(({ id }) => id === oldest[0]);
        expect(await prunable({ beforeMs: Date.parse(first?.updatedAt ?? "") })).not.toContain(
          oldest[0],
        );
      });
    });

    describe("event streams", () => {
      async function told(tenant: string, id: string, request: Request): Promise<string[]> {
        const response = await directory.events(tenant, id, request);
        expect(response.headers.get("content-type")).toContain("text/event-stream");
        const text = await response.text();
        return text.split("\n").flatMap((line) => /^id: (\d+)$/.exec(line)?.[1] ?? []);
      }

      it("tell a finished run to its end, from the place that the caller has", async () => {
        const tenant = fresh("tenant");
        const { id } = await rested(tenant, "single");
        const request = (path: string, headers: Record<string, string> = {}) =>
          new Request(`https://run.test/events${path}`, { headers });
        const all = await told(tenant, id, request(""));
        expect(all).toEqual(all.map((_, index) => String(index + 1)));
        expect(all.length).toBeGreaterThan(4);
        expect(await told(tenant, id, request("?after=3"))).toEqual(all.slice(3));
        expect(await told(tenant, id, request("", { "last-event-id": "3" }))).toEqual(all.slice(3));
        // the last event of a run is always told
        expect(await told(tenant, id, request("?types=run_started"))).toEqual(["1", all.at(-1)]);
      });
    });

    it("has known runs tell the index anew, and counts them", async () => {
      const tenant = fresh("tenant");
      const ids = [await start(tenant, "single"), await start(tenant, "asking")];
      for (const id of ids) await directory.settled(tenant, id, SOON.timeout);
      expect(await directory.reindex(tenant, [...ids, fresh("never")])).toBe(2);
      expect(await directory.reindex(tenant, [])).toBe(0);
      await shows(tenant, "completed", "waiting");
    });
  });
}
