import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import type { WaitRequest } from "../../../src/journal/journal-store.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { ResumeRequest } from "../../../src/runtime/handle/run-handle.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { Latch, perform } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openSqlStore, RUN_STORES, type StoreFixture } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const asking =
  (request: WaitRequest) =>
  (scope: RunScope): Promise<JsonValue> =>
    scope.at("ask").wait(request);

/** A run whose answer comes some microtasks after its n-th timer has fired, or at last when everything rests. */
function answeredAt({
  timer,
  steps,
  fixture,
}: {
  readonly timer: number;
  readonly steps: number;
  readonly fixture: StoreFixture;
}) {
  let fired = 0;
  let answered: Promise<unknown> | undefined;
  class TellingClock extends SimulatedClock {
    override after(delayMs: number, callback: () => void): () => void {
      return super.after(delayMs, () => {
        callback();
        if (++fired === timer) answered = answer(steps);
      });
    }
  }
  const world = new RunWorld(asking({ kind: "input" }), { fixture, clock: new TellingClock() });
  const answer = async (after: number): Promise<void> => {
    for (let step = 0; step < after; step++) await Promise.resolve();
    if (world.store.journal.waits().length === 0) return;
    await world.host.resume({ value: "just in time" });
  };
  return {
    world,
    answer: async () => {
      await answered;
      if (world.store.journal.waits().length > 0) await answer(0);
    },
  };
}

