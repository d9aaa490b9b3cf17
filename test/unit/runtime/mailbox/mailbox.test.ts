import { describe, expect, it } from "vitest";
import type { MailReceiver } from "../../../../src/events/mail.ts";
import type { RunScope } from "../../../../src/events/run-scope.ts";
import { MAIL_LIMITS } from "../../../../src/runtime/mailbox/run-message.ts";
import { Latch } from "../../../support/journal-harness.ts";
import { RUN_STORES } from "../../../support/run-stores.ts";
import { RunWorld } from "../../../support/run-world.ts";

const WRITER: MailReceiver = { names: ["Writer"] };

/** A loop of model calls: each returns the words that it was asked with. `hold` keeps a call open. */
async function talk(
  scope: RunScope,
  turns: number,
  {
    hold = async () => undefined,
    receiver = WRITER,
  }: { hold?: (turn: number) => Promise<unknown>; receiver?: MailReceiver } = {},
): Promise<string[][]> {
  const said: string[][] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const place = scope.at(`turn:${turn}`);
    const words = place.mail(receiver).map(({ content }) => content);
    const call = place.at("llm").step<string[]>({
      kind: "model",
      run: async ({ signal }) => {
        await Promise.race([
          hold(turn),
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        ]);
        return words;
      },
    });
    said.push(await call.catch((error: { code: string }) => [error.code, ...words]));
  }
  return said;
}

