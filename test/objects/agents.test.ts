import { evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { keysCalled } from "./support/ledger.ts";
import { newId, stubOf, until } from "./support/runs.ts";
import app from "./worker.ts";

const TENANT = "default";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

describe("an agent in a Durable Object", () => {
  it("is asked over HTTP, waits for a person without its object, and continues at its place", async () => {
    const id = newId("agent");
    const run = await client.agents.kickoff("helper", "Please", { id, inputs: { topic: "tea" } });
    await until("it waits", async () => (await run.status()).status === "waiting");
    await evictDurableObject(stubOf(id, TENANT));
    await run.resume({ feedback: "by all means" });
    expect(await run.output()).toMatchObject({
      raw: expect.stringContaining("by all means"),
      agentRole: "Helper",
      usage: { requests: 3 },
    });
    expect(await run.status()).toMatchObject({
      kind: "agent",
      name: "helper",
      status: "completed",
    });
    const calls = keysCalled(id);
    expect(calls.filter((key) => key.endsWith("/llm"))).toEqual([
      "turn:1/llm",
      "turn:2/llm",
      "turn:3/llm",
    ]);
    const { items } = await client.runs.list({ kind: "agent" });
    expect(items.map((item) => item.id)).toContain(id);
  });

  it("is asked by the Worker's own code", async () => {
    const id = newId("agent");
    const options = { id, messages: "Please", inputs: { topic: "tea" } };
    const run = await app.runs(env).kickoffAgent("helper", options);
    await until("it waits", async () => (await run.status()).status === "waiting");
    await run.cancel();
    await expect(app.runs(env).kickoffAgent("nobody", { messages: "x" })).rejects.toMatchObject({
      code: "not_found",
      message: 'there is no agent "nobody"',
    });
    await expect(app.runs(env).kickoffAgent("helper", { messages: "" })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
