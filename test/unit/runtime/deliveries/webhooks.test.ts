import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import type { RunScope } from "../../../../src/events/run-scope.ts";
import type { WebhookTarget } from "../../../../src/runtime/deliveries/webhook-target.ts";
import type { WebhookDelivery } from "../../../../src/runtime/deliveries/webhooks.ts";
import { Latch, perform } from "../../../support/journal-harness.ts";
import { RUN_STORES, type StoreFixture } from "../../../support/run-stores.ts";
import { RunWorld, type RunWorldOptions } from "../../../support/run-world.ts";

const ALL: WebhookTarget = { url: "https://all.example/" };
const ENDS: WebhookTarget = { url: "https://ends.example/", events: ["run_completed"] };

/** Takes deliveries as it is told to. */
class Receiver {
  /** What arrived, in order, failed attempts included. */
  readonly arrived: WebhookDelivery[] = [];
  answer: (delivery: WebhookDelivery) => Promise<void> = async () => undefined;

  readonly webhook = async (delivery: WebhookDelivery): Promise<void> => {
    this.arrived.push(delivery);
    await this.answer(delivery);
  };

  ids(url?: string): string[] {
    return this.arrived
      .filter(({ target }) => (url ?? target.url) === target.url)
      .map(({ id }) => id);
  }
}

function worldOf(
  run: (scope: RunScope) => Promise<never> | Promise<string>,
  receiver: Receiver,
  options: RunWorldOptions = {},
): RunWorld {
  return new RunWorld(run, { couriers: { webhook: receiver.webhook }, ...options });
}

const refuses = async (): Promise<never> => {
  const options = { retryable: true, status: 500 };
  throw new EngineError("unavailable", "the receiver answered 500", options);
};
const hangs = async (): Promise<never> => {
  throw new EngineError("timeout", "the receiver has not answered", { retryable: true });
};

async function seconds(world: RunWorld, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await world.clock.advance(1000);
    await world.rest();
    await world.clock.settle();
  }
}

