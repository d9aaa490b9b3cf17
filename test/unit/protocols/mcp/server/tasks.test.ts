import { describe, expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../../../src/tools/tool.ts";
import { askingScript } from "../../../../support/http-app.ts";
import { askingTwice, McpWorld } from "../../../../support/mcp-world.ts";

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const BOTH = { ...TASKS, elicitation: {} };
const briefing = { name: "briefing", arguments: { topic: "edges" } };

async function begun(world: McpWorld, called: object = briefing): Promise<string> {
  const { json } = await world.rpc("tools/call", called as never, { capabilities: TASKS });
  expect(json).toMatchObject({ result: { resultType: "task", status: "working", ttlMs: null } });
  expect(json["result"]?.["content"]).toBeUndefined();
  return json["result"]?.["taskId"] as never;
}

describe("a task", () => {
  it("is the run of its call", async () => {
    const world = new McpWorld();
    const taskId = await begun(world);
    await world.clock.settle();
    const { json } = await world.rpc("tasks/get", { taskId }, { capabilities: TASKS });
    expect(json).toMatchObject({
      result: {
        resultType: "complete",
        taskId,
        status: "completed",
        result: { content: [{ text: "A fine answer" }] },
      },
    });
    expect((await world.runs.get("default", taskId)).status).toBe("completed");
  });

  it("asks, and goes on once it was answered; twice answered is once", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const taskId = await begun(world);
    await world.clock.settle();
    const waiting = await world.rpc("tasks/get", { taskId }, { capabilities: BOTH });
    expect(waiting.json).toMatchObject({ result: { status: "input_required" } });
    const [name = ""] = Object.keys(waiting.json["result"]?.["inputRequests"] as never);
    const inputResponses = { [name]: { action: "accept", content: { answer: "fine" } } };
    const update = { taskId, inputResponses };
    const answered = await world.rpc("tasks/update", update, { capabilities: BOTH });
    expect(answered.json["result"]).toMatchObject({ resultType: "complete" });
    expect(answered.json["result"]?.["taskId"]).toBeUndefined();
    await world.clock.settle();
    expect(world.model.calls).toHaveLength(3);
    const next = await world.rpc("tasks/get", { taskId }, { capabilities: BOTH });
    expect(next.json).toMatchObject({ result: { status: "input_required" } });
  });

  it("is cancelled, however often", async () => {
    const world = new McpWorld(
      { expose: "all" },
      { crews: { briefing: askingTwice }, script: askingScript() },
    );
    const taskId = await begun(world);
    for (const _ of [1, 2]) {
      const { json } = await world.rpc("tasks/cancel", { taskId }, { capabilities: TASKS });
      expect(json).toMatchObject({ result: { resultType: "complete" } });
    }
    const { json } = await world.rpc("tasks/get", { taskId }, { capabilities: TASKS });
    expect(json).toMatchObject({ result: { status: "cancelled" } });
  });

  it("has an error result when it fails, like any tool", async () => {
    const broken = tool({
      name: "broken",
      description: "Breaks.",
      input: z.object({}),
      run: () => {
        throw new Error("out of paper");
      },
    });
    const world = new McpWorld({ tools: [{ tool: broken, task: "required" }] });
    const called = { name: "broken", arguments: {} };
    const taskId = await begun(world, called);
    await world.clock.settle();
    const { json } = await world.rpc("tasks/get", { taskId }, { capabilities: TASKS });
    expect(json).toMatchObject({
      result: {
        status: "completed",
        result: { isError: true, content: [{ text: "out of paper" }] },
      },
    });
    const refused = await world.rpc("tools/call", called);
    expect(refused).toMatchObject({ status: 400, json: { error: { code: -32021 } } });
  });

  it("is unknown to other tenants, and under unknown ids", async () => {
    const world = new McpWorld({ expose: "all" }, { auth: { mode: "keys", adminKey: "root" } });
    const made = await world.ask("/keys", {
      json: { tenant: "beta", scopes: ["run"] },
      key: "root",
    });
    const key = made.json["key"] as never as string;
    const { json } = await world.rpc("tools/call", briefing, { capabilities: TASKS, key: "root" });
    const taskId = json["result"]?.["taskId"] as never as string;
    for (const id of [taskId, "nobody", "../..", ""])
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const sent = { taskId: id, inputResponses: {} };
        const answer = await world.rpc(method, sent, { capabilities: TASKS, key });
        expect(answer.json).toMatchObject({ error: { code: -32602 } });
      }
  });

  it("needs a client with the extension", async () => {
    const world = new McpWorld();
    const { json } = await world.rpc("tools/call", briefing);
    expect(json).toMatchObject({ result: { resultType: "complete" } });
    const got = await world.rpc("tasks/get", { taskId: "any" });
    expect(got).toMatchObject({ status: 400, json: { error: { code: -32021 } } });
  });
});
