import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { askingScript, HttpWorld, textOf } from "../../support/http-app.ts";

const PATH = "/crews/briefing/kickoff-for-each";
const topics = (...names: string[]) => ({ inputs: names.map((topic) => ({ topic })) });

describe("kickoff for each", () => {
  it("runs the crew once for each input, and answers the results in their order", async () => {
    const world = new HttpWorld({
      script: ({ messages }) => {
        const told = JSON.stringify(messages);
        if (told.includes("bad luck"))
          return { error: new EngineError("model_rejected", "it was told to fail") };
        return `about ${/Write about (\w+)/.exec(told)?.[1] ?? "it"}`;
      },
    });
    const { status, json } = await world.ask(PATH, {
      json: { ...topics("tea", "bad luck", "ink"), id: "batch-1", meta: { ticket: 1 } },
    });
    expect(status).toBe(202);
    expect(json).toMatchObject({ id: "batch-1", links: { self: "/runs/batch-1" } });
    await world.clock.settle();
    const { json: run } = await world.ask("/runs/batch-1");
    expect(run).toMatchObject({ kind: "batch", name: "briefing", status: "completed" });
    expect(run["output"]?.["items"]).toMatchObject([
      { index: 0, status: "completed", output: { raw: "about tea" } },
      { index: 1, status: "failed", error: { code: "model_rejected" } },
      { index: 2, status: "completed", output: { raw: "about ink" } },
    ]);
    expect(run["usage"]).toMatchObject({ requests: 4 });

    const { json: children } = await world.ask("/runs?parent=batch-1");
    expect(children["items"]).toHaveLength(3);
    expect(children["items"]?.[0]?.["parent"]?.["id"]).toBe("batch-1");
    const item = textOf(run["output"]?.["items"]?.[0]?.["runId"]);
    const { json: child } = await world.ask(`/runs/${item}`);
    expect(child).toMatchObject({
      kind: "crew",
      status: "completed",
      inputs: { topic: "tea" },
      parent: { id: "batch-1", key: "item:0" },
      output: { tasks: [{ name: "research" }, { name: "report" }] },
    });
  });

  it("answers the finished batch when it is asked to wait", async () => {
    const world = new HttpWorld();
    const answer = world.ask(PATH, { json: topics("tea"), headers: { prefer: "wait=30" } });
    await world.clock.settle();
    const { status, json } = await answer;
    expect(status).toBe(200);
    expect(json["output"]?.["items"]?.[0]).toMatchObject({ output: { raw: "A fine answer" } });
  });

  it("starts one batch for one id", async () => {
    const world = new HttpWorld();
    for (let time = 0; time < 2; time++) {
      await world.ask(PATH, { json: topics("tea"), headers: { "idempotency-key": "once" } });
      await world.clock.settle();
    }
    expect(world.model.calls).toHaveLength(2);
  });

  it("runs stored crews as they were when the batch was started", async () => {
    const world = new HttpWorld();
    const definition = {
      agents: { poet: { role: "Poet", goal: "Write", backstory: "Quiet." } },
      tasks: [{ description: "Write of {topic}", expectedOutput: "A line", agent: "poet" }],
    };
    await world.ask("/crews/haiku", { method: "PUT", json: definition });
    await world.ask("/crews/haiku/kickoff-for-each", { json: { ...topics("rain"), id: "b" } });
    await world.ask("/crews/haiku", { method: "DELETE" });
    await world.clock.settle();
    expect((await world.ask("/runs/b")).json["output"]?.["items"]?.[0]).toMatchObject({
      status: "completed",
    });
  });

  it("F6: cancels its child runs when it is cancelled", async () => {
    const world = new HttpWorld({ script: askingScript() });
    await world.ask(PATH, { json: { ...topics("tea", "ink"), id: "b" } });
    await world.clock.settle();
    expect((await world.ask("/runs/b")).json["waits"]).toMatchObject([
      { key: "item:0", kind: "child" },
      { key: "item:1", kind: "child" },
    ]);
    await world.ask("/runs/b/cancel", { json: {} });
    await world.clock.settle();
    const { json } = await world.ask("/runs?parent=b&status=cancelled");
    expect(json["items"]).toHaveLength(2);
  });
});

it("completes an empty batch without items", async () => {
  const world = new HttpWorld();
  const { status, json } = await world.ask(PATH, { json: { inputs: [] } });
  expect(status).toBe(202);
  await world.clock.settle();
  expect((await world.ask(`/runs/${textOf(json["id"])}`)).json).toMatchObject({
    status: "completed",
    output: { items: [], usage: { totalTokens: 0 } },
  });
});

describe("inputs a batch refuses", () => {
  it.each([
    ["an empty body", {}, "/inputs"],
    ["an object", { inputs: { topic: "tea" } }, "/inputs"],
    ["an entry other than an object", { inputs: [{ topic: "tea" }, "ink"] }, "/inputs/1"],
    ["an entry without a needed input", { inputs: [{ topic: "tea" }, {}] }, "/inputs/1/topic"],
    ["an invalid time", { ...topics("tea"), timeoutMs: 0 }, "/timeoutMs"],
    ["an unknown field", { ...topics("tea"), input: 1 }, "/input"],
  ])("such as %s are reported with their path, before any start", async (_, json, path) => {
    const world = new HttpWorld();
    const answer = await world.ask(PATH, { json });
    expect(answer.status).toBe(400);
    expect(answer.json["errors"]?.[0]?.["path"]).toBe(path);
    expect((await world.ask("/runs")).json["items"]).toEqual([]);
  });

  it("may not be more than a thousand, or than the app allows", async () => {
    const many = { inputs: Array.from({ length: 1001 }, () => ({ topic: "t" })) };
    const refused = await new HttpWorld().ask(PATH, { json: many });
    expect(refused.json).toMatchObject({
      code: "limit_exceeded",
      errors: [{ path: "/inputs", message: "expected at most 1000 inputs, got 1001" }],
    });
    const world = new HttpWorld({ limits: { maxBatchInputs: 1 } });
    expect((await world.ask(PATH, { json: topics("a", "b") })).json).toMatchObject({
      code: "limit_exceeded",
    });
  });

  it("are 404 for an unknown crew", async () => {
    const world = new HttpWorld();
    expect((await world.ask("/crews/nobody/kickoff-for-each", { json: topics("a") })).status).toBe(
      404,
    );
  });
});
