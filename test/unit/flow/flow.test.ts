import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { and, or } from "../../../src/flow/condition.ts";
import { listen, router, start } from "../../../src/flow/decorators.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { Flow } from "../../../src/flow/flow.ts";
import type { FlowContext } from "../../../src/flow/method-context.ts";
import { on } from "../../../src/hooks/hook.ts";
import { arrayOf } from "../../support/http-app.ts";
import { Latch } from "../../support/journal-harness.ts";

const Ticket = z.object({
  ticket: z.string(),
  severity: z.enum(["low", "high"]).optional(),
  log: z.array(z.string()).default([]),
});

class Triage extends Flow(Ticket) {
  #calls = 0;

  @start() classify() {
    this.#calls++;
    this.state.severity = this.state.ticket.includes("down") ? "high" : "low";
    return "classified";
  }

  // oxlint-disable-next-line unbound-method -- the trigger is the method itself, by identity
  @router((flow: Triage) => flow.classify, { emit: ["high", "low"] }) pick() {
    return this.state.severity;
  }

  @listen("high") page(label: string) {
    this.state.log.push(`page ${label} ${this.#calls}`);
    return "paged";
  }

  @listen(or("page", "low")) finish(value: string) {
    this.state.log.push(`finish after ${value}`);
    return this.state.log.length;
  }
}

