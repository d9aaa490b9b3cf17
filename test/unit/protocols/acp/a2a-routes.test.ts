// `/api/a2a`: cards, tasks by agent or skill, agents elsewhere.
import { describe, expect, it } from "vitest";
import { textOf } from "../../../support/http-app.ts";
import { AcpWorld, type AcpWorldOptions } from "../../../support/acp-world.ts";

const TASKS = "/api/a2a/tasks";
const SEND = `${TASKS}/send`;
const AGENTS = "/api/a2a/agents";
const MISSING = { error: "Missing required fields: agent, message" };

/** A Worker with an agent elsewhere that answers as the test says. */
async function remoteWorld(
  answer: (request: Request) => Response | Promise<Response>,
  options: AcpWorldOptions = {},
): Promise<{ world: AcpWorld; requests: Request[] }> {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push(request.clone());
    return answer(request);
  };
  const world = new AcpWorld({ ...options, acp: { fetch, ...options.acp } });
  const card = { name: "lies", skills: [{ id: "x" }, { id: 7 }, "odd"] };
  const { status } = await world.post(`${AGENTS}/register`, {
    name: "far",
    url: "https://far.example.com",
    card,
  });
  expect(status).toBe(200);
  return { world, requests };
}

const DONE = {
  id: "1",
  status: { status: "completed" },
  result: "far away",
  artifacts: [{ name: "a", parts: [{ type: "text", text: "far away" }] }],
};

describe("cards", () => {
  it("lists subjects exposed by name to all callers, and no subjects with all", async () => {
    const named = new AcpWorld({
      auth: { mode: "keys", adminKey: "secret" },
      acp: {
        expose: { "agent/writer": {} },
        name: "Ours",
        version: "2.1.0",
        description: "We write",
      },
    });
    const { status, json } = await named.ask("/api/a2a/.well-known/agent.json");
    expect([status, json]).toEqual([
      200,
      {
        name: "Ours",
        description: "We write",
        url: "http://localhost/api/a2a",
        version: "2.1.0",
        skills: [
          {
            id: "writer",
            name: "Writer",
            description: "Write",
            inputModes: ["text"],
            outputModes: ["text"],
          },
        ],
        authentication: { schemes: ["bearer", "basic", "apiKey"] },
        capabilities: { streaming: false, pushNotifications: false },
      },
    ]);
    const all = await new AcpWorld().ask("/api/a2a/.well-known/agent.json");
    expect(all.json["skills"]).toEqual([]);
  });

  it("lists agents here and elsewhere, and those of a skill", async () => {
    const { world } = await remoteWorld(() => Response.json(DONE));
    const { json } = await world.ask(AGENTS);
    expect(json["agents"]).toContainEqual(expect.objectContaining({ name: "agent/writer" }));
    expect(json["remoteAgents"]).toEqual([
      {
        name: "far",
        url: "https://far.example.com",
        lastHeartbeat: world.clock.now(),
        card: {
          name: "far",
          description: "",
          url: "https://far.example.com",
          version: "1.0.0",
          skills: [
            { id: "x", name: "x", description: "", inputModes: ["text"], outputModes: ["text"] },
          ],
          capabilities: { streaming: false, pushNotifications: false },
        },
      },
    ]);
    const bySkill = await world.ask(`${AGENTS}/by-skill/writer`);
    expect(bySkill.json).toEqual({ skill: "writer", agents: ["agent/writer"] });
    expect((await world.ask(`${AGENTS}/by-skill/a%2Fb`)).json).toEqual({
      skill: "a/b",
      agents: [],
    });
  });
});

