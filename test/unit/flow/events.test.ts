// Events of the outside world, and points in time.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Flow, defineFlow, listen, start } from "../../../src/flow/index.ts";
import type { RunProgram } from "../../../src/runtime/run-program.ts";
import { MAX_KEPT, MAX_KNOWN_IDS } from "../../../src/runtime/outside-events.ts";
import type { EventWait } from "../../../src/flow/index.ts";
import { runWhole, untimed } from "../../support/cut-off.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openSqlStore } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const Payment = z.object({ amount: z.number() });

/** Waits for events of these names, one after another, and gives what they bring. */
function waiting<Payload>(names: readonly string[], wait?: EventWait<Payload>) {
  return defineFlow({
    name: "f",
    methods: {
      wait: {
        start: true,
        run: async ({ waitForEvent }) => {
          const got: unknown[] = [];
          for (const name of names) got.push(await waitForEvent(name, wait));
          return got;
        },
      },
    },
  });
}

function worldFor(program: RunProgram): RunWorld {
  return new RunWorld(program.run, { findProgram: () => program });
}

function worldOf(flow: ReturnType<typeof waiting>): RunWorld {
  return worldFor(flow.program());
}

describe("waiting for an event", () => {
  it("parks, shows the event it waits for, and continues with the payload", async () => {
    const world = worldOf(waiting(["paid"], { schema: Payment }));
    const run = await world.begin({ kind: "flow" });
    expect(run.status).toBe("waiting");
    expect(run.waits).toEqual([
      {
        key: "method:wait/event:paid",
        kind: "event",
        event: "paid",
        schema: expect.objectContaining({ type: "object" }),
      },
    ]);
    expect(world.alarm.dueAtMs).toBeNull();
    expect(await world.host.sendEvent({ name: "paid", payload: { amount: 3 } })).toEqual({
      name: "paid",
      outcome: "delivered",
    });
    expect((await world.rest()).output).toMatchObject({ value: [{ amount: 3 }] });
  });

  it("FT2: refuses an invalid payload and keeps waiting", async () => {
    const world = worldOf(waiting(["paid"], { schema: Payment }));
    await world.begin({ kind: "flow" });
    await expect(
      world.host.sendEvent({ name: "paid", payload: { amount: "3" }, id: "1" }),
    ).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/payload/amount", message: expect.any(String) }],
    });
    expect((await world.host.status()).status).toBe("waiting");
    // what was refused has not come: the same id may come again, and fit
    await world.host.sendEvent({ name: "paid", payload: { amount: 3 }, id: "1" });
    expect((await world.rest()).output).toMatchObject({ value: [{ amount: 3 }] });
  });

  it("OE2, FT1: keeps early events, in order for each name", async () => {
    const world = worldOf(waiting(["first", "paid", "paid"]));
    await world.begin({ kind: "flow" });
    for (const [name, payload] of [
      ["paid", 1],
      ["paid", 2],
      ["never", 3],
    ] as const)
      expect((await world.host.sendEvent({ name, payload })).outcome).toBe("kept");
    expect((await world.host.status()).waits).toHaveLength(1);
    await world.host.sendEvent({ name: "first" });
    expect((await world.rest()).output).toMatchObject({ value: [null, 1, 2] });
    expect(
      world.store.events
        .read(0, 100)
        .filter(({ type }) => type === "outside_event_received")
        .map((event) => (event as { outcome?: string }).outcome),
    ).toEqual(["kept", "kept", "kept", "delivered"]);
  });

  it("OE2: ends the wait with an early event while another branch still works", async () => {
    const flow = defineFlow({
      name: "f",
      methods: {
        wait: { start: true, run: ({ waitForEvent }) => waitForEvent("paid") },
        work: { start: true, run: ({ step }) => step("long", () => longWork) },
      },
    });
    let finish = (): void => undefined;
    const longWork = new Promise<string>((resolve) => {
      finish = () => resolve("worked");
    });
    const world = worldFor(flow.program());
    await world.start({ kind: "flow" });
    expect((await world.host.sendEvent({ name: "paid", payload: 3 })).outcome).toBe("kept");
    const resting = world.rest();
    await world.clock.advance(0);
    expect(world.eventTypes()).toContain("wait_settled");
    expect((await world.host.status()).status).toBe("running");
    finish();
    await resting;
    expect((await world.rest()).status).toBe("completed");
  });

  it("OE2: an event does not overtake an earlier stored one", async () => {
    const flow = defineFlow({
      name: "f",
      methods: {
        wait: {
          start: true,
          run: async ({ waitForEvent }) => [await waitForEvent("paid"), await waitForEvent("paid")],
        },
        work: { start: true, run: ({ step }) => step("long", () => longWork) },
      },
    });
    let finish = (): void => undefined;
    const longWork = new Promise<string>((resolve) => {
      finish = () => resolve("worked");
    });
    const world = worldFor(flow.program());
    await world.start({ kind: "flow" });
    await world.host.sendEvent({ name: "paid", payload: "early" });
    const resting = world.rest();
    while (!world.eventTypes().includes("wait_opened")) await Promise.resolve();
    expect((await world.host.sendEvent({ name: "paid", payload: "late" })).outcome).toBe("kept");
    await world.clock.advance(0);
    finish();
    await resting;
    expect(await world.rest()).toMatchObject({ status: "completed" });
    const row = world.store.journal.get("method:wait");
    expect(JSON.parse(row?.value ?? "null")).toMatchObject({ value: ["early", "late"] });
  });

  it("OE2: drops a stored event that does not fit the wait and emits a refusal", async () => {
    const world = worldOf(waiting(["first", "paid"], { schema: Payment }));
    await world.begin({ kind: "flow" });
    await world.host.sendEvent({ name: "paid", payload: "much", id: "odd" });
    await world.host.sendEvent({ name: "first", payload: { amount: 1 } });
    const run = await world.rest();
    expect(run.waits).toMatchObject([{ event: "paid" }]);
    const events = world.store.events.read(0, 100);
    expect(events.find(({ type }) => type === "outside_event_refused")).toMatchObject({
      name: "paid",
      eventId: "odd",
      reason: expect.stringContaining("/payload"),
    });
  });

  it("OE2: keeps a bounded number of events and refuses the next one", async () => {
    const world = worldOf(waiting(["never"]));
    await world.begin({ kind: "flow" });
    for (let n = 0; n < MAX_KEPT; n++) await world.host.sendEvent({ name: "paid", payload: n });
    await expect(world.host.sendEvent({ name: "paid" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("cannot keep more events: it keeps at most 20"),
    });
    const large = worldOf(waiting(["never"]));
    await large.begin({ kind: "flow" });
    await expect(
      large.host.sendEvent({ name: "paid", payload: "x".repeat(300_000) }),
    ).rejects.toMatchObject({ code: "conflict" });
  });

  it("OE3: a run without waits for events refuses them", async () => {
    const world = new RunWorld(async (scope) => scope.at("w").wait({ kind: "input" }));
    await world.begin();
    await expect(world.host.sendEvent({ name: "paid" })).rejects.toMatchObject({
      code: "conflict",
      message: "run run-1 is waiting and waits for no event",
    });
  });

  it("OE4: an event with an id counts once, delivered or stored", async () => {
    const world = worldOf(waiting(["paid", "paid"]));
    await world.begin({ kind: "flow" });
    const event = { name: "paid", payload: 1, id: "p-1" };
    expect((await world.host.sendEvent(event)).outcome).toBe("delivered");
    expect((await world.host.sendEvent(event)).outcome).toBe("repeated");
    await world.rest();
    expect((await world.host.sendEvent(event)).outcome).toBe("repeated");
    expect((await world.host.status()).waits).toHaveLength(1);
    await world.host.sendEvent({ ...event, id: "p-2", payload: 2 });
    expect((await world.rest()).output).toMatchObject({ value: [1, 2] });
    await expect(world.host.sendEvent({ name: "paid" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("is completed and waits for no event"),
    });
  });

  it("OE4: knows the newest ids, and forgets the oldest", async () => {
    const world = worldOf(waiting(Array.from({ length: MAX_KNOWN_IDS + 3 }, () => "paid")));
    await world.begin({ kind: "flow" });
    const send = async (id: number): Promise<string> => {
      const { outcome } = await world.host.sendEvent({ name: "paid", payload: id, id: `p-${id}` });
      await world.rest();
      return outcome;
    };
    for (let id = 0; id <= MAX_KNOWN_IDS; id++) expect(await send(id)).toBe("delivered");
    expect(await send(MAX_KNOWN_IDS)).toBe("repeated");
    expect(await send(1)).toBe("repeated");
    expect(await send(0)).toBe("delivered");
  });

  it("times out with the default payload, or with an error without one", async () => {
    const otherwise = { amount: 0 };
    const world = worldOf(waiting(["paid"], { schema: Payment, timeoutSeconds: 60, otherwise }));
    await world.begin({ kind: "flow" });
    await world.clock.advance(60_000);
    expect((await world.rest()).output).toMatchObject({ value: [otherwise] });
    const strict = worldOf(waiting(["paid"], { timeoutSeconds: 60 }));
    await strict.begin({ kind: "flow" });
    await strict.clock.advance(60_000);
    expect((await strict.rest()).error).toMatchObject({ code: "wait_expired" });
  });

  it("does not answer a person's question, nor does a person's answer count as an event", async () => {
    const flow = defineFlow({
      name: "f",
      methods: {
        ask: { start: true, run: ({ ask }) => ask("Go?") },
        wait: { start: true, run: ({ waitForEvent }) => waitForEvent("go") },
      },
    });
    const world = worldFor(flow.program());
    await world.begin({ kind: "flow" });
    await world.host.resume({ feedback: "yes" }); // the only wait for a person needs no key
    await expect(
      world.host.resume({ key: "method:wait/event:go", value: 1 }),
    ).rejects.toMatchObject({ code: "conflict" });
    await world.host.sendEvent({ name: "go", payload: "went" });
    expect((await world.rest()).output).toMatchObject({ value: "went" });
  });

  it("refuses invalid names, ids and timeouts", async () => {
    const run = waiting(["a b"]).start();
    await expect(run.output()).rejects.toThrow(
      'the name of an event must be 1 to 64 letters, digits and _ . - characters, got "a b"',
    );
    await expect(waiting(["a"], { timeoutSeconds: 0 }).start().output()).rejects.toThrow(
      "timeoutSeconds must be a number > 0, got 0",
    );
    const world = worldOf(waiting(["a"]));
    await world.begin({ kind: "flow" });
    for (const event of [{ name: "a/b" }, { name: "" }, { name: "a", id: "" }])
      await expect(world.host.sendEvent(event)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("works in classes, and through the handle of a run in this process", async () => {
    class Order extends Flow(z.object({ paid: z.number().default(0) })) {
      @start() async pay() {
        const { amount } = await this.waitForEvent("paid", { schema: Payment });
        this.state.paid = amount;
      }

      @listen("pay") async rest() {
        await this.sleepUntil("noon", Date.now() + 5);
        return this.state.paid;
      }
    }
    const run = new Order().start();
    await run.sendEvent({ name: "paid", payload: { amount: 7 } }); // before or after the wait opens
    expect(await run.output()).toMatchObject({ value: 7 });
  });
});

describe("sleepUntil", () => {
  const flow = defineFlow({
    name: "f",
    methods: {
      a: {
        start: true,
        run: async ({ sleepUntil, inputs }) => {
          await sleepUntil("noon", inputs["at"] as string);
          return "awake";
        },
      },
    },
  });

  it("parks until the time, and does not park for a time in the past", async () => {
    const world = worldFor(flow.program());
    const at = new Date(world.clock.now() + 3_600_000).toISOString();
    const run = await world.begin({ kind: "flow", inputs: { at } });
    expect(run.waits).toEqual([{ key: "method:a/sleep:noon/timer", kind: "timer", expiresAt: at }]);
    await world.clock.advance(3_599_999);
    expect((await world.rest()).status).toBe("waiting");
    await world.clock.advance(1);
    expect((await world.rest()).output).toMatchObject({ value: "awake" });
    const past = worldFor(flow.program());
    await past.begin({ kind: "flow", inputs: { at: "2001-01-01T00:00:00Z" } });
    await past.clock.advance(0);
    expect((await past.rest()).status).toBe("completed");
  });

  it("refuses an invalid time", async () => {
    await expect(flow.kickoff({ inputs: { at: "noonish" } })).rejects.toThrow(
      'a time must be a Date, ISO 8601 or milliseconds, got "noonish"',
    );
  });
});

describe("cut off anywhere", () => {
  /** Runs with a crash after the n-th write; the events come as the run gets on, and are sent again after a crash. */
  async function cutAfter(n: number) {
    const flow = waiting(["first", "paid", "paid"]);
    let writes = 0;
    let process = 0;
    let dead = false;
    const program = flow.program();
    const world = new RunWorld(program.run, {
      findProgram: () => program,
      fixture: openSqlStore(),
      wrap: (store) => {
        const mine = ++process;
        return faultyRunStore(store, () => {
          if (mine < process) return true;
          if (mine === 1 && ++writes > n) dead = true;
          return dead;
        });
      },
    });
    const alive = async (work: () => Promise<unknown>): Promise<void> => {
      for (;;) {
        await work().catch((error: unknown) => {
          if (!dead) throw error;
        });
        if (!dead) return;
        dead = false;
        world.restart();
      }
    };
    await alive(() => world.start({ kind: "flow", inputs: {} }));
    await alive(() => world.rest());
    for (const [name, payload] of [
      ["paid", 1],
      ["first", 0],
      ["paid", 2],
    ] as const) {
      await alive(() => world.host.sendEvent({ name, payload, id: `${name}-${payload}` }));
      await alive(async () => {
        await world.clock.advance(10_000);
        await world.rest();
      });
    }
    for (let turn = 0; turn < 3; turn++)
      await alive(async () => {
        await world.clock.advance(600_000);
        await world.rest();
      });
    const { status, output } = await world.host.status();
    const events = untimed(world.store.events.read(0, 1000));
    return { status, output, events, done: writes <= n };
  }

  it("OE1, OE2, OE4: each event ends one wait, also a stored event", async () => {
    const whole = await cutAfter(Number.POSITIVE_INFINITY);
    expect(whole.output).toMatchObject({ value: [0, 1, 2] });
    let cuts = 0;
    for (let n = 1; ; n++) {
      const { done, ...cut } = await cutAfter(n);
      if (done) break;
      cuts++;
      expect(cut.output, `cut after ${n} writes`).toEqual(whole.output);
      const sorted = (events: readonly string[]) => events.toSorted();
      expect(sorted(cut.events)).toEqual(sorted(whole.events));
    }
    expect(cuts).toBeGreaterThan(20);
  });
});

it("an input provider answers ask; a failure or a delay counts as no answer", async () => {
  const asked: unknown[] = [];
  const flow = defineFlow({
    name: "f",
    inputProvider: async (request) => {
      asked.push(request);
      if (request.message === "fail") throw new Error("no line");
      if (request.message === "late") return new Promise<null>(() => {});
      return { text: `to ${request.message}`, metadata: { from: "ada" } };
    },
    methods: {
      a: {
        start: true,
        run: async ({ ask }) => [
          await ask("Who?", { choices: ["a"], metadata: { n: 1 } }),
          await ask("fail"),
          await ask("late", { timeoutSeconds: 0.01 }),
        ],
      },
    },
  });
  const { course } = await runWhole({ program: flow.program() });
  expect(course.output).toMatchObject({ value: ["to Who?", null, null] });
  expect(asked[0]).toEqual({
    message: "Who?",
    methodName: "a",
    choices: ["a"],
    metadata: { n: 1 },
  });
  expect(course.events.filter((event) => event.includes("flow_input_received")).join()).toMatch(
    /"responseMetadata":\{"from":"ada"\}.*"error":"no line"/,
  );
});
