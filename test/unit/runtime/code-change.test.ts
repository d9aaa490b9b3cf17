import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { Latch, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld, type RunWorldOptions } from "../../support/run-world.ts";

type Program = (scope: RunScope) => Promise<JsonValue>;

describe.each(RUN_STORES)("a run under other code, $name", ({ open }) => {
  const calls: string[] = [];
  const draft = (prompt: string): ((scope: RunScope) => Promise<string>) => {
    return (scope) =>
      perform(scope, "draft", {
        inputHash: prompt,
        action: () => (calls.push(prompt), `the draft for ${prompt}`),
      });
  };
  const asking =
    (prompt = "tea", more: Program = async () => null): Program =>
    async (scope) => {
      const text = await draft(prompt)(scope);
      const answer = await scope
        .at("ask")
        .wait<{ value: string }>({ kind: "human", prompt: "Go on?" });
      return [text, answer.value, await more(scope)];
    };
  const renamed: Program = async (scope) => {
    const answer = await scope.at("question").wait<{ value: string }>({ kind: "human" });
    return [answer.value, await perform(scope, "new", () => calls.push("new"))];
  };

  const waiting = async (options: Partial<RunWorldOptions> = {}): Promise<RunWorld> => {
    calls.length = 0;
    const world = new RunWorld(asking(), { fixture: open(), codeVersion: "v1", ...options });
    expect(await world.begin()).toMatchObject({ status: "waiting" });
    return world;
  };
  const answer = async (world: RunWorld): Promise<unknown> => {
    const { waits } = await world.host.status();
    await world.host.resume({ key: waits[0]?.key ?? "", value: "yes" });
    return world.rest();
  };

  it("CC1: keeps the result of a finished step, notes the change once, and runs the rest on the new code", async () => {
    const world = await waiting();
    world.deploy(
      "v2",
      asking("coffee", (scope) => perform(scope, "more", () => "more")),
    );
    expect(await answer(world)).toMatchObject({
      status: "completed",
      output: ["the draft for tea", "yes", "more"],
      changes: [{ key: "draft", kind: "effect", at: expect.any(String) }],
    });
    expect(calls).toEqual(["tea"]);
    expect(world.eventTypes().filter((type) => type === "step_changed")).toHaveLength(1);
  });

  it("CC1: does not note it again in a later drive, or with still other code", async () => {
    const world = await waiting();
    const twice = (prompt: string): Program =>
      asking(prompt, (scope) => scope.at("again").wait({ kind: "human", prompt: "Sure?" }));
    world.deploy("v2", twice("coffee"));
    expect(await answer(world)).toMatchObject({ status: "waiting" });
    world.deploy("v3", twice("water"));
    const run = await answer(world);
    expect(run).toMatchObject({ status: "completed", changes: [{ key: "draft" }] });
    expect(world.eventTypes().filter((type) => type === "step_changed")).toHaveLength(1);
  });

  it("CC1: reports every change by an event, also changes beyond the run's list", async () => {
    const many =
      (prompt: string): Program =>
      async (scope) => {
        for (let n = 0; n < 101; n++)
          await perform(scope, `s:${n}`, { inputHash: prompt, action: () => n });
        return (await scope.at("ask").wait<{ value: string }>({ kind: "human" })).value;
      };
    const world = new RunWorld(many("tea"), { fixture: open(), codeVersion: "v1" });
    await world.begin();
    world.deploy("v2", many("coffee"));
    const run = (await answer(world)) as { changes: readonly unknown[] };
    expect(run.changes).toHaveLength(100);
    expect(world.eventTypes().filter((type) => type === "step_changed")).toHaveLength(101);
  });

  it("CC2: holds a mismatched run before new work, and keeps the answer", async () => {
    const world = await waiting();
    world.deploy("v2", renamed);
    const before = world.store.journal.count();
    const run = await answer(world);
    expect(run).toMatchObject({
      status: "waiting",
      held: {
        code: "journal_mismatch",
        key: "draft",
        message: expect.stringContaining("step draft"),
        since: expect.any(String),
        codeVersion: "v2",
      },
    });
    expect(calls).toEqual(["tea"]);
    expect(world.store.journal.count()).toBe(before);
    expect(world.store.journal.get("ask")).toMatchObject({
      state: "done",
      value: '{"value":"yes"}',
    });
    expect(world.alarm.dueAtMs).toBeNull();
    expect(world.eventTypes().at(-1)).toBe("run_held");
    expect(world.indexed.at(-1)).toMatchObject({
      status: "waiting",
      heldVersion: "v2",
      leaseUntilMs: null,
    });
    expect(await world.host.settled(0)).toMatchObject({ status: "waiting" });
  });

  it("CC2: holds a run without its definition, and continues when it is back", async () => {
    const world = await waiting();
    world.deploy("v2", undefined);
    expect(await answer(world)).toMatchObject({
      status: "waiting",
      held: { code: "not_found", message: expect.stringContaining("briefing") },
    });
    world.deploy("v3", asking());
    await world.host.poke();
    expect(await world.rest()).toMatchObject({
      status: "completed",
      output: ["the draft for tea", "yes", null],
    });
  });

  it("CC2: keeps an answer to a held run, and serves no deadline meanwhile", async () => {
    const patient: Program = async (scope) => {
      const text = await draft("tea")(scope);
      const dueAtMs = scope.clock.now() + 60_000;
      const [one, two] = await Promise.all([
        scope.at("one").wait<{ value: string }>({ kind: "human" }),
        scope.at("two").wait<{ value: string }>({ kind: "human", dueAtMs }),
      ]);
      return [text, one.value, two.value];
    };
    calls.length = 0;
    const world = new RunWorld(patient, { fixture: open(), codeVersion: "v1" });
    await world.begin();
    world.deploy("v2", renamed);
    await world.host.resume({ key: "one", value: "first" });
    expect(await world.rest()).toMatchObject({ held: { key: "draft" } });
    await world.clock.advance(120_000);
    await world.host.resume({ key: "two", value: "second" });
    expect(await world.rest()).toMatchObject({
      status: "waiting",
      held: { key: "draft" },
      waits: [],
    });
    // The inbox no longer lists the answered question.
    expect(world.indexed.at(-1)?.waits).toEqual([]);
    world.deploy("v3", patient);
    await world.host.poke();
    expect(await world.rest()).toMatchObject({
      status: "completed",
      output: ["the draft for tea", "first", "second"],
    });
  });

  it("CC3: is tried once with each version, however often it is poked, and keeps the time of its hold", async () => {
    const world = await waiting();
    let drives = 0;
    const counted: Program = (scope) => (drives++, renamed(scope));
    world.deploy("v2", counted);
    await answer(world);
    const since = (await world.host.status()).held?.since;
    for (let n = 0; n < 3; n++) {
      world.restart();
      await world.host.poke();
      await world.host.alarm();
      await world.rest();
    }
    expect(drives).toBe(1);
    await world.clock.advance(5000);
    world.deploy("v3", counted);
    await world.host.poke();
    expect(await world.rest()).toMatchObject({ held: { since, codeVersion: "v3" } });
    expect(drives).toBe(2);
    expect(world.eventTypes().filter((type) => type === "run_held")).toHaveLength(2);
    world.deploy("v4", asking());
    await world.host.poke();
    const run = await world.rest();
    expect(run).toMatchObject({ status: "completed" });
    expect(run).not.toHaveProperty("held");
    expect(world.indexed.at(-1)).not.toHaveProperty("heldVersion");
  });

  it("CC2: a held run can be cancelled, forked, and paused", async () => {
    const world = await waiting();
    world.deploy("v2", renamed);
    await answer(world);
    expect(world.host.forks.recordBefore({ fromStep: "ask" }).rows).toMatchObject([
      { key: "draft" },
    ]);
    expect(await world.host.pause()).toMatchObject({ status: "waiting", paused: true });
    world.deploy("v3", renamed);
    await world.host.poke();
    expect(await world.rest()).toMatchObject({ held: { codeVersion: "v2" } });
    expect(await world.host.unpause()).toMatchObject({ status: "waiting" });
    expect(await world.rest()).toMatchObject({ held: { codeVersion: "v3" } });
    const cancelled = await world.host.cancel();
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(cancelled).not.toHaveProperty("held");
  });

  it("CC3: a run under trial with other code continues after a pause", async () => {
    const world = await waiting();
    world.deploy("v2", renamed);
    await answer(world);
    const work = new Latch<string>();
    const more: Program = async (scope) => [
      await perform(scope, "a", () => work.promise),
      await perform(scope, "b", () => "b"),
    ];
    world.deploy("v3", asking("tea", more));
    await world.host.poke();
    const ring = world.ring();
    await world.clock.settle();
    await world.host.pause();
    expect(await world.host.unpause()).toMatchObject({ status: "running" });
    work.resolve("a");
    await ring;
    expect(await world.rest()).toMatchObject({
      status: "completed",
      output: ["the draft for tea", "yes", ["a", "b"]],
    });
  });

  it("onChange: hold holds the run for a changed input, too", async () => {
    const world = await waiting({ onChange: "hold" });
    world.deploy("v2", asking("coffee"));
    expect(await answer(world)).toMatchObject({
      status: "waiting",
      held: { key: "draft", message: expect.stringContaining("input") },
    });
    world.deploy("v3", asking("tea"));
    await world.host.poke();
    expect(await world.rest()).toMatchObject({ status: "completed" });
  });

  it.each([
    ["a changed input", asking("coffee")],
    ["a changed structure", renamed],
  ])("onChange: fail ends the run for %s", async (_, program) => {
    const world = await waiting({ onChange: "fail" });
    world.deploy("v2", program);
    expect(await answer(world)).toMatchObject({
      status: "failed",
      error: { code: "journal_mismatch", message: expect.stringContaining("step draft") },
    });
  });

  it("CC3: a mismatched run fails under code without a version", async () => {
    calls.length = 0;
    let program = asking();
    const world = new RunWorld((scope) => program(scope), { fixture: open() });
    await world.begin();
    program = renamed;
    expect(await answer(world)).toMatchObject({
      status: "failed",
      error: { code: "journal_mismatch" },
    });
  });

  it("ends at once when a method now ends before its question, and the question is answered", async () => {
    const method =
      (early: boolean): Program =>
      (scope) =>
        scope.at("method").group("method", async (inside) => {
          await perform(inside, "one", () => 1);
          if (early) return "early";
          return (await inside.at("ask").wait<{ value: string }>({ kind: "human" })).value;
        });
    const world = new RunWorld(method(false), { fixture: open(), codeVersion: "v1" });
    await world.begin();
    world.deploy("v2", method(true));
    expect(await answer(world)).toMatchObject({ status: "waiting", held: { key: "method/ask" } });
    world.deploy("v3", method(false));
    await world.host.poke();
    expect(await world.rest()).toMatchObject({ status: "completed", output: "yes" });
  });
});
