import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/json.ts";
import { and } from "../../../src/flow/condition.ts";
import { InMemoryFlowStore, type FlowStore } from "../../../src/flow/flow-store.ts";
import { defineFlow, Flow, listen, persist, start } from "../../../src/flow/index.ts";
import { cutAfterEveryWrite, runWhole } from "../../support/cut-off.ts";
import { arrayOf } from "../../support/http-app.ts";

async function storeWith(state: JsonObject, flow = "f"): Promise<InMemoryFlowStore> {
  const store = new InMemoryFlowStore();
  const snapshot = { flow, flowId: state["id"] as string, method: "a", runId: "old", key: "k" };
  await store.saveState({ ...snapshot, state, createdAtMs: 1 });
  return store;
}

/** What is kept under a flow id, oldest first. */
async function kept(store: FlowStore, flowId: string, flow = "f") {
  const history = await store.history(flow, flowId, { limit: 100 });
  const all = await Promise.all(history.map(({ seq }) => store.loadState(flow, flowId, seq)));
  return all.toReversed().map((each) => ({ method: each?.method, state: each?.state }));
}

const looks = defineFlow({
  name: "f",
  persist: true,
  initial: { own: true },
  methods: { look: { start: true, run: ({ state }) => state["n"] ?? null } },
});

function running(store: FlowStore) {
  return { services: { flowStates: store } };
}