describe("POST /tasks/send", () => {
  it.each([
    ["nothing", {}, MISSING],
    ["no message", { agent: "agent/writer" }, MISSING],
    ["an empty message", { agent: "agent/writer", message: "" }, MISSING],
    ["no agent", { message: "x" }, MISSING],
    ["an empty agent", { agent: "", message: "x" }, MISSING],
    [
      "an agent other than a text",
      { agent: ["a"], message: "x" },
      { error: 'agent must be a string, got ["a"]' },
    ],
    [
      "a skill other than a text",
      { skill: 7, message: "x" },
      { error: "skill must be a string, got 7" },
    ],
    [
      "an agent and a skill",
      { agent: "agent/writer", skill: "x", message: "x" },
      { error: "name an agent or a skill, got both" },
    ],
    [
      "a message of spaces",
      { agent: "agent/writer", message: " " },
      { error: "message must hold a text that is not empty" },
    ],
    [
      "a message without text",
      { agent: "agent/writer", message: { parts: [] } },
      { error: "message.parts must hold a text that is not empty" },
    ],
  ])("refuses %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(SEND, json);
    expect([status, body]).toEqual([400, error]);
  });

  it("answers 404 for an unknown agent and an unknown skill", async () => {
    const agent = await new AcpWorld().post(SEND, { agent: "agent/nobody", message: "x" });
    expect([agent.status, agent.json]).toEqual([404, { error: "Agent not found: agent/nobody" }]);
    const skill = await new AcpWorld().post(SEND, { skill: "juggling", message: "x" });
    expect([skill.status, skill.json]).toEqual([
      404,
      { error: 'no agent has the skill "juggling"' },
    ]);
  });

  it.each([
    ["a text", "Write it", "Write it"],
    [
      "parts",
      {
        parts: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      "one\\ntwo",
    ],
    ["any JSON", { what: "ever" }, '{\\\\\\"what\\\\\\":'],
  ])("takes %s", async (_, message, asked) => {
    const world = new AcpWorld();
    const { status, json } = await world.post(SEND, { agent: "agent/writer", message });
    expect([status, json]).toEqual([
      200,
      {
        id: expect.stringMatching(/^task_\d+_[0-9a-z]{5}$/) as string,
        status: { status: "completed", timestamp: expect.any(Number) as number },
        result: "A fine answer",
        artifacts: [{ name: "writer", parts: [{ type: "text", text: "A fine answer" }] }],
        routedTo: "agent/writer",
      },
    ]);
    expect(JSON.stringify(JSON.stringify(world.model.calls))).toContain(
      asked.replaceAll("\\n", "\\\\n"),
    );
  });

  it("is asked before a task starts", async () => {
    const routes: string[] = [];
    const world = new AcpWorld({ acp: { admit: ({ route }) => void routes.push(route) } });
    await world.post(SEND, { message: "x" });
    await world.post(SEND, { agent: "agent/writer", message: "x" });
    expect(routes).toEqual([SEND]);
  });
});

describe("GET /tasks/:id", () => {
  it("shows the task with its history", async () => {
    const world = new AcpWorld();
    const { json } = await world.post(SEND, { skill: "writer", message: "x" });
    expect(json["routedTo"]).toBe("agent/writer");
    const { json: shown } = await world.ask(`${TASKS}/${textOf(json["id"])}`);
    expect(Object.keys(shown)).toEqual(["id", "status", "result", "artifacts", "history"]);
    expect(shown["result"]).toBe("A fine answer");
    const { status, json: unknown } = await world.ask(`${TASKS}/unknown`);
    expect([status, unknown]).toEqual([404, { error: "Task not found" }]);
  });
});

describe("POST /tasks/:id/cancel", () => {
  it("ACK3: cancels a working task, and refuses an ended one", async () => {
    const world = new AcpWorld({
      script: () => ({ text: "late", delayMs: 5_000 }),
      acp: { waitMs: 1_000 },
    });
    const asked = world.ask(SEND, { json: { agent: "agent/writer", message: "x" } });
    await world.clock.advance(1_000);
    const id = textOf((await world.settle(asked)).json["id"]);
    const { status, json } = await world.post(`${TASKS}/${id}/cancel`);
    expect([status, json]).toEqual([200, { cancelled: true, id }]);
    await world.clock.advance(10_000);
    const { json: shown } = await world.ask(`${TASKS}/${id}`);
    expect(shown).toMatchObject({ status: { status: "canceled" }, artifacts: [] });
    expect((await world.post(`${TASKS}/${id}/cancel`)).status).toBe(200);
    expect((await world.ask(`${TASKS}/${id}`)).json["history"]).toEqual(shown["history"]);
    const { items } = await world.runs.list({ tenant: "default", limit: 2 });
    expect(items.map((run) => run.status)).toEqual(["cancelled"]);

    const ended = new AcpWorld();
    const done = await ended.post(SEND, { agent: "agent/writer", message: "x" });
    for (const other of [textOf(done.json["id"]), "unknown"]) {
      const late = await ended.post(`${TASKS}/${other}/cancel`);
      expect([late.status, late.json]).toEqual([
        404,
        { error: "Task not found or already completed" },
      ]);
    }
  });

  it("ACK3: shows a task as canceled when its run is cancelled elsewhere", async () => {
    const world = new AcpWorld({
      script: () => ({ text: "late", delayMs: 5_000 }),
      acp: { waitMs: 1_000 },
    });
    const asked = world.ask(SEND, { json: { agent: "agent/writer", message: "x" } });
    await world.clock.advance(1_000);
    const id = textOf((await world.settle(asked)).json["id"]);
    const { items } = await world.runs.list({ tenant: "default", limit: 2 });
    await world.runs.cancel("default", items[0]?.id ?? "");
    expect((await world.ask(`${TASKS}/${id}`)).json["status"]).toMatchObject({
      status: "canceled",
    });
  });
});

