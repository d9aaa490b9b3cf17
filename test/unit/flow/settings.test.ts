// What a flow's settings change: which events are published, how much they show, and which rules hold.
import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { or, race } from "../../../src/flow/condition.ts";
import { defineFlow, Flow, listen, start, type FlowMethod } from "../../../src/flow/index.ts";
import { MAX_EVENT_STATE } from "../../../src/flow/event-state.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { frames } from "../../../src/runtime/handle/frame-session.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { arrayOf } from "../../support/http-app.ts";

type Methods = Readonly<Record<string, FlowMethod<Record<string, JsonValue>>>>;

async function fired(methods: Methods, compat?: "crewai"): Promise<readonly string[]> {
  const flow = defineFlow({ name: "f", methods, ...(compat === undefined ? {} : { compat }) });
  const run = flow.start();
  await run.output();
  const events = await arrayOf(run.events({ types: ["method_execution_started"] }));
  return events.map((event) => (event as unknown as { methodName: string }).methodName);
}

describe('compat: "crewai"', () => {
  const siblings: Methods = {
    b: { start: true, run: () => "b" },
    r1: { listen: "b", router: true, run: () => "left" },
    r2: { listen: "b", router: true, run: () => "right" },
    lr: { listen: "left", router: true, run: () => "left_done" },
    rr: { listen: "right", router: true, run: () => "right_done" },
    onLeft: { listen: "left_done", run: () => "l" },
    onRight: { listen: "right_done", run: () => "r" },
  };

  it("FV26: lets only the last of sibling routers lead to further routers; without it all do", async () => {
    expect(await fired(siblings, "crewai")).toEqual(["b", "r1", "r2", "rr", "onRight"]);
    expect(await fired(siblings)).toEqual(["b", "r1", "r2", "lr", "rr", "onLeft", "onRight"]);
  });

  it("FV12: lets the producers of an `or` race; without it all count, except in race()", async () => {
    const producers = (join: ReturnType<typeof or>): Methods => ({
      a: { start: true, run: () => "a" },
      x: { listen: "a", run: () => "x" },
      y: {
        listen: "a",
        run: async ({ sleep }) => {
          await sleep("a while", 20);
          return "y";
        },
      },
      j: { listen: join, run: () => "j" },
    });
    const last = async (methods: Methods, compat?: "crewai") =>
      (
        await defineFlow({
          name: "f",
          methods,
          ...(compat === undefined ? {} : { compat }),
        }).kickoff()
      ).value;
    expect(await last(producers(or("x", "y")))).toBe("y");
    expect(await fired(producers(or("x", "y")), "crewai")).toEqual(["a", "x", "y", "j"]);
    expect(await fired(producers(race("x", "y")))).toEqual(["a", "x", "y", "j"]);
  });

  it("FV18: gives labels of booleans as Python writes them", async () => {
    const methods: Methods = {
      a: { start: true, router: true, run: () => true },
      lower: { listen: "true", run: () => "lower" },
      upper: { listen: "True", run: () => "upper" },
    };
    expect(await fired(methods, "crewai")).toEqual(["a", "upper"]);
    expect(await fired(methods)).toEqual(["a", "lower"]);
  });

  it("hands a person's feedback to the listeners of every later label; without it, to its own alone", async () => {
    const methods: Methods = {
      ask: {
        start: true,
        humanFeedback: { message: "?", emit: ["ok"] },
        run: () => "shown",
      },
      sort: { listen: "ok", router: true, run: () => "on" },
      end: { listen: "on", run: ({ value }) => value ?? null },
    };
    const runWith = async (compat?: "crewai") => {
      const run = defineFlow({
        name: "f",
        methods,
        ...(compat === undefined ? {} : { compat }),
      }).start();
      for await (const { type } of run.events()) if (type === "run_waiting") break;
      await run.resume({ feedback: "ok", by: "ada" });
      return ((await run.output()) as { value: JsonValue }).value;
    };
    expect(await runWith("crewai")).toMatchObject({ feedback: "ok", methodName: "ask", by: "ada" });
    expect(await runWith()).toBe("on");
  });

  it("is refused when it is something else", () => {
    const methods: Methods = { a: { start: true, run: () => 1 } };
    expect(() => defineFlow({ name: "f", methods, compat: "other" as never })).toThrow(
      'flow "f": compat must be "crewai", got "other"',
    );
  });
});

