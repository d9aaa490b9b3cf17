import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { expiredAnswer, settleWait } from "../../../src/journal/settle-wait.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import {
  beginDrive,
  cutOffRow,
  doneRow,
  drive,
  Latch,
  perform,
  rowsOf,
} from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

const ask = (scope: RunScope): Promise<JsonValue> =>
  scope.at("ask").wait({ kind: "human", prompt: "Go on?" });

describe.each(RUN_STORES)("waits, $name", ({ open }) => {
  it("J5: parks, so neither catch nor finally nor the next line sees the wait", async () => {
    const seen: string[] = [];
    const result = await drive(open().store.journal, async (scope) => {
      try {
        await ask(scope);
        seen.push("then");
      } catch {
        seen.push("catch");
      } finally {
        seen.push("finally");
      }
      return null;
    });
    expect(result).toEqual({ state: "parked", reason: "waiting" });
    expect(seen).toEqual([]);
  });

  it("J6: ends a drive whose only branch waits, with the wait on record", async () => {
    const { journal } = open().store;
    await drive(journal, ask);
    expect(journal.waits()).toMatchObject([
      { key: "ask", kind: "wait", state: "waiting", wait: { kind: "human", prompt: "Go on?" } },
    ]);
  });

  it("J6: does not end a drive in which another branch still works", async () => {
    const { journal } = open().store;
    const work = new Latch<string>();
    const { ended, clock } = beginDrive(journal, async (scope) => {
      await Promise.all([ask(scope), perform(scope, "work", () => work.promise)]);
      return null;
    });
    let over = false;
    void ended.then(() => (over = true));
    await clock.settle();
    expect(over).toBe(false);
    work.resolve("done");
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
    expect(journal.get("work")?.state).toBe("done");
  });

  it("J6: does not end a drive while a step waits for a slot, for its next attempt or for its own code", async () => {
    const { journal } = open().store;
    const works = [new Latch<null>(), new Latch<null>()];
    const { ended, clock } = beginDrive(
      journal,
      async (scope) => {
        await Promise.all([
          ask(scope),
          ...works.map(({ promise }, n) =>
            perform(scope, `tool:${n}`, { kind: "tool", action: () => promise }),
          ),
        ]);
        return null;
      },
      { limits: { concurrentCalls: 1 } },
    );
    await clock.settle();
    works[0]?.resolve(null);
    await clock.settle();
    works[1]?.resolve(null);
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
    expect(rowsOf(journal).map(({ state }) => state)).toEqual(["waiting", "done", "done"]);
  });

  it("J6: ends a drive in which a task, an agent and a tool wait for a wait inside them", async () => {
    const { journal } = open().store;
    const result = await drive(journal, (scope) =>
      scope
        .at("task")
        .group("task", (task) =>
          task
            .at("agent")
            .group("agent", (agent) =>
              agent.at("tool").step({ kind: "tool", run: (_, tool) => ask(tool) }),
            ),
        ),
    );
    expect(result).toEqual({ state: "parked", reason: "waiting" });
    expect(journal.waits().map(({ key }) => key)).toEqual(["task/agent/tool/ask"]);
  });

  it("J6: ends a drive paused before a call returned to its record, though another branch got an answer", async () => {
    const { journal: store } = open().store;
    store.put(cutOffRow("tool", 1, { kind: "tool", state: "waiting" }));
    store.put(doneRow("tool/one", 2, { parent: "tool" }));
    store.put(doneRow("tool/two", 4, { parent: "tool" }));
    store.put(cutOffRow("ask", 6, { kind: "wait", state: "waiting", wait: { kind: "human" } }));
    const { journal, ended, clock } = beginDrive(store, async (scope) => {
      const work = scope.at("tool").step<null>({
        kind: "tool",
        run: async (_, inside) => {
          await perform(inside, "one", () => null);
          throw new EngineError("unavailable", "not now", { retryable: true });
        },
      });
      await Promise.all([work, ask(scope)]);
      return null;
    });
    await clock.settle();
    expect(journal.settle("ask", { value: "yes" })).toBe(true);
    journal.pause();
    await clock.settle();
    expect(await ended).toEqual({ state: "parked", reason: "paused" });
  });

  it("continues with an answer from between two drives", async () => {
    const fixture = open();
    await drive(fixture.store.journal, ask);
    expect(
      settleWait(fixture.store.journal, "ask", { answer: { value: "yes" }, seq: 2, atMs: 7 }),
    ).toBe(true);
    expect(await drive(fixture.reopen().journal, ask)).toEqual({
      state: "completed",
      value: "yes",
    });
  });

  it("continues with an answer during the drive", async () => {
    const { journal } = open().store;
    const work = new Latch<null>();
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(journal, async (scope) => {
      const [answer] = await Promise.all([ask(scope), perform(scope, "work", () => work.promise)]);
      return answer;
    });
    await clock.settle();
    expect(driven.settle("ask", { value: "yes" })).toBe(true);
    work.resolve(null);
    expect(await ended).toEqual({ state: "completed", value: "yes" });
  });

  it("fails a wait that is answered with an error", async () => {
    const { journal } = open().store;
    await drive(journal, ask);
    settleWait(journal, "ask", {
      answer: { error: { code: "run_cancelled", message: "the child gave up", retryable: false } },
      seq: 2,
      atMs: 7,
    });
    expect(await drive(journal, ask)).toMatchObject({
      state: "failed",
      error: { message: "the child gave up" },
    });
  });

  it("takes the first answer only, in a drive and between drives", async () => {
    const { journal } = open().store;
    const work = new Latch<null>();
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(journal, async (scope) => {
      const [answer] = await Promise.all([ask(scope), perform(scope, "work", () => work.promise)]);
      return answer;
    });
    await clock.settle();
    expect([
      driven.settle("ask", { value: 1 }),
      driven.settle("ask", { value: 2 }),
      driven.settle("nobody", { value: 3 }),
    ]).toEqual([true, false, false]);
    expect(settleWait(journal, "ask", { answer: { value: 4 }, seq: 99, atMs: 0 })).toBe(false);
    work.resolve(null);
    expect(await ended).toEqual({ state: "completed", value: 1 });
  });

  it("answers waits only, no other step", async () => {
    const { journal } = open().store;
    await drive(journal, (scope) =>
      scope.at("tool").step({ kind: "tool", run: (_, tool) => ask(tool) }),
    );
    expect(journal.get("tool")?.state).toBe("waiting");
    expect(settleWait(journal, "tool", { answer: { value: 1 }, seq: 99, atMs: 0 })).toBe(false);
  });

  it("takes an answer to a wait the code has not reached again", async () => {
    const { journal } = open().store;
    const program = async (scope: RunScope): Promise<JsonValue> => {
      await perform(scope, "before", () => null);
      return ask(scope);
    };
    await drive(journal, program);
    const { journal: driven, ended } = beginDrive(journal, program);
    expect(driven.settle("ask", { value: "early" })).toBe(true);
    expect(await ended).toEqual({ state: "completed", value: "early" });
  });

  it("reports a wait when it opens, and again when the code reaches it again, so no crash hides it", async () => {
    const { journal } = open().store;
    const parked: string[] = [];
    const observer = { parked: (key: string) => parked.push(key) };
    await drive(journal, ask, { observer });
    await drive(journal, ask, { observer });
    expect(parked).toEqual(["ask", "ask"]);
  });

  it("keeps the due time of the record when the code would now say another", async () => {
    const { journal } = open().store;
    const clock = new SimulatedClock();
    const program = (scope: RunScope): Promise<JsonValue> =>
      scope
        .at("ask")
        .wait({ kind: "human", dueAtMs: clock.now() + 1000, otherwise: "nobody came" });
    await drive(journal, program, { clock });
    await clock.advance(900);
    await drive(journal, program, { clock });
    expect(journal.get("ask")?.wait?.dueAtMs).toBe(clock.now() + 100);
  });

  it("a timer due while another branch works continues in the same drive", async () => {
    const { journal } = open().store;
    const { ended, clock } = beginDrive(journal, async (scope) => {
      const order: string[] = [];
      await Promise.all([
        scope
          .at("nap")
          .sleep(100)
          .then(() => order.push("timer")),
        perform(
          scope,
          "work",
          () => new Promise<null>((resolve) => clock.after(200, () => resolve(null))),
        ).then(() => order.push("work")),
      ]);
      return order;
    });
    await clock.advance(200);
    expect(await ended).toEqual({ state: "completed", value: ["timer", "work"] });
    expect(clock.pending).toBe(0);
  });

  it("a timer alone parks the run, and leaves nothing in memory", async () => {
    const { journal } = open().store;
    const { ended, clock } = beginDrive(
      journal,
      async (scope) => (await scope.at("nap").sleep(100), "rested"),
    );
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
    expect(clock.pending).toBe(0);
    expect(journal.waits()).toMatchObject([
      { key: "nap/timer", wait: { kind: "timer", dueAtMs: clock.now() + 100 } },
    ]);
  });

  it("sets no timer for a due time beyond the range of timers", async () => {
    const { journal } = open().store;
    const { ended, clock } = beginDrive(journal, async (scope) => {
      await Promise.all([
        scope.at("nap").sleep(90 * 24 * 3_600_000),
        perform(scope, "work", () => null),
      ]);
      return null;
    });
    expect(await ended).toEqual({ state: "parked", reason: "waiting" });
    expect(clock.pending).toBe(0);
  });

  it("one waiting branch does not stop the others", async () => {
    const { journal } = open().store;
    await drive(journal, async (scope) => {
      await Promise.all([
        ask(scope),
        (async () => {
          for (let n = 0; n < 5; n++) await perform(scope, `other:${n}`, () => null);
        })(),
      ]);
      return null;
    });
    expect(rowsOf(journal).filter(({ state }) => state === "done")).toHaveLength(5);
  });

  it("a race between a wait and a timer is won by the earlier one, in every replay", async () => {
    const { journal } = open().store;
    const program = (scope: RunScope): Promise<JsonValue> =>
      Promise.race([
        ask(scope).then(() => "answered"),
        scope
          .at("nap")
          .sleep(100)
          .then(() => "too late"),
      ]);
    await drive(journal, program);
    settleWait(journal, "nap/timer", {
      answer: { value: null },
      seq: journal.lastSeq() + 1,
      atMs: 0,
    });
    settleWait(journal, "ask", { answer: { value: "x" }, seq: journal.lastSeq() + 1, atMs: 0 });
    const late = await drive(journal, async (scope) => [
      await program(scope),
      await perform(scope, "end", () => "end"),
    ]);
    expect(late).toEqual({ state: "completed", value: ["too late", "end"] });
  });

  it("J14: a step that ends withdraws its open waits, and no code gets an answer", async () => {
    const { journal: store } = open().store;
    const answers: unknown[] = [];
    const program = async (scope: RunScope): Promise<JsonValue> => {
      const first = await scope.at("round").group("group", async (inside) => {
        const late = inside.at("late").wait({ kind: "timer", dueAtMs: Date.UTC(2027, 0, 1) });
        const asked = ask(inside);
        void late.catch((error: unknown) => answers.push(error));
        return Promise.race([late, asked]);
      });
      await scope.at("more").wait({ kind: "input" });
      return first;
    };
    const { journal, ended, clock } = beginDrive(store, program);
    await clock.settle();
    await ended;
    expect(store.waits().map(({ key }) => key)).toEqual(["round/late", "round/ask"]);
    expect(settleWait(store, "round/ask", { answer: { value: 1 }, seq: 99, atMs: 0 })).toBe(true);
    await drive(store, program);
    expect(store.waits().map(({ key }) => key)).toEqual(["more"]);
    expect(store.get("round/late")).toMatchObject({
      state: "error",
      error: { code: "wait_expired" },
    });
    expect(settleWait(store, "more", { answer: { value: null }, seq: 999, atMs: 0 })).toBe(true);
    expect(await drive(store, program)).toEqual({ state: "completed", value: 1 });
    expect(answers).toEqual([]);
    expect(journal.settle("round/late", { value: null })).toBe(false);
  });

  it("J14: takes them back in the next drive, when the last one was cut off before it could", async () => {
    const { journal: store } = open().store;
    const program = async (scope: RunScope): Promise<JsonValue> => {
      await scope
        .at("round")
        .group("group", (inside) => Promise.race([ask(inside), inside.at("soon").sleep(5)]));
      return scope.at("more").wait({ kind: "input" });
    };
    await drive(store, program);
    settleWait(store, "round/soon/timer", { answer: { value: null }, seq: 99, atMs: 0 });
    await drive(store, program);
    const asked = store.get("round/ask");
    if (asked === undefined) throw new Error("nobody was asked");
    store.put({ ...asked, state: "waiting", endedSeq: null, endedAtMs: null, error: null });
    const { ended: next } = beginDrive(store, program);
    expect(await next).toEqual({ state: "parked", reason: "waiting" });
    expect(store.waits().map(({ key }) => key)).toEqual(["more"]);
  });
});

describe("answers of expired waits", () => {
  it("is null for a timer", () => {
    expect(expiredAnswer("t", { kind: "timer", dueAtMs: 1 })).toEqual({ value: null });
  });

  it("is the default when there is one, null included", () => {
    expect(expiredAnswer("w", { kind: "human", otherwise: "no" })).toEqual({ value: "no" });
    expect(expiredAnswer("w", { kind: "human", otherwise: null })).toEqual({ value: null });
  });

  it("is the failure wait_expired where there is no default", () => {
    expect(expiredAnswer("w", { kind: "input" })).toMatchObject({
      error: { code: "wait_expired", retryable: false },
    });
  });
});