describe.each(RUN_STORES)("a waiting run, $name", ({ open }) => {
  it("emits its wait, and continues with the answer", async () => {
    const world = new RunWorld(asking({ kind: "human", prompt: "Go on?" }), { fixture: open() });
    await world.begin();
    world.restart();
    expect(await world.host.resume({ feedback: "yes, do", by: "kim" })).toMatchObject({
      status: "running",
      waits: [],
    });
    expect(world.alarm.dueAtMs).toBe(world.clock.now());
    expect(await world.rest()).toMatchObject({
      status: "completed",
      output: { feedback: "yes, do", by: "kim" },
    });
    expect(world.store.events.read(1, 10)).toMatchObject([
      { type: "wait_opened", path: "ask", key: "ask", kind: "human", prompt: "Go on?" },
      { type: "run_waiting", waits: ["ask"] },
      { type: "wait_settled", path: "ask", key: "ask", by: "kim" },
      { type: "run_resumed" },
      { type: "run_completed" },
    ]);
  });

  it("J14: withdraws the questions and the alarm of an ended step", async () => {
    const world = new RunWorld(
      (scope) =>
        scope
          .at("round")
          .group("group", (inside) => {
            const late = inside.at("late");
            return Promise.race([
              late.wait({ kind: "timer", dueAtMs: world.clock.now() + 60_000 }),
              late.at("ask").wait({ kind: "human" }),
              inside.at("soon").wait({ kind: "timer", dueAtMs: world.clock.now() + 1_000 }),
            ]).then(() => null);
          })
          .then(() => scope.at("more").wait({ kind: "input" })),
      { fixture: open() },
    );
    await world.begin();
    await world.clock.advance(1_000);
    expect(await world.rest()).toMatchObject({ status: "waiting", waits: [{ key: "more" }] });
    expect(world.host.reader.nextWaitDueMs()).toBeUndefined();
    const settled = world.store.events.read(0, 100).filter(({ type }) => type === "wait_settled");
    expect(settled).toMatchObject([
      { key: "round/soon", expired: true },
      { key: "round/late", expired: true },
      { key: "round/late/ask", expired: true },
    ]);
  });

  it("knows when its next wait is due, if any", async () => {
    const world = new RunWorld(asking({ kind: "input" }), { fixture: open() });
    await world.begin();
    expect(world.host.reader.nextWaitDueMs()).toBeUndefined();
    const timed = new RunWorld(asking({ kind: "input", dueAtMs: world.clock.now() + 7_000 }), {
      fixture: open(),
    });
    await timed.begin();
    expect(timed.host.reader.nextWaitDueMs()).toBe(timed.clock.now() + 7_000);
  });

  it("delivers an answer at once while another branch works", async () => {
    const work = new Latch<string>();
    const seen: JsonValue[] = [];
    const world = new RunWorld(
      async (scope) =>
        Promise.all([
          asking({ kind: "input" })(scope).then((answer) => (seen.push(answer), answer)),
          perform(scope, "work", () => work.promise),
        ]),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    expect(await world.host.status()).toMatchObject({ status: "running", waits: [{ key: "ask" }] });
    await world.host.resume({ value: 7 });
    await world.clock.settle();
    expect(seen).toEqual([7]);
    work.resolve("done");
    await ring;
    expect(await world.rest()).toMatchObject({ status: "completed", output: [7, "done"] });
  });

  it("refuses a second answer: the first one stands", async () => {
    const world = new RunWorld(asking({ kind: "input" }), { fixture: open() });
    await world.begin();
    await world.host.resume({ value: 1 });
    await expect(world.host.resume({ value: 2 })).rejects.toMatchObject({ code: "conflict" });
    expect(await world.rest()).toMatchObject({ output: 1 });
    await expect(world.host.resume({ value: 3 })).rejects.toMatchObject({ code: "conflict" });
  });

  it("takes an answer that arrives just as the drive ends", async () => {
    const world: RunWorld = new RunWorld(asking({ kind: "input" }), { fixture: open() });
    await world.start();
    const unsubscribe = world.host.events.subscribe((event) => {
      if (event.type === "run_waiting") void world.host.resume({ value: "at once" });
    });
    expect(await world.rest()).toMatchObject({ status: "completed", output: "at once" });
    unsubscribe();
  });

  it("takes an answer at each moment between the end of a drive and its storing", async () => {
    for (let timer = 1; timer <= 3; timer++)
      for (let steps = 0; steps < 12; steps++) {
        const { world, answer } = answeredAt({ timer, steps, fixture: open() });
        await world.begin();
        await answer();
        expect([timer, steps, await world.rest()]).toMatchObject([
          timer,
          steps,
          { status: "completed", output: "just in time" },
        ]);
      }
  });

  it("restores an alarm that lies far ahead, because the clock was set back", async () => {
    const world = new RunWorld(
      (scope) =>
        scope
          .at("nap")
          .sleep(60_000)
          .then(() => "awake"),
      { fixture: open() },
    );
    await world.begin();
    const dueAtMs = world.clock.now() + 60_000;
    expect(world.alarm.dueAtMs).toBe(dueAtMs);
    world.alarm.dueAtMs = dueAtMs + 3 * 86_400_000;
    await world.host.poke();
    expect(world.alarm.dueAtMs).toBe(dueAtMs);
    world.alarm.dueAtMs = dueAtMs + 30_000;
    await world.host.poke();
    expect(world.alarm.dueAtMs).toBe(dueAtMs + 30_000);
  });

  it("needs no key when one answer is open, and names the open ones when it is ambiguous", async () => {
    const world = new RunWorld(
      async (scope) =>
        Promise.all([
          scope.at("a").wait<JsonValue>({ kind: "input" }),
          scope.at("b").wait<JsonValue>({ kind: "human" }),
          scope
            .at("nap")
            .sleep(1000)
            .then(() => null),
        ]),
      { fixture: open() },
    );
    await world.begin();
    await expect(world.host.resume({ value: 1 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("a, b"),
    });
    await expect(world.host.resume({ key: "c", value: 1 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("open: a, b"),
    });
    await world.host.resume({ key: "b", value: 1 });
    expect(await world.rest()).toMatchObject({
      status: "waiting",
      waits: [{ key: "a" }, { key: "nap/timer" }],
    });
    await world.host.resume({ key: "a", value: 2 });
    await world.rest();
    await expect(world.host.resume({ value: 3 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("is not waiting for an answer"),
    });
  });

  it("refuses answers to a timer or a child", async () => {
    const world = new RunWorld(
      async (scope) =>
        Promise.all([
          scope.at("child").wait<JsonValue>({ kind: "child" }),
          scope
            .at("nap")
            .sleep(1000)
            .then(() => null),
        ]),
      { fixture: open() },
    );
    await world.begin();
    for (const key of ["child", "nap/timer"])
      await expect(world.host.resume({ key, value: 1 })).rejects.toMatchObject({
        code: "conflict",
      });
  });

  it("keeps a wait open after an invalid answer", async () => {
    const schema = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };
    const world = new RunWorld(asking({ kind: "human", schema }), { fixture: open() });
    await world.begin();
    await expect(world.host.resume({ value: { age: "old" } })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/value/age", message: expect.stringContaining("expected number") }],
    });
    expect(await world.rest()).toMatchObject({
      status: "waiting",
      waits: [{ key: "ask", schema }],
    });
    await world.host.resume({ value: { age: 7 } });
    expect(await world.rest()).toMatchObject({ status: "completed", output: { age: 7 } });
  });

  it("answers by itself with the default when the time has come", async () => {
    const world: RunWorld = new RunWorld(
      (scope) =>
        scope
          .at("ask")
          .wait({ kind: "human", dueAtMs: scope.clock.now() + 5000, otherwise: "nobody" }),
      { fixture: open() },
    );
    const startMs = world.clock.now();
    expect(await world.begin()).toMatchObject({
      waits: [{ expiresAt: "2026-01-01T00:00:05.000Z" }],
    });
    expect(world.alarm.dueAtMs).toBe(startMs + 5000);
    await world.clock.advance(4999);
    expect(await world.ring()).toBe(false);
    await world.clock.advance(1);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "nobody" });
    expect(world.store.events.read(1, 10)).toMatchObject([
      { type: "wait_opened", dueAt: "2026-01-01T00:00:05.000Z" },
      { type: "run_waiting" },
      { type: "wait_settled", expired: true },
      { type: "run_resumed" },
      { type: "run_completed" },
    ]);
  });

  it("fails with wait_expired when there is no default", async () => {
    const world = new RunWorld(
      (scope) => scope.at("ask").wait({ kind: "human", dueAtMs: scope.clock.now() + 5000 }),
      { fixture: open() },
    );
    await world.begin();
    await world.clock.advance(5000);
    expect(await world.rest()).toMatchObject({ status: "failed", error: { code: "wait_expired" } });
    await expect(world.host.resume({ feedback: "too late" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("emits the expiry of a wait while another branch works", async () => {
    const work = new Latch<null>();
    const world = new RunWorld(
      async (scope) =>
        Promise.all([
          scope.at("ask").wait<JsonValue>({
            kind: "human",
            dueAtMs: scope.clock.now() + 5000,
            otherwise: "nobody",
          }),
          perform(scope, "work", () => work.promise),
        ]),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.advance(5000);
    expect(world.store.events.read(2, 1)).toMatchObject([
      { type: "wait_settled", key: "ask", expired: true },
    ]);
    work.resolve(null);
    await ring;
  });

  it("an answer before the due time stands, and the due time has no effect", async () => {
    const world = new RunWorld(
      (scope) =>
        scope
          .at("ask")
          .wait({ kind: "input", dueAtMs: scope.clock.now() + 5000, otherwise: "nobody" }),
      { fixture: open() },
    );
    await world.begin();
    await world.host.resume({ value: "me" });
    await world.clock.advance(10_000);
    expect(await world.rest()).toMatchObject({ output: "me" });
    expect(world.eventTypes().filter((type) => type === "wait_settled")).toHaveLength(1);
  });

  it("waits for months without an early alarm", async () => {
    const world = new RunWorld(
      async (scope) => (await scope.at("nap").sleep(90 * 24 * 3_600_000), "spring"),
      { fixture: open() },
    );
    await world.begin();
    world.restart();
    await world.clock.advance(90 * 24 * 3_600_000);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "spring" });
  });

  it("emits run_waiting each time it comes to rest", async () => {
    const world = new RunWorld(
      async (scope) => [
        await scope.at("a").wait({ kind: "input" }),
        await scope.at("b").wait({ kind: "input" }),
      ],
      { fixture: open() },
    );
    await world.begin();
    await world.host.resume({ value: 1 });
    await world.rest();
    await world.host.resume({ key: "b", value: 2 });
    expect(await world.rest()).toMatchObject({ output: [1, 2] });
    expect(world.eventTypes().filter((type) => /run_(waiting|resumed)/.test(type))).toEqual([
      "run_waiting",
      "run_resumed",
      "run_waiting",
      "run_resumed",
    ]);
  });
});

describe("an answer", () => {
  const answered = async (request: WaitRequest, answer: ResumeRequest): Promise<unknown> => {
    const world = new RunWorld(asking(request));
    await world.begin();
    await world.host.resume(answer);
    return (await world.rest()).output;
  };
  const refusal = { code: "invalid_input", issues: [{ path: expect.any(String) }] };

  it("of a person has the fields of the resume", async () => {
    expect(
      await answered({ kind: "human" }, { feedback: "fine", approve: true, value: 3 }),
    ).toEqual({ feedback: "fine", approve: true, value: 3 });
    expect(await answered({ kind: "human" }, { approve: false })).toEqual({ approve: false });
  });

  it("for an input is the value, else the text", async () => {
    expect(await answered({ kind: "input" }, { value: { a: 1 }, feedback: "x" })).toEqual({ a: 1 });
    expect(await answered({ kind: "input" }, { value: null })).toBeNull();
    expect(await answered({ kind: "input" }, { feedback: "x" })).toBe("x");
  });

  it("for a wait with choices is one of them, as value or as text", async () => {
    expect(
      await answered({ kind: "human", choices: ["page", "ignore"] }, { feedback: "page" }),
    ).toBe("page");
    expect(
      await answered({ kind: "human", choices: ["page", "ignore"] }, { value: "ignore" }),
    ).toBe("ignore");
    for (const wrong of [{ feedback: "wait" }, { approve: true }]) {
      await expect(
        answered({ kind: "human", choices: ["page", "ignore"] }, wrong),
      ).rejects.toMatchObject(refusal);
    }
  });

  it("for a wait with a schema is a value", async () => {
    await expect(
      answered({ kind: "human", schema: { type: "string" } }, { feedback: "text" }),
    ).rejects.toMatchObject(refusal);
  });

  it("must say something", async () => {
    await expect(answered({ kind: "human" }, {})).rejects.toMatchObject(refusal);
  });
});

describe("an answer the storage rejects", () => {
  it.each(["put ask done", "append wait_settled", "save", "append run_resumed"])(
    "is refused as a whole, and can be repeated: %s",
    async (failing) => {
      let broken = false;
      const world = new RunWorld(asking({ kind: "input" }), {
        fixture: openSqlStore(),
        wrap: (store) => faultyRunStore(store, (write) => broken && write === failing),
      });
      await world.begin();
      broken = true;
      await expect(world.host.resume({ value: 1 })).rejects.toThrow("the storage failed");
      broken = false;
      expect(await world.host.status()).toMatchObject({
        status: "waiting",
        waits: [{ key: "ask" }],
      });
      await world.host.resume({ value: 2 });
      expect(await world.rest()).toMatchObject({ status: "completed", output: 2 });
      expect(world.eventTypes()).toEqual([
        "run_started",
        "wait_opened",
        "run_waiting",
        "wait_settled",
        "run_resumed",
        "run_completed",
      ]);
    },
  );

  it("settled resolves for a question, and not for a timer", async () => {
    const world = new RunWorld(async (scope) => {
      await scope.at("pause").wait({ kind: "timer", dueAtMs: scope.clock.now() + 700 });
      return scope.at("ask").wait({ kind: "human" });
    });
    await world.begin();
    const settled = world.host.settled(5000);
    await world.clock.advance(700);
    await world.rest();
    expect(await settled).toMatchObject({ status: "waiting", waits: [{ key: "ask" }] });
  });
});
