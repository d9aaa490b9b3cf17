import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { StepCause } from "../../../src/runtime/step-cause.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

function causesOf(world: RunWorld): Readonly<Record<string, StepCause | undefined>> {
  const { items } = world.host.reader.steps({ limit: 200 });
  return Object.fromEntries(items.map(({ key, cause }) => [key, cause]));
}

describe.each(RUN_STORES)("the cause of a step, $name", ({ open }) => {
  it("is the answer of a wait, or its time, or the child run", async () => {
    const world = new RunWorld(
      async (scope: RunScope): Promise<JsonValue> => {
        await scope.at("ask").wait({ kind: "human", prompt: "Go on?" });
        await scope.at("late").wait({ kind: "input", dueAtMs: scope.now() + 1000, otherwise: 1 });
        return scope.at("open").wait({ kind: "input", prompt: "And now?" });
      },
      { fixture: open() },
    );
    await world.begin();
    await world.host.resume({ feedback: "yes", by: "ann" });
    await world.rest();
    await world.clock.advance(2000);
    await world.rest();
    expect(causesOf(world)).toMatchObject({
      ask: { how: "answered", by: "ann", at: expect.any(String) as string },
      late: { how: "expired", at: expect.any(String) as string },
      open: undefined,
    });
    const wait = world.host.reader.steps({ limit: 1 }).items[0]?.wait;
    expect(wait).toMatchObject({ kind: "human", prompt: "Go on?" });
  });

  it("is the tool whose code runs it", async () => {
    const world = new RunWorld(
      async (scope) =>
        scope.at("tool:delegate").step({
          kind: "tool",
          run: (_, inside) => inside.at("agent:a").group("agent", async () => "done"),
        }),
      { fixture: open() },
    );
    await world.begin();
    expect(causesOf(world)["tool:delegate/agent:a"]).toEqual({
      how: "called",
      key: "tool:delegate",
    });
  });

  it("is the input of a task: its context, or the tasks before it", async () => {
    const { agent } = scriptedAgent(() => "fine");
    const first = taskFor(agent, { name: "first" });
    const second = taskFor(agent, { name: "second" });
    const last = taskFor(agent, { name: "last", context: [first] });
    const program = new Crew({ name: "three", tasks: [first, second, last] }).program();
    const world = new RunWorld(program.run, {
      fixture: open(),
      tasks: program.tasks,
      models: modelCatalog({ variables: {} }),
    });
    const run = await world.begin();
    expect(causesOf(world)).toMatchObject({
      "task:second": { how: "fed", keys: ["task:first"] },
      "task:last": { how: "fed", keys: ["task:first"] },
    });
    expect(causesOf(world)["task:first"]).toBeUndefined();
    expect(run.tasks?.[1]).not.toHaveProperty("context");
  });

  it("is the event that woke a method", async () => {
    const flow = defineFlow({
      name: "tour",
      state: z.object({}),
      methods: {
        draft: { start: true, run: () => "text" },
        check: { listen: "draft", run: () => "checked" },
      },
    });
    const program = flow.program();
    const world = new RunWorld(program.run, { fixture: open() });
    await world.begin({ kind: "flow", name: "tour" });
    expect(causesOf(world)["method:check"]).toMatchObject({ how: "woke", key: "method:draft" });
  });
});