describe("flow classes", () => {
  it("runs methods by their decorators, and gives the last result and the state", async () => {
    const output = await new Triage().kickoff({ inputs: { ticket: "all is down" } });
    expect(output.value).toBe(2);
    expect(output.state).toMatchObject({
      ticket: "all is down",
      severity: "high",
      log: ["page high 1", "finish after paged"],
    });
    expect(output.state.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("serves several runs at once without mixing their states", async () => {
    const flow = new Triage();
    const [a, b] = await Promise.all([
      flow.kickoff({ inputs: { ticket: "down" } }),
      flow.kickoff({ inputs: { ticket: "slow" } }),
    ]);
    expect([a.state.severity, b.state.severity]).toEqual(["high", "low"]);
    expect(b.state.log).toEqual(["finish after low"]);
  });

  it("finds a method by identity, whatever name a minifier gives it", () => {
    expect(new Triage().flow.definition.methods["pick"]).toEqual({
      router: true,
      listen: "classify",
      emit: ["high", "low"],
    });
  });

  it("refuses to read the state outside a method, and names the place to read it", () => {
    expect(() => new Triage().state).toThrow(
      "state of flow Triage is available only while one of its methods runs",
    );
  });

  it("rejects inputs that do not fit the state, and names their field", async () => {
    await expect(new Triage().kickoff({ inputs: { ticket: 3 } })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/inputs/ticket", message: "expected string, got number 3" }],
    });
  });
});

describe("flows without decorators", () => {
  it("inputs go over the initial state", async () => {
    const flow = defineFlow({
      name: "f",
      initial: { id: "1f", n: 1 },
      methods: { a: { start: true, run: ({ state }) => state["n"] ?? null } },
    });
    expect(await flow.kickoff({ inputs: { n: 2 } })).toEqual({
      value: 2,
      state: { id: "1f", n: 2 },
    });
  });

  it("RF2, SC3: parallel methods add to numbers and lists, and do not see each other half done", async () => {
    const counted = z.object({
      n: z.number().default(0),
      items: z.array(z.string()).default([]),
      seen: z.array(z.number()).default([]),
    });
    type Counted = z.output<typeof counted>;
    const flow = defineFlow({
      name: "f",
      state: counted,
      methods: {
        a: { start: true, run: work("a") },
        b: { start: true, run: work("b") },
        j: { listen: and("a", "b"), run: ({ state }) => state.n },
      },
    });
    function work(name: string) {
      return async ({ state, add }: FlowContext<Counted>) => {
        add("n");
        await Promise.resolve();
        add("n");
        state.items.push(name);
        state.seen.push(state.n);
      };
    }
    const { value, state } = await flow.kickoff();
    expect([value, state.items.toSorted(), state.seen]).toEqual([4, ["a", "b"], [2, 2]]);
  });

  it("RF2, SC2: of values set by parallel methods, the later end counts, for numbers as for lists", async () => {
    class Prices extends Flow(
      z.object({ price: z.number().default(50), tags: z.array(z.string()).default([]) }),
    ) {
      @start() begin() {}
      @listen("begin") async slow() {
        await this.sleep("a moment", 5);
        Object.assign(this.state, { price: 7, tags: ["cheap"] });
      }
      @listen("begin") fast() {
        Object.assign(this.state, { price: 9, tags: ["cheap"] });
      }
      @listen(and("slow", "fast")) both() {
        return this.add("price", 1);
      }
    }
    const run = new Prices().start();
    const { value, state } = await run.output();
    expect([value, state["price"], state["tags"]]).toEqual([8, 8, ["cheap"]]);
    const events = await arrayOf(run.events());
    expect(events.filter(({ type }) => type === "flow_state_overwritten")).toMatchObject([
      { flowName: "Prices", methodName: "slow", fields: ["/price"] },
    ]);
  });

  it("RF2: a method begun after a pause does not overwrite earlier results", async () => {
    const [begun, begins, prices] = [new Latch<null>(), new Latch<null>(), new Latch<null>()];
    const flow = defineFlow({
      name: "f",
      state: z.object({ price: z.number().default(50) }),
      methods: {
        begin: { start: true, run: () => begins.promise },
        first: {
          start: true,
          run: async ({ state }) => {
            begun.resolve(null);
            await prices.promise;
            state.price = 1;
          },
        },
        second: { listen: "begin", run: ({ state }) => void (state.price = 2) },
      },
    });
    const run = flow.start();
    await begun.promise;
    await run.pause();
    begins.resolve(null);
    await new Promise((resolve) => setTimeout(resolve, 20)); // `second` is asked for
    prices.resolve(null);
    await vi.waitFor(async () => expect((await run.status()).status).toBe("waiting"));
    await run.unpause();
    expect((await run.output()).state["price"]).toBe(2);
    const types = (await arrayOf(run.events())).map(({ type }) => type);
    expect(types).not.toContain("flow_state_overwritten");
  });

  it("RF2: a method begun after its hooks does not overwrite earlier results", async () => {
    const ended = new Latch<null>();
    const flow = defineFlow({
      name: "f",
      state: z.object({ price: z.number().default(50) }),
      hooks: [
        on("pre_step", async ({ stepName }) => {
          if (stepName === "second") await ended.promise;
        }),
      ],
      methods: {
        first: { start: true, run: ({ state }) => void (state.price = 1) },
        second: { start: true, run: ({ state }) => void (state.price += 1) },
        after: { listen: "first", run: () => ended.resolve(null) },
      },
    });
    const run = flow.start();
    expect((await run.output()).state["price"]).toBe(2);
    const types = (await arrayOf(run.events())).map(({ type }) => type);
    expect(types).not.toContain("flow_state_overwritten");
  });

  it("SC1: keeps the order in which a method sets an object's keys", async () => {
    const flow = defineFlow({
      name: "f",
      initial: { form: { a: 1, z: 2 }, kept: { z: 1, a: 2 } },
      methods: {
        set: { start: true, run: ({ state }) => void (state["form"] = { z: 1, a: 3 }) },
        change: {
          listen: "set",
          run: ({ state }) => void ((state["kept"] as Record<string, number>)["a"] = 9),
        },
      },
    });
    const { state } = await flow.kickoff();
    expect(JSON.stringify([state["form"], state["kept"]])).toBe('[{"z":1,"a":3},{"z":1,"a":9}]');
  });

  it("RF4: passes the trigger's payload to starts only", async () => {
    class Triggered extends Flow(z.object({ got: z.array(z.unknown()).default([]) })) {
      @start() begin(payload: { title: string }) {
        this.state.got.push(payload, this.inputs["crewai_trigger_payload"]);
        return null;
      }
      @listen("begin") next(value: unknown) {
        this.state.got.push(value);
      }
    }
    const payload = { title: "a" };
    const inputs = { crewai_trigger_payload: payload };
    expect((await new Triggered().kickoff({ inputs })).state.got).toEqual([payload, payload, null]);
    const alone = defineFlow({
      name: "f",
      methods: {
        a: { start: true, run: ({ value }) => value ?? "nothing" },
      },
    });
    expect((await alone.kickoff({ inputs: { crewai_trigger_payload: 5 } })).value).toBe(5);
    expect((await alone.kickoff({ inputs: { crewai_trigger_payload: 0 } })).value).toBe(0);
    expect((await alone.kickoff()).value).toBe("nothing");
  });

  it("refuses a state its schema does not allow, and names the method", async () => {
    const flow = defineFlow({
      name: "f",
      state: z.object({ n: z.number() }),
      methods: {
        spoil: { start: true, run: ({ state }) => void ((state as { n: unknown }).n = "x") },
      },
    });
    await expect(flow.kickoff({ inputs: { n: 1 } })).rejects.toThrow(
      'method spoil left a state that does not fit its schema: /n: expected number, got string "x"',
    );
  });

  it("refuses a router's object result", async () => {
    const flow = defineFlow({
      name: "f",
      methods: { r: { start: true, router: true, run: () => ({ a: 1 }) } },
    });
    await expect(flow.kickoff()).rejects.toThrow(
      'router r must return a label: a text, a number, a boolean or null; got {"a":1}',
    );
  });

  it.each([
    [false, "False"],
    [true, "true"],
    [7, "7"],
  ])("FV18, FV19: the label of %j matches %s", async (value, label) => {
    const flow = defineFlow({
      name: "f",
      methods: {
        a: { start: true, router: true, run: () => value },
        x: { listen: label, run: () => "heard" },
      },
    });
    expect((await flow.kickoff()).value).toBe("heard");
  });

  it("every kickoff begins with the state of the definition", async () => {
    const flow = defineFlow({
      name: "f",
      initial: { n: 0 },
      methods: {
        a: { start: true, run: ({ state }) => void (state["n"] = Number(state["n"]) + 1) },
      },
    });
    await flow.kickoff();
    expect((await flow.kickoff()).state).toMatchObject({ n: 1 });
  });

  it("reports methods with the state before and after", async () => {
    const flow = defineFlow({
      name: "f",
      initial: { id: "s" },
      methods: { a: { start: true, run: ({ state }) => void (state["n"] = 1) } },
    });
    const run = flow.start();
    const events: unknown[] = [];
    for await (const event of run.events({
      types: ["method_execution_started", "method_execution_finished", "flow_finished"],
    }))
      events.push(event);
    expect(events).toMatchObject([
      { methodName: "a", state: { id: "s" }, path: "method:a" },
      { methodName: "a", state: { id: "s", n: 1 }, result: null },
      { flowName: "f", state: { n: 1 } },
    ]);
  });

  it("runs inside another flow as part of its run", async () => {
    const inner = defineFlow({
      name: "inner",
      methods: { a: { start: true, run: ({ inputs }) => inputs["x"] ?? null } },
    });
    const outer = defineFlow({
      name: "outer",
      methods: {
        call: { start: true, run: async () => (await inner.kickoff({ inputs: { x: 5 } })).value },
      },
    });
    const run = outer.start();
    const paths = [];
    for await (const event of run.events({ types: ["method_execution_started"] }))
      paths.push(event.path);
    expect(paths).toEqual(["method:call", "method:call/flow:inner/method:a"]);
    expect(await run.output()).toMatchObject({ value: 5 });
  });

  it("name the causing event of each method, and of no other event", async () => {
    const run = new Triage().start({ inputs: { ticket: "all is down" } });
    await run.output();
    const triggers: Record<string, string> = {};
    for await (const event of run.events())
      if ("triggeredByEventId" in event && event.triggeredByEventId !== undefined)
        triggers[event.id] = event.triggeredByEventId;
    const started = (method: string) => `method:${method}:method_execution_started`;
    const finished = (method: string) => `method:${method}:method_execution_finished`;
    expect(triggers).toEqual({
      [started("pick")]: finished("classify"),
      [started("page")]: finished("pick"),
      [started("finish")]: finished("page"),
    });
  });
});