describe("events of a flow", () => {
  it("leave out the methods when they are suppressed; those of the flow stay", async () => {
    const flow = defineFlow({
      name: "f",
      suppressFlowEvents: true,
      methods: {
        a: { start: true, run: ({ ask }) => ask("?", { timeoutSeconds: 1 }) },
        b: {
          listen: "a",
          run: () => {
            throw new Error("no");
          },
        },
      },
    });
    const run = flow.start();
    await run.resume({ feedback: "x" }).catch(() => undefined);
    await expect(run.output()).rejects.toThrow("no");
    const types = (await arrayOf(run.events())).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("method_"))).toEqual([]);
    expect(types).toEqual(expect.arrayContaining(["flow_started", "flow_failed"]));
  });

  it("show a state whole up to a bound, and beyond it without its largest fields", async () => {
    const flow = defineFlow({
      name: "f",
      initial: { id: "s", n: 1, list: [1, 2] },
      methods: {
        a: {
          start: true,
          run: ({ state }) => {
            state["large"] = "x".repeat(MAX_EVENT_STATE);
            state["wide"] = Array.from({ length: 20_000 }, (_, index) => index);
          },
        },
      },
    });
    const run = flow.start();
    expect(await run.output()).toMatchObject({ state: { n: 1, large: expect.any(String) } });
    const [started, finished, ended] = (await arrayOf(
      run.events({
        types: ["method_execution_started", "method_execution_finished", "flow_finished"],
      }),
    )) as unknown as Array<{ state: object; stateOmitted?: readonly string[] }>;
    expect(started).toMatchObject({ state: { id: "s", n: 1, list: [1, 2] } });
    expect(started?.stateOmitted).toBeUndefined();
    for (const event of [finished, ended]) {
      expect(event?.state).toEqual({ id: "s", n: 1, list: [1, 2] });
      expect(event?.stateOmitted?.toSorted()).toEqual(["large", "wide"]);
    }
  });

  it("come as frames of channel flow, and as the words of its models", async () => {
    const writer = new Agent({
      role: "Writer",
      goal: "Write",
      backstory: "You write.",
      llm: scriptedModel(() => "Some words"),
    });
    const flow = defineFlow({
      name: "f",
      methods: { a: { start: true, run: async () => (await writer.kickoff("Go")).raw } },
    });
    const session = frames(flow.start());
    const all = await arrayOf(session);
    expect(all.find(({ type }) => type === "method_execution_started")).toMatchObject({
      channel: "flow",
      namespace: ["flow", "f", "a"],
    });
    expect(all.find(({ type }) => type === "flow_started")?.namespace).toEqual(["flow", "f"]);
    const stream = flow.stream();
    const chunks = await arrayOf(stream);
    expect(chunks.map(({ content }) => content).join("")).toBe("Some words");
    expect(stream.result).toMatchObject({ value: "Some words", state: { id: expect.any(String) } });
    expect((await stream.handle.status()).usage).toMatchObject({ requests: 1 });
  });
});

it("a class declares its settings in its fields", async () => {
  class Loop extends Flow() {
    override readonly name = "loop";
    override readonly maxMethodCalls = 3;
    override readonly suppressFlowEvents = true;
    override readonly compat = "crewai";
    override readonly inputProvider = () => "provided";

    @start() begin() {
      return this.ask("Who?");
    }

    @listen("begin") tell(value: string) {
      return value;
    }
  }
  const { definition } = new Loop().flow;
  expect(definition.name).toBe("loop");
  expect(definition.config).toEqual({
    maxMethodCalls: 3,
    suppressFlowEvents: true,
    compat: "crewai",
  });
  expect((await new Loop().kickoff()).value).toBe("provided");
});