describe("agents elsewhere", () => {
  const card = { skills: [] };

  it.each([
    ["nothing", {}, "name (string of at most 128 characters) is required"],
    [
      "a name other than a text",
      { name: 7 },
      "name (string of at most 128 characters) is required",
    ],
    [
      "a name with other characters",
      { name: "a\nb" },
      "name (string of at most 128 characters) is required",
    ],
    ["no url", { name: "a" }, "url (string) is required"],
    ["no card", { name: "a", url: "https://a.example.com" }, "card.skills (array) is required"],
    [
      "a card without skills",
      { name: "a", url: "https://a.example.com", card: {} },
      "card.skills (array) is required",
    ],
    [
      "skills other than a list",
      { name: "a", url: "https://a.example.com", card: { skills: {} } },
      "card.skills (array) is required",
    ],
    [
      "an invalid url",
      { name: "a", url: "far", card },
      'url must be an http or https URL, got "far"',
    ],
    [
      "another scheme",
      { name: "a", url: "file:///etc/passwd", card },
      'url must be an http or https URL, got "file:///etc/passwd"',
    ],
    [
      "a private address",
      { name: "a", url: "http://169.254.169.254/", card },
      expect.stringContaining("private network") as string,
    ],
  ])("are not registered of %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(`${AGENTS}/register`, json);
    expect([status, body]).toEqual([400, { error }]);
  });

  it("are not registered with credentials in their url, which are not repeated", async () => {
    const json = { name: "a", url: "https://me:secret@a.example.com", card };
    const answer = await new AcpWorld().post(`${AGENTS}/register`, json);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain("secret");
  });

  it("do not take the name of an agent of this Worker", async () => {
    const json = { name: "agent/writer", url: "https://a.example.com", card };
    expect((await new AcpWorld().post(`${AGENTS}/register`, json)).status).toBe(409);
  });

  it("send heartbeats, and are unregistered", async () => {
    const { world } = await remoteWorld(() => Response.json(DONE));
    await world.clock.advance(90_000);
    const beat = await world.post(`${AGENTS}/far/heartbeat`);
    expect([beat.status, beat.json]).toEqual([200, { status: "ok", agent: "far" }]);
    expect((await world.ask(AGENTS)).json["remoteAgents"]?.[0]?.["lastHeartbeat"]).toBe(
      world.clock.now(),
    );
    expect((await world.ask(`${AGENTS}/far`, { method: "DELETE" })).status).toBe(200);
    for (const gone of [
      await world.post(`${AGENTS}/far/heartbeat`),
      await world.ask(`${AGENTS}/far`, { method: "DELETE" }),
    ])
      expect([gone.status, gone.json]).toEqual([404, { error: "agent not registered" }]);
  });

  it("get tasks by their skill, as runs with their artifacts", async () => {
    const { world, requests } = await remoteWorld(() => Response.json(DONE), {
      acp: { remoteKeys: { far: "FAR_KEY" } },
      runServices: () => ({ variables: { FAR_KEY: "their key" } }),
    });
    const { status, json } = await world.post(SEND, { skill: "x", message: '{"do":"it"}' });
    expect([status, json]).toMatchObject([
      200,
      { result: "far away", artifacts: DONE.artifacts, routedTo: "far" },
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url).toBe("https://far.example.com/api/a2a/tasks/send");
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer their key");
    expect(await requests[0]?.json()).toEqual({ agent: "far", message: '{"do":"it"}' });
    const { items } = await world.runs.list({ tenant: "default", limit: 2 });
    expect(items).toMatchObject([{ kind: "remote-agent", name: "far", status: "completed" }]);
    expect((await world.ask(`${TASKS}/${textOf(json["id"])}`)).json["result"]).toBe("far away");
  });

  it("make a failed task when they fail", async () => {
    const { world, requests } = await remoteWorld(() =>
      Response.json({ error: "busy" }, { status: 503 }),
    );
    const { status, json } = await world.post(SEND, { agent: "far", message: "x" });
    expect([status, json]).toMatchObject([
      200,
      { status: { status: "failed", message: "the remote agent answered 503: busy" } },
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.has("authorization")).toBe(false);
  });

  it("are aborted by a cancel when they hang", async () => {
    const { world, requests } = await remoteWorld(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
      { acp: { waitMs: 1_000 } },
    );
    const asked = world.ask(SEND, { json: { agent: "far", message: "x" } });
    await world.clock.advance(1_000);
    const { json } = await world.settle(asked);
    expect(json["status"]).toMatchObject({ status: "working" });
    await world.post(`${TASKS}/${textOf(json["id"])}/cancel`);
    await world.clock.settle();
    expect((await world.ask(`${TASKS}/${textOf(json["id"])}`)).json["status"]).toMatchObject({
      status: "canceled",
    });
    expect(requests).toHaveLength(1);
  });
});
