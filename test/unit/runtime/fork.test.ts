import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { EngineError } from "../../../src/base/error.ts";
import { NO_USAGE } from "../../../src/base/usage.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { checkForkInputs } from "../../../src/runtime/fork.ts";
import type { ForkPoint } from "../../../src/runtime/run-directory.ts";
import { Latch, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld, START } from "../../support/run-world.ts";

const topicOf = ({ topic }: JsonObject): string => (typeof topic === "string" ? topic : "nothing");

/** Two tasks of two turns each; what was performed is noted. */
const twoTasks =
  (performed: string[]) =>
  async (scope: RunScope, inputs: JsonObject): Promise<JsonValue> => {
    const outputs: JsonValue[] = [];
    for (const name of ["a", "b"]) {
      const output = await scope.at(`task:${name}`).group("task", async (task) => {
        const turns: JsonValue[] = [];
        for (const turn of ["turn:1", "turn:2"]) {
          const hash = {
            inputHash: topicOf(inputs),
            kind: "model" as const,
            usage: () => ({ ...NO_USAGE, requests: 1 }),
          };
          turns.push(
            await perform(task, turn, {
              ...hash,
              action: () => (performed.push(`${name}/${turn}`), `${topicOf(inputs)} ${turn}`),
            }),
          );
        }
        return turns;
      });
      outputs.push(output);
    }
    return outputs;
  };

const TASKS = ["a", "b"].map((name) => ({ key: `task:${name}`, name, agent: "Writer" }));