describe.each(RUN_STORES)("messages to a run under way, $name", ({ open }) => {
  it("MBX1, MBX4, MD1: reach the next model call, once, in the order of their arrival", async () => {
    const first = new Latch<void>();
    const world = new RunWorld(
      (scope) =>
        talk(scope, 3, { hold: (turn) => (turn === 1 ? first.promise : Promise.resolve()) }),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    const sent = world.host.mailbox.send({ id: "a", content: "shorter" });
    expect(sent).toMatchObject({ id: "a", state: "pending", mode: "steer" });
    world.host.mailbox.send({ id: "b", content: "in French" });
    first.resolve();
    await ring;
    expect(await world.rest()).toMatchObject({ output: [[], ["shorter", "in French"], []] });
    expect(world.host.mailbox.list().map(({ state }) => state)).toEqual(["delivered", "delivered"]);
    expect(world.eventTypes()).toEqual([
      "run_started",
      "message_received",
      "message_received",
      "message_delivered",
      "message_delivered",
      "run_completed",
    ]);
  });

  it("MBX2: stay at their place in a replay, while a later message reaches the call that is made again", async () => {
    let calls = 0;
    const hold = async (turn: number): Promise<unknown> =>
      turn === 2 && ++calls === 1 ? new Promise(() => {}) : undefined;
    const world = new RunWorld((scope) => talk(scope, 3, { hold }), { fixture: open() });
    await world.start();
    world.host.mailbox.send({ id: "a", content: "early" });
    void world.ring();
    await world.clock.settle();
    world.host.mailbox.send({ id: "b", content: "during the second call" });
    world.restart();
    await world.clock.advance(1000);
    const run = await world.rest();
    expect(run).toMatchObject({ output: [["early"], ["during the second call"], []] });
    expect(world.host.mailbox.list().map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  it("MD2: are added to those that a cut-off call had seen", async () => {
    let calls = 0;
    const first = new Latch<void>();
    const hold = async (turn: number): Promise<unknown> => {
      if (turn === 1) return first.promise;
      return ++calls === 1 ? new Promise(() => {}) : undefined;
    };
    const world = new RunWorld((scope) => talk(scope, 2, { hold }), { fixture: open() });
    await world.start();
    void world.ring();
    await world.clock.settle();
    world.host.mailbox.send({ id: "a", content: "one" });
    first.resolve();
    await world.clock.settle();
    world.host.mailbox.send({ id: "b", content: "two" });
    world.restart();
    await world.clock.advance(1000);
    expect(await world.rest()).toMatchObject({ output: [[], ["one", "two"]] });
  });

  it("count once by their id, and refuse another message of the id", async () => {
    const world = new RunWorld((scope) => talk(scope, 2), { fixture: open() });
    await world.start();
    const { mailbox } = world.host;
    const sent = mailbox.send({ id: "a", content: "x" });
    expect(mailbox.send({ id: "a", content: "x" })).toEqual(sent);
    expect(world.eventTypes()).toEqual(["message_received"]);
    expect(() => mailbox.send({ id: "a", content: "y" })).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect(await world.rest()).toMatchObject({ output: [["x"], []] });
    // A repeat after the end is still the same message.
    expect(world.host.mailbox.send({ id: "a", content: "x" })).toMatchObject({
      state: "delivered",
    });
  });

  it("reach their addressee alone", async () => {
    const world = new RunWorld(
      async (scope) => [
        ...(await talk(scope.at("one"), 1, { receiver: { names: ["Editor"] } })),
        ...(await talk(scope.at("two"), 1, { receiver: { names: ["ＷＲＩＴＥＲ"] } })),
      ],
      { fixture: open() },
    );
    await world.start();
    world.host.mailbox.send({ content: "for you", to: "writer" });
    expect(await world.rest()).toMatchObject({ output: [[], ["for you"]] });
  });

  it("MBX3: reach each agent that was active when they came, and no later one", async () => {
    const open1 = new Latch<void>();
    const work = (scope: RunScope, name: string, turns = 2) =>
      scope.at(name).group("agent", (inside) =>
        talk(inside, turns, {
          hold: async (turn) => {
            if (turn === 1 && name !== "late") await open1.promise;
          },
        }),
      );
    const world = new RunWorld(
      async (scope) => {
        const both = await Promise.all([work(scope, "a"), work(scope, "b")]);
        return [...both, await work(scope, "late")];
      },
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    world.host.mailbox.send({ content: "all of you" });
    open1.resolve();
    await ring;
    expect(await world.rest()).toMatchObject({
      output: [
        [[], ["all of you"]],
        [[], ["all of you"]],
        [[], []],
      ],
    });
  });

  it("can be withdrawn until a call has seen them", async () => {
    const world = new RunWorld((scope) => talk(scope, 1), { fixture: open() });
    await world.start();
    const { mailbox } = world.host;
    mailbox.send({ id: "a", content: "no" });
    mailbox.send({ id: "b", content: "yes" });
    expect(mailbox.withdraw("a")).toMatchObject({ state: "withdrawn" });
    expect(mailbox.withdraw("a")).toMatchObject({ state: "withdrawn" });
    expect(await world.rest()).toMatchObject({ output: [["yes"]] });
    expect(() => world.host.mailbox.withdraw("b")).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect(() => world.host.mailbox.withdraw("c")).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
  });

  it("MBX6: are undelivered at the end of the run, and later ones are refused", async () => {
    const world = new RunWorld((scope) => talk(scope, 1), { fixture: open() });
    await world.start();
    world.host.mailbox.send({ id: "a", content: "to nobody", to: "Painter" });
    await world.rest();
    expect(world.host.mailbox.list()).toMatchObject([{ id: "a", state: "undelivered" }]);
    expect(world.eventTypes().slice(-2)).toEqual(["message_undelivered", "run_completed"]);
    expect(() => world.host.mailbox.send({ content: "late" })).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
  });

  it("interrupt model calls under way, whose steps end", async () => {
    const world = new RunWorld(
      (scope) =>
        talk(scope, 2, {
          hold: (turn) => (turn === 1 ? new Promise(() => {}) : Promise.resolve()),
        }),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    world.host.mailbox.send({ content: "stop that", mode: "interrupt" });
    await ring;
    expect(await world.rest()).toMatchObject({ output: [["interrupted"], ["stop that"]] });
    expect(world.store.journal.get("turn:1/llm")).toMatchObject({
      state: "error",
      error: { code: "interrupted", retryable: false },
    });
  });

  it("end a tool that may run once with an unknown outcome", async () => {
    const world = new RunWorld(
      (scope) =>
        scope
          .at("pay")
          .step<string>({ kind: "tool", effect: "once", run: () => new Promise(() => {}) })
          .catch((error: { code: string }) => error.code),
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    world.host.mailbox.send({ content: "stop", mode: "interrupt" });
    await ring;
    expect(await world.rest()).toMatchObject({ output: "outcome_unknown" });
  });

  it("MBX7: are bounded in number and length", async () => {
    const world = new RunWorld((scope) => talk(scope, 1), { fixture: open() });
    await world.start();
    const { mailbox } = world.host;
    for (let n = 0; n < MAIL_LIMITS.pending; n++) mailbox.send({ content: `${n}` });
    expect(() => mailbox.send({ content: "one too many" })).toThrow(
      expect.objectContaining({ code: "limit_exceeded" }),
    );
    const long = "x".repeat(MAIL_LIMITS.content + 1);
    for (const wrong of [
      { content: long },
      { content: " " },
      { content: "x", mode: "loud" as never },
      { content: "x", to: "" },
      { content: "x", speaker: { name: "x".repeat(201) } },
    ])
      expect(() => mailbox.send(wrong)).toThrow(expect.objectContaining({ code: "invalid_input" }));
    expect(await world.rest()).toMatchObject({ output: [{ length: MAIL_LIMITS.pending }] });
  });

  it("MD4: write nothing in a run without any", async () => {
    const world = new RunWorld((scope) => talk(scope, 2), { fixture: open() });
    await world.start();
    await world.rest();
    expect(world.store.journal.count()).toBe(2);
    expect(world.host.mailbox.list()).toEqual([]);
  });

  it("are taken by code, once, and stay with it in a replay and in a fork", async () => {
    const program = async (scope: RunScope): Promise<string[][]> => {
      const first = scope.takeMail({ names: [], queue: "turn" }).map(({ content }) => content);
      const words = await talk(scope, 1);
      await scope.at("ask").wait({ kind: "human" });
      return [first, ...words, scope.takeMail(WRITER).map(({ content }) => content)];
    };
    const world = new RunWorld(program, { fixture: open() });
    await world.start();
    world.host.mailbox.send({ content: "first", mode: "queue" });
    world.host.mailbox.send({ content: "second" });
    await world.rest();
    world.restart();
    await world.host.resume({ key: "ask", feedback: "go" });
    const output = [["first", "second"], [], []];
    expect(await world.rest()).toMatchObject({ status: "completed", output });
    const { start, rows, origin } = world.host.forks.recordBefore({ fromStep: "ask" });
    const fork = new RunWorld(program, { fixture: open(), id: "fork" });
    await fork.start({ ...start, id: "fork", origin }, rows);
    await fork.rest();
    await fork.host.resume({ key: "ask", feedback: "go" });
    expect(await fork.rest()).toMatchObject({ status: "completed", output });
    expect(fork.host.mailbox.list()).toEqual([]);
  });
});
