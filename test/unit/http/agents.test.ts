import { describe, expect, it } from "vitest";
import { askingScript, HttpWorld, textOf } from "../../support/http-app.ts";

describe("agents over HTTP", () => {
  it("lists them by name, page by page", async () => {
    const world = new HttpWorld();
    const first = await world.ask("/agents?limit=1");
    expect(first.json).toMatchObject({
      items: [
        {
          name: "researcher",
          role: "Researcher",
          goal: "Find facts about {topic}",
          backstory: "You dig deep.",
          tools: ["ask"],
          plans: false,
          inputs: ["topic"],
        },
      ],
    });
    const second = await world.ask(`/agents?limit=1&cursor=${textOf(first.json["nextCursor"])}`);
    expect(second.json).toEqual({
      items: [expect.objectContaining({ name: "writer", inputs: [] })],
    });
  });

  it("shows an agent, and is 404 for an unknown one", async () => {
    const world = new HttpWorld();
    expect((await world.ask("/agents/writer")).json).toMatchObject({ name: "writer" });
    for (const path of ["/agents/nobody", "/agents/toString"])
      expect((await world.ask(path)).json).toMatchObject({ status: 404, code: "not_found" });
    const { status, json } = await world.ask("/agents/nobody/kickoff", {
      json: { messages: "hi" },
    });
    expect([status, json["detail"]]).toEqual([404, 'there is no agent "nobody"']);
  });

  it("asks one, once for each id", async () => {
    const world = new HttpWorld();
    const json = {
      messages: "Write {thing}",
      inputs: { thing: "verse" },
      id: "a-1",
      meta: { n: 1 },
    };
    const started = await world.ask("/agents/writer/kickoff", { json });
    expect(started.status).toBe(202);
    expect(started.headers.get("location")).toBe("/runs/a-1");
    await world.clock.settle();
    await world.ask("/agents/writer/kickoff", { json });
    await world.clock.settle();
    expect((await world.ask("/runs/a-1")).json).toMatchObject({
      kind: "agent",
      name: "writer",
      status: "completed",
      inputs: { messages: "Write {thing}", inputs: { thing: "verse" } },
      meta: { n: 1 },
      output: { raw: "A fine answer", agentRole: "Writer", replanCount: 0 },
    });
    expect(world.model.calls).toHaveLength(1);
    expect(world.model.calls[0]?.request.messages.at(-1)?.content).toBe("Write verse");
    const listed = await world.ask("/runs?kind=agent&name=writer");
    expect(listed.json["items"]?.[0]).toMatchObject({ id: "a-1", kind: "agent" });
  });

  it("takes images beside text", async () => {
    const world = new HttpWorld();
    const image = { type: "image", url: "https://example.com/a.png" };
    const content = [{ type: "text", text: "What is it?" }, image];
    const json = { messages: [{ role: "user", content }], id: "a-1" };
    expect((await world.ask("/agents/writer/kickoff", { json })).status).toBe(202);
    await world.clock.settle();
    expect(world.model.calls[0]?.messages.at(-1)?.content).toEqual(content);
  });

  it("waits for the answer, answers as events, and stands under an Idempotency-Key", async () => {
    const world = new HttpWorld();
    const asking = world.ask("/agents/writer/kickoff", {
      json: { messages: [{ role: "user", content: "hi" }] },
      headers: { prefer: "wait=5", "idempotency-key": "key one" },
    });
    await world.clock.settle();
    const { status, json } = await asking;
    expect([status, json["status"]]).toEqual([200, "completed"]);
    const repeated = (messages: unknown) =>
      world.ask("/agents/writer/kickoff", {
        json: { messages },
        headers: { "idempotency-key": "key one" },
      });
    expect((await repeated([{ role: "user", content: "hi" }])).json["id"]).toBe(json["id"]);
    expect((await repeated("something else")).status).toBe(409);
    const streamed = await world.request("/agents/writer/kickoff", {
      json: { messages: "hi" },
      headers: { accept: "text/event-stream" },
    });
    const text = streamed.text();
    await world.clock.settle();
    expect(await text).toContain("event: lite_agent_execution_completed");
  });

  it("can be answered and forked like any run", async () => {
    const world = new HttpWorld({ script: askingScript("Which?") });
    const { json } = await world.ask("/agents/researcher/kickoff", {
      json: { messages: "go", inputs: { topic: "tea" } },
    });
    await world.clock.settle();
    const id = textOf(json["id"]);
    await world.ask(`/runs/${id}/resume`, { json: { feedback: "green" } });
    await world.clock.settle();
    expect((await world.ask(`/runs/${id}`)).json["output"]).toMatchObject({
      raw: expect.stringContaining("green"),
    });
    const forked = await world.ask(`/runs/${id}/fork`, {
      json: { fromStep: "turn:2/llm", id: "f" },
    });
    expect(forked.status).toBe(202);
    await world.clock.settle();
    expect((await world.ask("/runs/f")).json).toMatchObject({ status: "completed", kind: "agent" });
  });

  it.each([
    [{}, "/messages"],
    [{ messages: "" }, "/messages"],
    [{ messages: [] }, "/messages"],
    [{ messages: [{ role: "assistant", content: "x" }] }, "/messages/0/role"],
    [
      { messages: [{ role: "user", content: [{ type: "sound", url: "x" }] }] },
      "/messages/0/content/0/type",
    ],
    [{ messages: [{ role: "user", content: [{ type: "image" }] }] }, "/messages/0/content/0"],
    [{ messages: "hi" }, "/inputs/topic"],
    [{ messages: "hi", inputs: { topic: 1 }, prompt: "x" }, "/prompt"],
  ])("is 400 for %j", async (json, path) => {
    const answer = await new HttpWorld().ask("/agents/researcher/kickoff", { json });
    expect(answer.status).toBe(400);
    expect(answer.json["errors"]?.[0]).toMatchObject({ path });
  });

  it("needs a key with the right scope", async () => {
    const world = new HttpWorld({ auth: { mode: "keys", adminKey: "root" } });
    expect((await world.ask("/agents")).status).toBe(401);
    const { json } = await world.ask("/keys", {
      key: "root",
      json: { tenant: "acme", scopes: ["read"] },
    });
    const key = textOf(json["key"]);
    expect((await world.ask("/agents", { key })).status).toBe(200);
    expect(
      (await world.ask("/agents/writer/kickoff", { key, json: { messages: "hi" } })).status,
    ).toBe(403);
  });
});