describe("a persisting flow", () => {
  it("FP1: saves the state after every method, as it was then", async () => {
    const store = new InMemoryFlowStore();
    const flow = defineFlow({
      name: "f",
      persist: true,
      persistence: store,
      initial: { id: "x", log: [] as string[] },
      methods: {
        a: { start: true, run: ({ state }) => void (state["log"] as string[]).push("a") },
        b: { listen: "a", run: ({ state }) => void (state["log"] as string[]).push("b") },
        c: { listen: "b", persist: false, run: ({ state }) => void (state["left"] = "out") },
      },
    });
    const run = flow.start({ id: "run-7" });
    await run.output();
    expect(await kept(store, "x")).toEqual([
      { method: "a", state: { id: "x", log: ["a"] } },
      { method: "b", state: { id: "x", log: ["a", "b"] } },
    ]);
    const [newest] = await store.history("f", "x", { limit: 1 });
    expect(newest).toMatchObject({ runId: "run-7", key: "save:b", flow: "f" });
  });

  it("saves before the method counts as finished, so a failed save fails the method", async () => {
    const broken: FlowStore = Object.assign(new InMemoryFlowStore(), {
      saveState: () => Promise.reject(new Error("the disk is full")),
    });
    const flow = defineFlow({
      name: "f",
      persist: true,
      persistence: broken,
      methods: { a: { start: true, run: () => "done" }, b: { listen: "a", run: () => "never" } },
    });
    const run = flow.start();
    await expect(run.output()).rejects.toThrow("the disk is full");
    const types = (await arrayOf(run.events())).map(({ type }) => type);
    expect(types).toContain("method_execution_failed");
    expect(types).not.toContain("method_execution_finished");
  });

  it("FP2: continues from the state stored under inputs.id, with the inputs merged over it", async () => {
    const store = await storeWith({ id: "X", n: 9, m: 1 });
    const { state, value } = await looks.kickoff({ inputs: { id: "X", n: 2 }, ...running(store) });
    expect([state, value]).toEqual([{ id: "X", n: 2, m: 1 }, 2]);
    expect((await store.history("f", "X", { limit: 5 })).map(({ method }) => method)).toEqual([
      "look",
      "a",
    ]);
  });

  it("FP4: begins with its own state under an id without a stored state, and reports it", async () => {
    const run = looks.start({ inputs: { id: "X", n: 2 }, ...running(new InMemoryFlowStore()) });
    expect(await run.output()).toEqual({ value: 2, state: { id: "X", own: true, n: 2 } });
    expect(await arrayOf(run.events({ types: ["flow_state_restored"] }))).toMatchObject([
      { flowName: "f", flowId: "X", found: false },
    ]);
  });

  it("FP3: restoreFromStateId begins with the state of another id, and leaves the other's history unchanged", async () => {
    const store = await storeWith({ id: "X", n: 9 });
    const run = looks.start({ restoreFromStateId: "X", ...running(store) });
    const { state, value } = (await run.output()) as { state: { id: string }; value: number };
    expect(value).toBe(9);
    expect(state).toEqual({ id: state.id, n: 9 });
    expect(state.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await kept(store, "X")).toHaveLength(1);
    expect(await kept(store, state.id)).toEqual([{ method: "look", state }]);
    expect(await arrayOf(run.events({ types: ["flow_state_restored"] }))).toMatchObject([
      { flowId: "X", found: true, method: "a" },
    ]);
  });

  it("FP3: such a fork accepts an id", async () => {
    const store = await storeWith({ id: "X", n: 9 });
    const kickoff = { restoreFromStateId: "X", inputs: { id: "Z", m: 2 }, ...running(store) };
    expect((await looks.kickoff(kickoff)).state).toEqual({ id: "Z", n: 9, m: 2 });
  });

  it("a state and a checkpoint cannot be combined", async () => {
    const run = looks.start(running(new InMemoryFlowStore()));
    await run.output();
    const both = { restoreFromStateId: "X", fromCheckpoint: { run } };
    await expect(looks.kickoff(both)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("fromCheckpoint and restoreFromStateId cannot be combined"),
    });
  });

  it("FP2: a persisting method does not make the flow restore, unless it has a store of its own", async () => {
    const store = await storeWith({ id: "X", n: 9 });
    const methods = {
      look: { start: true as const, persist: true, run: () => null },
    };
    const saves = defineFlow({ name: "f", methods });
    expect((await saves.kickoff({ inputs: { id: "X" }, ...running(store) })).state).toEqual({
      id: "X",
    });
    expect((await store.loadState("f", "X"))?.method).toBe("look");
    const restores = defineFlow({
      name: "f",
      methods,
      persistence: await storeWith({ id: "X", n: 9 }),
    });
    expect((await restores.kickoff({ inputs: { id: "X" } })).state).toEqual({ id: "X", n: 9 });
  });

  it("a store of its own goes before the deployment's", async () => {
    const [own, other] = [new InMemoryFlowStore(), new InMemoryFlowStore()];
    const flow = defineFlow({
      name: "f",
      persist: true,
      persistence: own,
      methods: { a: { start: true, run: () => 1 } },
    });
    await flow.kickoff({ inputs: { id: "x" }, ...running(other) });
    expect([(await kept(own, "x")).length, (await kept(other, "x")).length]).toEqual([1, 0]);
  });

  it("is refused before its first method when no store is configured", async () => {
    await expect(looks.kickoff()).rejects.toMatchObject({
      code: "invalid_definition",
      message: expect.stringContaining(
        'flow "f" persists, and there is nowhere to keep its states',
      ),
    });
    const plain = defineFlow({ name: "g", methods: { a: { start: true, run: () => 1 } } });
    await expect(plain.kickoff({ restoreFromStateId: "X" })).rejects.toThrow(
      'flow "g" cannot be restored from "X": it has no store of states',
    );
  });

  it("rejects invalid inputs, also over a stored state; stored fields need no new input", async () => {
    const schema = z.object({ n: z.number(), m: z.number() });
    const flow = defineFlow({
      name: "f",
      persist: true,
      state: schema,
      methods: { a: { start: true, run: ({ state }) => state.n + state.m } },
    });
    expect(() => flow.checkKickoff({ n: 1 })).toThrow("/m");
    expect(() => flow.checkKickoff({ id: "X", n: 1 })).not.toThrow();
    expect(() => flow.checkKickoff({ n: 1 }, "X")).not.toThrow();
    expect(() => flow.checkKickoff({ id: "X", n: "one" })).toThrow(
      '/n: expected number, got string "one"',
    );
    const store = await storeWith({ id: "X", n: 9, m: 1 });
    expect((await flow.kickoff({ inputs: { id: "X", n: 2 }, ...running(store) })).value).toBe(3);
    const stale = await storeWith({ id: "X", n: "nine" });
    await expect(flow.kickoff({ inputs: { id: "X" }, ...running(stale) })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("is a class with persist() on it or on methods; subclasses persist, too", async () => {
    @persist()
    class Counter extends Flow(z.object({ n: z.number().default(0) })) {
      override readonly name = "counter";
      override readonly persistence = new InMemoryFlowStore();

      @start() count() {
        return ++this.state.n;
      }
    }
    class More extends Counter {
      @listen("count") again() {
        return ++this.state.n;
      }
    }
    class Some extends Flow() {
      override readonly persistence = new InMemoryFlowStore();

      @start() first() {
        return 1;
      }

      @persist() @listen("first") second() {
        return 2;
      }
    }
    const counter = new Counter();
    await counter.kickoff({ inputs: { id: "x" } });
    expect((await counter.kickoff({ inputs: { id: "x" } })).value).toBe(2);
    expect(await kept(counter.persistence, "x", "counter")).toHaveLength(2);
    const more = new More();
    expect((await more.kickoff({ inputs: { id: "x" } })).value).toBe(2);
    expect((await kept(more.persistence, "x", "counter")).map(({ method }) => method)).toEqual([
      "count",
      "again",
    ]);
    const some = new Some();
    expect(some.flow.definition.persist).toBeUndefined();
    await some.kickoff({ inputs: { id: "x" } });
    expect((await kept(some.persistence, "x", "Some")).map(({ method }) => method)).toEqual([
      "second",
    ]);
  });

  it("inside another flow saves under the same rules, in the run of both", async () => {
    const store = new InMemoryFlowStore();
    const outer = defineFlow({
      name: "outer",
      methods: {
        call: {
          start: true,
          run: async () => (await looks.kickoff({ inputs: { id: "in", n: 5 } })).value,
        },
      },
    });
    const run = outer.start({ id: "both", ...running(store) });
    expect(await run.output()).toMatchObject({ value: 5 });
    expect((await store.history("f", "in", { limit: 5 }))[0]).toMatchObject({
      runId: "both",
      key: "method:call/flow:f/save:look",
    });
  });
});

describe("cut off anywhere", () => {
  /** Two methods at once, a join, a restored state: each run has a store of its own. */
  function subject() {
    const store = new InMemoryFlowStore();
    const calls: string[] = [];
    const counting: FlowStore = {
      saveState: async (snapshot) => {
        calls.push(snapshot.key);
        await store.saveState(snapshot);
      },
      loadState: (flow, flowId) => store.loadState(flow, flowId),
      history: (flow, flowId, page) => store.history(flow, flowId, page),
      forget: (flow, flowId) => store.forget(flow, flowId),
    };
    const flow = defineFlow({
      name: "f",
      persist: true,
      state: z.object({ n: z.number().default(0), log: z.array(z.string()).default([]) }),
      methods: {
        a: { start: true, run: ({ state, add }) => void (state.log.push("a"), add("n")) },
        b: {
          start: true,
          run: async ({ add, step }) => {
            await step("work", async () => void calls.push("work"));
            add("n");
          },
        },
        j: { listen: and("a", "b"), run: ({ state }) => state.n },
      },
    });
    return {
      store,
      subject: {
        program: flow.program({ action: "restore", restoreFromStateId: "X" }),
        inputs: { id: "Y" },
        services: { flowStates: counting },
        calls,
      },
    };
  }

  const before = { flow: "f", flowId: "X", method: "z", runId: "old", key: "k", createdAtMs: 1 };

  it("FP1, FP3: a flow ends with the same output, and stores the same states", async () => {
    const stores: InMemoryFlowStore[] = [];
    const made = () => {
      const { store, subject: one } = subject();
      void store.saveState({ ...before, state: { id: "X", n: 40 } });
      stores.push(store);
      return one;
    };
    const whole = await runWhole(made());
    expect(whole.course.output).toMatchObject({ value: 42, state: { id: "Y", n: 42, log: ["a"] } });
    const expected = await kept(stores[0] as FlowStore, "Y");
    expect(expected.at(-1)).toMatchObject({ method: "j", state: { n: 42 } });
    expect(expected).toHaveLength(3);
    stores.length = 0;
    const { cut } = await cutAfterEveryWrite(made);
    expect(cut.length).toBeGreaterThan(15);
    for (const each of cut) expect(each.course).toEqual(whole.course);
    for (const store of stores) expect(await kept(store, "Y")).toEqual(expected);
  });
});