describe.each(RUN_STORES)("webhooks, $name", ({ open }) => {
  const done = async (): Promise<string> => "done";

  it("WH2: are sent to each address for each of its events, with an id of their own", async () => {
    const receiver = new Receiver();
    const world = worldOf(done, receiver, { fixture: open() });
    await world.begin({ webhooks: [ALL, ENDS], meta: { order: 7 } });
    await world.clock.settle();
    expect(receiver.arrived.map(({ target, event }) => [target.url, event.type])).toEqual(
      expect.arrayContaining([
        [ALL.url, "run_started"],
        [ALL.url, "run_completed"],
        [ENDS.url, "run_completed"],
      ]),
    );
    expect(receiver.ids(ALL.url)).toEqual(["run-1:1:0", "run-1:2:0"]);
    expect(receiver.ids(ENDS.url)).toEqual(["run-1:2:1"]);
    const [first] = receiver.arrived;
    expect(first).toMatchObject({ meta: { order: 7 }, event: { seq: 1, runId: "run-1" } });
    expect(first?.run()).toMatchObject({ id: "run-1", status: "completed" });
    expect(world.store.outbox()).toEqual([]);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("WH8: a webhook added to a run gets the following events, until it is removed", async () => {
    const receiver = new Receiver();
    const fixture = open();
    const world = worldOf(
      async (scope) => {
        await scope.at("one").wait({ kind: "input" });
        scope.emit("run_resumed", {}, 1);
        await scope.at("two").wait({ kind: "input" });
        return "done";
      },
      receiver,
      { fixture },
    );
    await world.begin({ webhooks: [ENDS] });
    await world.clock.settle();
    const { seq } = await world.host.snapshot();
    const late = { ...ALL, id: "late" };
    expect(world.host.addWebhook(late)).toMatchObject({ id: "late", after: seq });
    world.host.addWebhook({ url: "https://gone.example/", id: "gone" });
    world.host.removeWebhook("gone");
    world.host.removeWebhook("never-was");
    expect(world.host.webhooks().map(({ id }) => id)).toEqual(["late"]);
    await world.host.resume({ key: "one", value: 1 });
    await world.rest();
    await seconds(world, 2);
    const seqs = receiver.arrived.map(({ event }) => event.seq);
    expect(receiver.ids("https://gone.example/")).toEqual([]);
    expect(Math.min(...seqs)).toBe(seq + 1);
    expect(world.host.addWebhook({ ...late, url: "https://moved.example/" }).url).toBe(
      "https://moved.example/",
    );
    await world.host.resume({ key: "two", value: 2 });
    await world.rest();
    await seconds(world, 2);
    const ends = receiver.arrived.filter(({ event }) => event.type === "run_completed");
    expect(ends.map(({ target }) => target.url).toSorted()).toEqual([
      ENDS.url,
      "https://moved.example/",
    ]);
    for (let nth = 0; nth < 19; nth++) world.host.addWebhook({ ...ALL, id: `n${nth}` });
    expect(() => world.host.addWebhook({ ...ALL, id: "n19" })).toThrow("at most 20");
  });

  it("arrive in the order of the events, also more than nine of them", async () => {
    const receiver = new Receiver();
    const fixture = open();
    let up = false;
    receiver.answer = async () => (up ? undefined : refuses());
    const world = worldOf(
      async (scope) => {
        for (let nth = 0; nth < 12; nth++) scope.emit("run_resumed", {}, nth);
        return "done";
      },
      receiver,
      { fixture },
    );
    await world.begin({ webhooks: [ALL] });
    await world.clock.settle();
    receiver.arrived.length = 0;
    up = true;
    await seconds(world, 2);
    expect(receiver.arrived.map(({ event }) => event.seq)).toEqual(
      Array.from({ length: 14 }, (_, index) => index + 1),
    );
  });

  it("WH1: are sent for every event, once, although the process is gone in between", async () => {
    const receiver = new Receiver();
    const fixture = open();
    receiver.answer = () => new Promise(() => undefined);
    const world = worldOf(done, receiver, { fixture });
    await world.begin({ webhooks: [ALL] });
    await world.clock.settle();
    expect(receiver.ids()).toEqual(["run-1:1:0"]); // it hangs, and the next one behind it
    const dueAtMs = world.alarm.dueAtMs ?? 0;
    expect(dueAtMs - world.clock.now()).toBe(60_000);
    world.restart();
    receiver.answer = async () => undefined;
    await seconds(world, 61);
    expect(receiver.ids()).toEqual(["run-1:1:0", "run-1:1:0", "run-1:2:0"]);
    expect(world.store.outbox()).toEqual([]);
  });

  it("WH1: are sent for an event a process wrote just before it died", async () => {
    const receiver = new Receiver();
    const fixture = open();
    const latch = new Latch<null>();
    const world = worldOf(
      async (scope) => {
        await perform(scope, "a", () => latch.promise);
        return "done";
      },
      receiver,
      { fixture },
    );
    await world.start({ webhooks: [ALL] });
    void world.ring();
    for (let turn = 0; turn < 50 && world.eventTypes().length === 0; turn++)
      await Promise.resolve();
    expect(world.eventTypes()).toEqual(["run_started"]);
    expect(receiver.arrived).toEqual([]);
    world.restart();
    latch.resolve(null);
    await seconds(world, 2);
    expect(receiver.ids()).toContain("run-1:1:0");
    expect(new Set(receiver.ids()).size).toBe(receiver.ids().length);
  });

  it("WH4: hold up neither the run, nor each other, nor the alarm", async () => {
    const receiver = new Receiver();
    receiver.answer = async ({ target }) => {
      if (target.url === ALL.url) await new Promise(() => undefined);
    };
    const world = worldOf(
      async (scope) => {
        await scope.at("ask").wait({ kind: "input" });
        return "done";
      },
      receiver,
      { fixture: open() },
    );
    await world.begin({ webhooks: [ALL, ENDS] });
    expect((await world.host.status()).status).toBe("waiting");
    const rings = world.alarm.calls.length;
    await world.host.resume({ value: 1 });
    expect((await world.rest()).status).toBe("completed");
    await world.clock.settle();
    expect(receiver.ids(ENDS.url)).toHaveLength(1);
    expect(receiver.ids(ALL.url)).toHaveLength(1);
    await seconds(world, 59);
    expect(world.alarm.calls.length - rings).toBeLessThan(20);
  });

  it("WH5: are repeated, later each time, until they are taken", async () => {
    const receiver = new Receiver();
    const times: number[] = [];
    const world = worldOf(done, receiver, { fixture: open() });
    const startMs = world.clock.now();
    receiver.answer = async () => {
      times.push((world.clock.now() - startMs) / 1000);
      if (times.length < 5) await refuses();
    };
    await world.begin({ webhooks: [ENDS] });
    await seconds(world, 30);
    expect(times).toEqual([0, 1, 3, 7, 15]);
    expect(new Set(receiver.ids()).size).toBe(1);
    expect(world.alarm.dueAtMs).toBeNull();
  });

  it("WH5: are repeated while a drive goes on", async () => {
    const receiver = new Receiver();
    const work = new Latch<null>();
    const times: number[] = [];
    const world = worldOf(
      async (scope) => {
        await perform(scope, "a", () => work.promise);
        return "done";
      },
      receiver,
      { fixture: open() },
    );
    const startMs = world.clock.now();
    receiver.answer = async () => {
      times.push((world.clock.now() - startMs) / 1000);
      if (times.length < 3) await refuses();
    };
    await world.start({ webhooks: [{ ...ALL, events: ["run_started"] }] });
    const ring = world.ring();
    await world.clock.settle();
    for (let second = 0; second < 5; second++) await world.clock.advance(1000);
    expect(times).toEqual([0, 1, 3]);
    work.resolve(null);
    await ring;
  });

  it("WH5: are abandoned in the end, and reported without the address's secrets", async () => {
    const receiver = new Receiver();
    const reports: EngineError[] = [];
    receiver.answer = refuses;
    const world = worldOf(done, receiver, {
      fixture: open(),
      report: (error) => reports.push(error),
    });
    await world.begin({
      webhooks: [{ ...ENDS, url: "https://ends.example/hook?token=abc", secret: "s".repeat(20) }],
    });
    for (let minute = 0; minute < 70; minute++) {
      await world.clock.advance(60_000);
      await world.rest();
      await world.clock.settle();
    }
    expect(receiver.arrived).toHaveLength(14);
    expect(reports.map(({ message }) => message)).toEqual([
      "run run-1: event 2 (run_completed) for https://ends.example was abandoned after 14 attempts: the receiver answered 500",
    ]);
    expect(world.store.outbox()).toEqual([]);
    expect(world.alarm.dueAtMs).toBeNull();
    expect(world.host.webhookAttempts()).toEqual([
      {
        target: "ends.example/hook",
        type: "run_completed",
        seq: 2,
        state: "given_up",
        attempts: 14,
        at: expect.any(String) as string,
        error: "the receiver answered 500",
        status: 500,
      },
    ]);
  });

  it("WH5: a hanging address costs each of its deliveries one attempt", async () => {
    const receiver = new Receiver();
    receiver.answer = hangs;
    const world = worldOf(done, receiver, { fixture: open() });
    await world.begin({ webhooks: [ALL] });
    await world.clock.settle();
    expect(receiver.ids()).toEqual(["run-1:1:0"]);
    expect(world.store.outbox().map(({ attempts }) => attempts)).toEqual([1, 1]);
    expect(world.host.webhookAttempts()).toMatchObject([
      { target: "all.example/", type: "run_started", seq: 1, state: "pending", attempts: 1 },
      { type: "run_completed", attempts: 1, nextAt: expect.any(String) as string },
    ]);
    for (const { status } of world.host.webhookAttempts()) expect(status).toBeUndefined();
    receiver.answer = async () => undefined;
    await seconds(world, 2);
    expect(receiver.ids()).toEqual(["run-1:1:0", "run-1:1:0", "run-1:2:0"]);
  });

  it("are sent for a cancellation while the run waits", async () => {
    const receiver = new Receiver();
    const world = worldOf((scope) => scope.at("ask").wait({ kind: "input" }), receiver, {
      fixture: open(),
    });
    await world.begin({ webhooks: [ALL] });
    await world.host.cancel("enough");
    await world.rest();
    await world.clock.settle();
    expect(receiver.arrived.at(-1)?.event.type).toBe("run_cancelled");
  });

  it("are neither shown with the run nor inherited by a fork", async () => {
    const world = worldOf(
      async (scope) => {
        await perform(scope, "a", async () => null);
        return "done";
      },
      new Receiver(),
      { fixture: open() },
    );
    const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=";
    const run = await world.begin({ webhooks: [{ ...ALL, secret }] });
    const shown = [run, world.store.events.read(0, 100), world.indexed];
    expect(JSON.stringify(shown)).not.toContain("whsec_");
    const { start } = world.host.forks.recordBefore({ fromStep: "a" });
    expect(start).not.toHaveProperty("webhooks");
  });

  it("are forgotten with the run", async () => {
    const receiver = new Receiver();
    receiver.answer = refuses;
    const fixture: StoreFixture = open();
    const world = worldOf(done, receiver, { fixture });
    await world.begin({ webhooks: [ALL] });
    await world.clock.settle();
    await world.host.forget();
    await world.clock.settle();
    expect(world.store.outbox()).toEqual([]);
    const told = receiver.arrived.length;
    await world.begin();
    await world.clock.settle();
    expect(receiver.arrived).toHaveLength(told);
  });
});

describe("a question", () => {
  it("is in the index while other branches go on, and only then", async () => {
    const work = new Latch<null>();
    const world = new RunWorld(async (scope) => {
      await Promise.all([
        perform(scope, "work", () => work.promise),
        scope.at("ask").wait({ kind: "human", prompt: "Go on?", subject: "a draft" }),
      ]);
      return null;
    });
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    expect(world.indexed.at(-1)).toMatchObject({
      status: "running",
      waits: [{ wait: { key: "ask", kind: "human", prompt: "Go on?" } }],
    });
    expect(world.indexed.at(-1)?.waits?.[0]?.wait).not.toHaveProperty("subject");
    expect((await world.host.status()).waits).toMatchObject([{ subject: "a draft" }]);
    work.resolve(null);
    await ring;
    await world.host.resume({ approve: true });
    await world.rest();
    expect(world.indexed.at(-1)).toMatchObject({ status: "completed", waits: [] });
  });

  it("of a cancelled run is in no inbox", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }));
    await world.begin();
    expect(world.indexed.at(-1)?.waits).toHaveLength(1);
    await world.host.cancel();
    await world.rest();
    expect(world.indexed.at(-1)).toMatchObject({ status: "cancelled", waits: [] });
  });
});