describe.each(RUN_STORES)("a fork, $name", ({ open }) => {
  const forkOf = async (point: ForkPoint, inputs: JsonObject) => {
    const original = new RunWorld(twoTasks([]), { fixture: open(), tasks: TASKS });
    await original.begin();
    const { start, rows, origin } = original.host.forks.recordBefore(point);
    const performed: string[] = [];
    const fork = new RunWorld(twoTasks(performed), { fixture: open(), tasks: TASKS });
    const run = await fork.begin({ ...start, id: "run-2", inputs, origin }, rows);
    return { run, performed, original, fork, before: origin.before };
  };

  it("shows tasks that it took over as copied, without times", async () => {
    const { run } = await forkOf({ fromStep: "task:b" }, { topic: "coffee" });
    const [taken, own] = run.tasks ?? [];
    expect(taken).toEqual({ ...TASKS[0], status: "completed", copied: true });
    expect(own).toMatchObject({ status: "completed", startedAt: run.startedAt });
  });

  it("takes over the record up to the start of the named step, and performs the rest again", async () => {
    const { run, performed, before } = await forkOf({ fromStep: "task:b" }, { topic: "coffee" });
    expect(before).toBe("task:b");
    expect(performed).toEqual(["b/turn:1", "b/turn:2"]);
    expect(run).toMatchObject({
      id: "run-2",
      status: "completed",
      origin: { runId: "run-1", before: "task:b" },
      output: [
        ["tea turn:1", "tea turn:2"],
        ["coffee turn:1", "coffee turn:2"],
      ],
    });
  });

  it("starts before a task found by its name", async () => {
    const { performed, before } = await forkOf({ fromTask: "b" }, { topic: "coffee" });
    expect(before).toBe("task:b");
    expect(performed).toEqual(["b/turn:1", "b/turn:2"]);
  });

  it("starts in the middle of a task", async () => {
    const { run, performed } = await forkOf({ fromStep: "task:b/turn:2" }, { topic: "coffee" });
    expect(run).toMatchObject({
      status: "completed",
      output: [
        ["tea turn:1", "tea turn:2"],
        ["tea turn:1", "coffee turn:2"],
      ],
    });
    expect(performed).toEqual(["b/turn:2"]);
  });

  it("starts from the very beginning", async () => {
    const { performed } = await forkOf({ fromStep: "task:a" }, { topic: "coffee" });
    expect(performed).toHaveLength(4);
  });

  it("pays only for its own steps", async () => {
    const { run } = await forkOf({ fromStep: "task:b" }, { topic: "coffee" });
    expect(run.usage.requests).toBe(2);
  });

  it("leaves its source unchanged", async () => {
    const { original } = await forkOf({ fromStep: "task:b" }, { topic: "coffee" });
    expect(await original.host.status()).toMatchObject({
      id: "run-1",
      status: "completed",
      usage: { requests: 4 },
    });
    expect(original.store.journal.count()).toBe(6);
  });

  it("has events of its own", async () => {
    const original = new RunWorld(twoTasks([]), { fixture: open() });
    await original.begin();
    const { start, rows } = original.host.forks.recordBefore({ fromStep: "task:b" });
    const fork = new RunWorld(twoTasks([]), { fixture: open() });
    await fork.begin({ ...start, id: "run-2" }, rows);
    expect(fork.store.events.read(0, 10).map(({ seq, runId, type }) => [seq, runId, type])).toEqual(
      [
        [1, "run-2", "run_started"],
        [2, "run-2", "run_completed"],
      ],
    );
  });

  it("takes over no branch unfinished at that point", async () => {
    const program = async (scope: RunScope): Promise<JsonValue> => {
      const slow = scope.at("slow").wait<JsonValue>({ kind: "input" });
      await perform(scope, "quick", () => null);
      await perform(scope, "point", () => null);
      return slow;
    };
    const original = new RunWorld(program, { fixture: open() });
    await original.begin();
    await original.host.resume({ value: "answered later" });
    await original.rest();
    const { rows } = original.host.forks.recordBefore({ fromStep: "point" });
    expect(rows.map(({ key }) => key)).toEqual(["quick"]);
    const fork = new RunWorld(program, { fixture: open() });
    expect(await fork.begin({ id: "run-2" }, rows)).toMatchObject({
      status: "waiting",
      waits: [{ key: "slow" }],
    });
  });

  it("J15: enters the open group after the same results as the source", async () => {
    const program = async (scope: RunScope): Promise<JsonValue> => {
      const ended: string[] = [];
      const slow = perform(scope, "slow", {
        action: () => release.promise,
      }).then(() => ended.push("slow"));
      await perform(scope, "quick", { action: pauses });
      const seen = await scope.at("group").group("group", async (group) => {
        const before = [...ended];
        for (const name of ["x", "y"]) await perform(group, name, () => null);
        return before;
      });
      await slow;
      return seen;
    };
    const release = Promise.withResolvers<null>();
    const original = new RunWorld(program, { fixture: open() });
    const pauses = async (): Promise<null> => {
      void original.host.pause();
      setTimeout(() => release.resolve(null));
      return Promise.resolve(null);
    };
    await original.begin();
    await original.host.unpause();
    await original.rest();
    expect(await original.host.status()).toMatchObject({ status: "completed", output: ["slow"] });
    const { rows } = original.host.forks.recordBefore({ fromStep: "group/y" });
    expect(rows.map(({ key, state }) => [key, state])).toEqual([
      ["slow", "done"],
      ["quick", "done"],
      ["group", "started"],
      ["group/x", "done"],
    ]);
    const fork = new RunWorld(program, { fixture: open() });
    const run = await fork.begin({ id: "run-2" }, rows);
    expect(run).toMatchObject({ status: "completed", output: ["slow"] });
  });

  it("of an unknown step or task is refused with the known ones", async () => {
    const original = new RunWorld(twoTasks([]), { fixture: open(), tasks: TASKS });
    await original.begin();
    expect(() => original.host.forks.recordBefore({ fromStep: "task:z" })).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(() => original.host.forks.recordBefore({ fromTask: "z" })).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining("a, b") }),
    );
    const bare = new RunWorld(twoTasks([]), { fixture: open() });
    await bare.begin();
    expect(() => bare.host.forks.recordBefore({ fromTask: "a" })).toThrow(/its tasks: none$/);
  });

  it("continues from a marked step found by its label, or by its key", async () => {
    const program = async (scope: RunScope): Promise<JsonValue> => {
      const marks = { label: "draft", mark: "checkpoint" } as const;
      await scope.at("method:draft").group("method", async () => 1, marks);
      await scope.at("method:draft~2").group("method", async () => 2, marks);
      return null;
    };
    const original = new RunWorld(program, { fixture: open() });
    await original.begin();
    const before = (fromTask: string) =>
      original.host.forks.recordBefore({ fromTask }).origin.before;
    expect(before("draft")).toBe("method:draft");
    expect(before("method:draft~2")).toBe("method:draft~2");
  });

  it("marks steps inside a step that makes the inputs, also while it is open", async () => {
    const program = async (scope: RunScope): Promise<JsonValue> => {
      await scope.at("prepare").step({
        kind: "effect",
        mark: "inputs",
        run: async (_, inside) => {
          await perform(inside, "look", () => "x");
          return inside.at("ask").wait<JsonValue>({ kind: "input" });
        },
      });
      return null;
    };
    const original = new RunWorld(program, { fixture: open() });
    await original.begin();
    const record = original.host.forks.recordBefore({ fromStep: "prepare/ask" });
    expect(record.rows.map(({ key, mark }) => [key, mark])).toEqual([["prepare/look", "inputs"]]);
    expect(() => checkForkInputs(record, {})).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: expect.stringContaining("prepare/look"),
      }),
    );
    expect(() => checkForkInputs(record, undefined)).not.toThrow();
  });

  it("takes over a long record in pages, and goes on from the last one after a crash", async () => {
    const text = "x".repeat(1000);
    const steps = async (scope: RunScope): Promise<number> => {
      let length = 0;
      for (let n = 0; n < 20; n++) length += (await perform(scope, `s:${n}`, () => text)).length;
      await scope.at("ask").wait({ kind: "human" });
      return length;
    };
    const original = new RunWorld(steps, { fixture: open() });
    await original.begin();
    const point = { fromStep: "ask" } as const;
    const maxLength = 4000;
    const { start, origin, rows, more } = original.host.forks.recordBefore(point, { maxLength });
    expect(rows.length).toBeLessThan(4);
    let pages = 0;
    const fork: RunWorld = new RunWorld(() => Promise.reject(new Error("a step was run again")), {
      fixture: open(),
      recordPage: async ({ place }) => {
        if (++pages === 3) throw new EngineError("unavailable", "gone", { retryable: true });
        return original.host.forks.recordPage(place, maxLength);
      },
    });
    fork.deploy("v1", steps);
    const adopting = more ?? { beforeSeq: 0, afterSeq: 0 };
    await fork.host.start({ ...start, id: "run-2", origin, adopting }, rows);
    expect(() => fork.host.forks.recordBefore(point)).toThrow(/not taken over its whole record/);
    await fork.ring();
    expect(fork.store.journal.count()).toBeLessThan(20);
    fork.restart();
    await fork.clock.advance(2000);
    expect(await fork.rest()).toMatchObject({ status: "waiting", waits: [{ key: "ask" }] });
    expect(fork.store.journal.count()).toBe(21);
    expect(fork.store.value("adoptedSeq")).toBe(original.store.value("x") ?? "40");
    expect(pages).toBeGreaterThan(5);
    expect(await fork.host.resume({ value: "go" })).toMatchObject({ status: "running" });
    expect(await fork.rest()).toMatchObject({ status: "completed", output: 20_000 });
  });

  it("replaces a result, also on a later page, and the code reads the replacement", async () => {
    const original = new RunWorld(twoTasks([]), { fixture: open(), tasks: TASKS });
    await original.begin({ inputs: { topic: "tea" } });
    const replace = { "task:a": ["coffee"] };
    const point = { fromStep: "task:b" } as const;
    const { forks } = original.host;
    const record = forks.recordBefore(point, { maxLength: 1, replace });
    expect(record.rows).toHaveLength(1);
    const rows = [...record.rows];
    for (let place = record.more; place !== undefined;) {
      const page = forks.recordPage(place, 1);
      rows.push(...page.rows);
      place = page.more;
    }
    const performed: string[] = [];
    const fork = new RunWorld(twoTasks(performed), { fixture: open(), tasks: TASKS });
    expect(await fork.begin({ id: "run-2", inputs: { topic: "tea" } }, rows)).toMatchObject({
      output: [["coffee"], ["tea turn:1", "tea turn:2"]],
    });
    expect(performed).toEqual(["b/turn:1", "b/turn:2"]);
  });

  it.each([
    ["task:b", "it is no finished step that the fork takes over"],
    ["task:z", "it is no finished step that the fork takes over"],
    ["task:a/turn:1", 'the fork reads that of "task:a", which it is a part of'],
  ])("refuses to replace a result the code would not read: %s", async (key, why) => {
    const original = new RunWorld(twoTasks([]), { fixture: open(), tasks: TASKS });
    await original.begin();
    const { forks } = original.host;
    expect(() => forks.recordBefore({ fromStep: "task:b" }, { replace: { [key]: 1 } })).toThrow(
      expect.objectContaining({ code: "conflict", message: expect.stringContaining(why) }),
    );
    const inside = { replace: { "task:a/turn:1": 1 } };
    expect(() => forks.recordBefore({ fromStep: "task:a/turn:2" }, inside)).not.toThrow();
  });

  it("fromFailure: continues at the point of failure, with the whole record, also from beside it", async () => {
    const performed: string[] = [];
    let isAway = true;
    const looked = new Latch<null>();
    const program = async (scope: RunScope): Promise<JsonValue> => {
      const step = (place: RunScope, key: string, run: () => JsonValue) =>
        perform(place, key, { kind: "tool", action: () => (performed.push(key), run()) });
      return scope.at("task:a").group("task", (task) =>
        Promise.all([
          step(task, "pay", () => "paid").then(() =>
            perform(task, "llm", {
              kind: "model",
              action: async () => {
                performed.push("llm");
                await looked.promise;
                if (isAway) throw new EngineError("model_unavailable", "away");
                return "answer";
              },
            }),
          ),
          // On record while the model is asked.
          step(task, "look", () => "seen").then((seen) => (looked.resolve(null), seen)),
        ]),
      );
    };
    const original = new RunWorld(program, { fixture: open() });
    await original.begin();
    const failed = await original.host.status();
    expect(failed).toMatchObject({ status: "failed", error: { code: "model_unavailable" } });
    isAway = false;
    performed.length = 0;
    const { start, rows, origin } = original.host.forks.recordBefore({ fromFailure: true });
    const retry = new RunWorld(program, { fixture: open() });
    const run = await retry.begin({ ...start, id: "run-2", origin }, rows);
    expect(run).toMatchObject({ status: "completed", output: ["answer", "seen"] });
    expect(performed).toEqual(["llm"]);
    expect(origin).toEqual({ runId: "run-1", before: "task:a/llm" });
  });

  it.each([
    ["has not failed", () => Promise.resolve(null), "run-1 is completed: only a failed run"],
    [
      "failed outside of any step",
      () => Promise.reject(new EngineError("agent_failed", "no")),
      "did not fail at a step that could be made again",
    ],
  ])("fromFailure: refuses a run that %s", async (_, program, why) => {
    const original = new RunWorld(program, { fixture: open() });
    await original.begin();
    expect(() => original.host.forks.recordBefore({ fromFailure: true })).toThrow(
      expect.objectContaining({ code: "conflict", message: expect.stringContaining(why) }),
    );
  });

  it("fails with the reason when its source is deleted meanwhile", async () => {
    const fork = new RunWorld(async () => null, {
      fixture: open(),
      recordPage: () => Promise.reject(new EngineError("not_found", "there is no such run")),
    });
    const adopting = { beforeSeq: 9, afterSeq: 3 };
    await fork.host.start({ ...START, origin: { runId: "run-1" }, adopting });
    expect(await fork.rest()).toMatchObject({
      status: "failed",
      error: { code: "not_found", message: expect.stringContaining("the record of run run-1") },
    });
  });
});
