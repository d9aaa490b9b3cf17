// `/api/acp/send`, `/request` and `/tasks`: tasks that are runs.
import { describe, expect, it } from "vitest";
import { askingScript, textOf } from "../../../support/http-app.ts";
import { AcpWorld, sending, userSays } from "../../../support/acp-world.ts";

const SEND = "/api/acp/send";
const REQUEST = "/api/acp/request";

/** A model that does not answer until the clock moves. */
const HOLD_MS = 10_000;
const held = () => ({ text: "A fine answer", delayMs: HOLD_MS });

function task(id: string): string {
  return `/api/acp/tasks/${id}`;
}

/** Sends a task that works until the clock moves. */
async function started(world: AcpWorld, more: object = {}): Promise<string> {
  const { json } = await world.post(SEND, sending("Write it", { fireAndForget: true, ...more }));
  return textOf(json["taskId"]);
}

describe("POST /send", () => {
  it.each([
    ["nothing", {}, "agentId (string) is required"],
    ["an agentId other than a text", { agentId: 1 }, "agentId (string) is required"],
    ["an empty agentId", { agentId: "", message: userSays("x") }, "agentId (string) is required"],
    ["no message", { agentId: "agent/nobody" }, "message with role and parts[] is required"],
    [
      "a message without a role",
      { agentId: "agent/nobody", message: { parts: [] } },
      "message with role and parts[] is required",
    ],
    [
      "a message without parts",
      { agentId: "agent/nobody", message: { role: "user", parts: {} } },
      "message with role and parts[] is required",
    ],
    [
      "a text as the message",
      { agentId: "agent/nobody", message: "hello" },
      "message with role and parts[] is required",
    ],
    [
      "a list as the message",
      { agentId: "agent/nobody", message: [] },
      "message with role and parts[] is required",
    ],
    [
      "another role",
      sending("x", { message: { role: "system", parts: [{ type: "text", text: "x" }] } }),
      'message.role must be "user" or "agent", got "system"',
    ],
    [
      "no parts",
      sending("x", { message: { role: "user", parts: [] } }),
      "message.parts must hold a text that is not empty",
    ],
    ["empty texts", sending("  \n"), "message.parts must hold a text that is not empty"],
    [
      "a file",
      sending("x", {
        message: {
          role: "user",
          parts: [
            { type: "text", text: "x" },
            { type: "file", file: {} },
          ],
        },
      }),
      'message.parts[1] must be { type: "text", text }, got {"type":"file","file":{}}',
    ],
    [
      "a number as the text",
      sending("x", { message: { role: "user", parts: [{ type: "text", text: 7 }] } }),
      'message.parts[0] must be { type: "text", text }, got {"type":"text","text":7}',
    ],
    [
      "metadata other than a text",
      sending("x", { metadata: { a: { b: 1 } } }),
      'metadata must be an object of strings, got {"a":{"b":1}}',
    ],
    [
      "a list as metadata of a message",
      sending("x", { message: { ...userSays("x"), metadata: [] } }),
      "message.metadata must be an object of strings, got []",
    ],
    [
      "a session other than a text",
      sending("x", { sessionId: 7 }),
      "sessionId must be a string, got 7",
    ],
  ])("refuses %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(SEND, json);
    expect([status, body]).toEqual([400, { error }]);
  });

  it.each([
    ["another agent", { agentId: "agent/nobody" }, "Agent not found: agent/nobody"],
    ["an invalid kind", { agentId: "robot/writer" }, "Agent not found: robot/writer"],
    [
      "a key of every object",
      { agentId: "agent/constructor" },
      "Agent not found: agent/constructor",
    ],
    [
      "another agent, before its session",
      { agentId: "agent/nobody", sessionId: "session_1", resumeSessionId: "x" },
      "Agent not found: agent/nobody",
    ],
    ["a name without a kind", { agentId: "writer" }, "Agent not found: writer"],
    ["an unknown session", { sessionId: "session_1" }, "Session not found: session_1"],
    [
      "an unknown session to resume",
      { resumeSessionId: "session_1" },
      "Session not found: session_1",
    ],
  ])("answers 404 for %s", async (_, more, error) => {
    const { status, json } = await new AcpWorld().post(SEND, sending("x", more));
    expect([status, json]).toEqual([404, { error }]);
  });

  it("finds only exposed subjects", async () => {
    const world = new AcpWorld({ acp: { expose: { "agent/writer": {} } } });
    expect((await world.post(SEND, sending("x"))).status).toBe(200);
    const { status, json } = await world.post(SEND, sending("x", { agentId: "crew/greeting" }));
    expect([status, json]).toEqual([404, { error: "Agent not found: crew/greeting" }]);
  });

  it("answers with the finished task, which is a run", async () => {
    const world = new AcpWorld();
    const { status, json } = await world.post(
      SEND,
      sending("Write it", { metadata: { order: "7" } }),
    );
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^acp_\d+_[0-9a-z]{5}$/) as string,
      sessionId: json["id"],
      status: { status: "completed", timestamp: expect.any(Number) as number },
      result: "A fine answer",
      artifacts: [{ name: "writer", parts: [{ type: "text", text: "A fine answer" }] }],
      history: [
        { status: "submitted", timestamp: expect.any(Number) as number },
        { status: "working", timestamp: expect.any(Number) as number },
        { status: "completed", timestamp: expect.any(Number) as number },
      ],
    });
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    expect(items).toHaveLength(1);
    const run = await world.runs.get("default", items[0]?.id ?? "");
    expect(run.meta).toEqual({ acp: { task: json["id"], metadata: { order: "7" } } });
    const shown = await world.ask(task(textOf(json["id"])));
    expect(shown.json).toMatchObject({
      result: "A fine answer",
      metadata: { order: "7" },
      messages: [
        userSays("Write it"),
        { role: "agent", parts: [{ type: "text", text: "A fine answer" }] },
      ],
    });
    expect(shown.json).not.toHaveProperty("yieldPayload");
  });

  it("joins the texts of a message", async () => {
    const world = new AcpWorld();
    const message = { role: "user", parts: ["one", "two"].map((text) => ({ type: "text", text })) };
    await world.post(SEND, sending("", { message }));
    expect(JSON.stringify(world.model.calls)).toContain("one\\ntwo");
  });

  it.each<[string, string, string, object]>([
    ["a crew with one input", "crew/briefing", "edge computing", { topic: "edge computing" }],
    [
      "a crew with one input, as JSON",
      "crew/briefing",
      '{"topic":"tea","more":1}',
      { topic: "tea", more: 1 },
    ],
    ["a crew with one text about JSON", "crew/briefing", '{"a":1}', { topic: '{"a":1}' }],
    ["a crew without inputs", "crew/greeting", "hello", { message: "hello" }],
    ["a flow", "flow/review", '{"topic":"tea"}', { topic: "tea" }],
    [
      "an agent with inputs",
      "agent/researcher",
      '{"messages":"Go","topic":"tea"}',
      { messages: "Go", inputs: { topic: "tea" } },
    ],
  ])("AI1, AI2: starts %s with its message", async (...[, agentId, text, inputs]) => {
    const world = new AcpWorld();
    await world.post(SEND, sending(text, { agentId, fireAndForget: true }));
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    const run = await world.runs.get("default", items.at(-1)?.id ?? "");
    expect(run.inputs).toEqual(inputs);
  });

  it.each([
    ["an agent with inputs", "agent/researcher", "Go", "topic"],
    ["a flow, by its state", "flow/review", "tea", "topic"],
    ["JSON without a needed input", "agent/researcher", '{"messages":"Go"}', "topic"],
    ["JSON without a question", "agent/researcher", '{"messages":7,"topic":"tea"}', "messages"],
  ])("AI2: names the inputs for %s", async (...[, agentId, text, name]) => {
    const { status, json } = await new AcpWorld().post(SEND, sending(text, { agentId }));
    expect(status).toBe(400);
    expect(json["error"]).toContain(name);
  });

  it("AI3: puts context into the input for it", async () => {
    const { Agent } = await import("../../../../src/agent/description/agent.ts");
    const { Crew } = await import("../../../../src/crew/crew.ts");
    const { Task } = await import("../../../../src/crew/tasks/task.ts");
    const agent = new Agent({ role: "R", goal: "G", backstory: "B" });
    const informed = new Crew({
      name: "informed",
      tasks: [
        new Task({ name: "t", description: "{topic} with {context}", expectedOutput: "x", agent }),
      ],
    });
    const world = new AcpWorld({ crews: { informed } });
    await world.post("/api/acp/context", { type: "note", content: "good to know" });
    await world.post(SEND, sending("tea", { agentId: "crew/informed" }));
    await world.post(SEND, sending('{"topic":"tea"}', { agentId: "crew/informed" }));
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    const inputs = await Promise.all(
      items.map(async ({ id }) => (await world.runs.get("default", id)).inputs),
    );
    expect(inputs.toReversed()).toEqual([
      { topic: "tea", context: expect.stringContaining("good to know") as string },
      { topic: "tea", context: "" },
    ]);
  });

  it("answers at once with fireAndForget", async () => {
    const world = new AcpWorld({ script: held });
    const { status, json } = await world.post(SEND, sending("Write it", { fireAndForget: true }));
    expect([status, json]).toEqual([
      202,
      { taskId: json["taskId"], queued: false, fireAndForget: true },
    ]);
    expect((await world.ask(task(textOf(json["taskId"])))).json["status"]).toMatchObject({
      status: "working",
    });
    await world.clock.advance(HOLD_MS);
    expect((await world.ask(task(textOf(json["taskId"])))).json["result"]).toBe("A fine answer");
  });

  it("answers with the working task when its time is over", async () => {
    const world = new AcpWorld({ script: held, acp: { waitMs: 500 } });
    const asked = world.ask(SEND, { json: sending("Write it") });
    await world.clock.advance(500);
    const { status, json } = await world.settle(asked);
    expect([status, json]).toMatchObject([
      200,
      { status: { status: "working" }, result: "", artifacts: [] },
    ]);
  });

  it("returns the reason of a failed task", async () => {
    const world = new AcpWorld({
      script: () => {
        throw new Error("the model is gone");
      },
    });
    const asked = world.ask(SEND, { json: sending("Write it") });
    await world.clock.advance(60_000);
    const { status, json } = await world.settle(asked);
    expect(status).toBe(200);
    expect(json["status"]).toMatchObject({ status: "failed" });
    expect(json["result"]).toContain("the model is gone");
  });

  it("ACK4: is the same task again under the same Idempotency-Key, and a conflict for another message", async () => {
    const world = new AcpWorld();
    const headers = { "idempotency-key": "order 7" };
    const first = await world.post(SEND, sending("Write it"), { headers });
    const again = await world.post(SEND, sending("Write it"), { headers });
    expect(again.json).toEqual(first.json);
    expect(world.model.calls).toHaveLength(1);
    const other = await world.post(SEND, sending("Write more"), { headers });
    expect([other.status, other.json["error"]]).toEqual([
      409,
      `Task ${textOf(first.json["id"])} exists with another message`,
    ]);
  });

  it("ACK4: is another task for another key or session with the same Idempotency-Key", async () => {
    const world = new AcpWorld({ auth: { mode: "keys", adminKey: "the-admin-key" } });
    const key = await world.newKey(["run", "read"]);
    const session = await world.post("/api/acp/sessions", { name: "ann" }, { key });
    const headers = { "idempotency-key": "1" };
    const ids = new Set<unknown>();
    for (const [text, more, by] of [
      ["Write of tea", {}, key],
      ["Write of milk", {}, "the-admin-key"],
      ["Write of rum", { sessionId: session.json["id"] }, key],
    ] as const) {
      const { status, json } = await world.post(SEND, sending(text, more), { headers, key: by });
      expect(status).toBe(200);
      ids.add(json["id"]);
    }
    expect(ids.size).toBe(3);
  });

  it.each([
    ["a text", sending("x".repeat(65_537)), "message.parts may hold at most 65536 bytes of text"],
    [
      "texts together",
      sending("", {
        message: {
          role: "user",
          parts: Array.from({ length: 3 }, () => ({ type: "text", text: "é".repeat(12_000) })),
        },
      }),
      "message.parts may hold at most 65536 bytes of text",
    ],
    [
      "parts",
      sending("", {
        message: {
          role: "user",
          parts: Array.from({ length: 65 }, () => ({ type: "text", text: "x" })),
        },
      }),
      "message.parts may have at most 64 entries, got 65",
    ],
    [
      "metadata",
      sending("x", { metadata: { a: "x".repeat(16_384) } }),
      "metadata may have at most 16384 bytes",
    ],
  ])("bounds %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(SEND, json);
    expect([status, body]).toEqual([413, { error }]);
  });

  it("accepts Code Buddy's requests, with compat", async () => {
    const world = new AcpWorld({ acp: { compat: "code-buddy" } });
    const message = {
      role: "system",
      parts: [{ type: "file" }, { type: "text", text: "Go" }],
      metadata: [1],
    };
    const { status, json } = await world.post(
      SEND,
      sending("", { message, metadata: 7, sessionId: 7 }),
    );
    expect([status, json["result"]]).toEqual([200, "A fine answer"]);
  });
});

describe("POST /request", () => {
  const request = (taskId: unknown, text = "Write it") => ({ ...sending(text), taskId });

  it.each([
    ["nothing", {}, "agentId (string) is required"],
    ["no task id, before the message", { agentId: "agent/writer" }, "taskId (string) is required"],
    ["a task id other than a text", { ...request(7), message: 1 }, "taskId (string) is required"],
    [
      "no message",
      { agentId: "agent/nobody", taskId: "t" },
      "message with role and parts[] is required",
    ],
    [
      "an id with other letters",
      request("a/b"),
      'taskId must be 1 to 128 letters, digits or any of _ . : -, got "a/b"',
    ],
    [
      "an overlong id",
      request("a".repeat(129)),
      expect.stringContaining("taskId must be 1 to 128") as string,
    ],
  ])("refuses %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(REQUEST, json);
    expect([status, body]).toEqual([400, { error }]);
  });

  it("answers 404 for an unknown agent", async () => {
    const { status } = await new AcpWorld().post(REQUEST, {
      ...request("t"),
      agentId: "agent/nobody",
    });
    expect(status).toBe(404);
  });

  it("ACK4: is the same task for the same message, and a conflict for another", async () => {
    const world = new AcpWorld();
    const first = await world.post(REQUEST, request("order:7.a"));
    expect([first.status, first.json["id"], first.json["result"]]).toEqual([
      200,
      "order:7.a",
      "A fine answer",
    ]);
    expect((await world.post(REQUEST, request("order:7.a"))).json).toEqual(first.json);
    const other = await world.post(REQUEST, request("order:7.a", "Write more"));
    expect([other.status, other.json]).toEqual([
      409,
      { error: "Task order:7.a exists with another message" },
    ]);
    expect(world.model.calls).toHaveLength(1);
  });

  it("ACK4: starts one run for two requests at once", async () => {
    const world = new AcpWorld();
    const [one, two] = await Promise.all([
      world.post(REQUEST, request("t")),
      world.post(REQUEST, request("t")),
    ]);
    expect(one?.json["status"]).toEqual(two?.json["status"]);
    expect((await world.runs.list({ tenant: "default", limit: 9 })).items).toHaveLength(1);
  });
});

describe("GET /agents", () => {
  it("lists exposed subjects, with cards", async () => {
    const skill = {
      id: "s",
      name: "S",
      description: "d",
      tags: ["t"],
    };
    const world = new AcpWorld({
      acp: {
        expose: {
          "crew/briefing": { description: "Writes briefings", skills: [skill] },
          "agent/writer": true,
        },
      },
    });
    const { json } = await world.ask("/api/acp/agents");
    expect(json["agents"]).toMatchObject([
      {
        id: "crew/briefing",
        card: {
          name: "crew/briefing",
          description: "Writes briefings",
          skills: [
            { id: "s", name: "S", description: "d", inputModes: ["text"], outputModes: ["text"] },
          ],
        },
      },
      {
        id: "agent/writer",
        card: { description: "Write", skills: [{ id: "writer" }] },
      },
    ]);
    expect(json["agents"]?.[0]?.["card"]?.["url"]).toBe("http://localhost/api/a2a");
  });

  it("lists the tenant's stored crews with everything", async () => {
    const world = new AcpWorld();
    const definition = {
      agents: { a: { role: "R", goal: "G", backstory: "B" } },
      tasks: [{ name: "t", description: "D {topic}", expectedOutput: "E", agent: "a" }],
    };
    await world.ask("/crews/stored", { method: "PUT", json: definition });
    const { json } = await world.ask("/api/acp/agents");
    const ids = (json["agents"] as unknown as Array<{ id: string }>).map(({ id }) => id);
    expect(ids).toEqual([
      "crew/briefing",
      "crew/greeting",
      "agent/researcher",
      "agent/writer",
      "flow/review",
      "crew/stored",
    ]);
    const { status, json: sent } = await world.post(
      SEND,
      sending("tea", { agentId: "crew/stored" }),
    );
    expect([status, sent["result"]]).toEqual([200, "A fine answer"]);
  });
});

describe("POST /tasks/:id/yield", () => {
  it("checks the reason, then the task, then its status", async () => {
    const world = new AcpWorld();
    const yielding = (id: string, json: unknown) => world.post(`${task(id)}/yield`, json);
    for (const json of [{}, { reason: "" }, { reason: 7 }, { reason: ["x"] }]) {
      const { status, json: body } = await yielding("unknown", json);
      expect([status, body]).toEqual([400, { error: "reason (string) is required" }]);
    }
    const unknown = await yielding("unknown", { reason: "x" });
    expect([unknown.status, unknown.json]).toEqual([404, { error: "Task not found" }]);
    const { json } = await world.post(SEND, sending("x"));
    const ended = await yielding(textOf(json["id"]), { reason: "x" });
    expect([ended.status, ended.json]).toEqual([
      409,
      { error: "Task cannot be yielded: it is not working" },
    ]);
    const large = await yielding("unknown", { reason: "x", state: "x".repeat(70_000) });
    expect(large.status).toBe(413);
  });

  it("pauses the run, and keeps the task input-required when the run ends all the same", async () => {
    const world = new AcpWorld({ script: held });
    const id = await started(world);
    const { status, json } = await world.post(`${task(id)}/yield`, {
      reason: "need key",
      state: { step: 2 },
      resumeHint: "send it",
    });
    const timestamp = expect.any(Number) as number;
    expect([status, json]).toEqual([
      200,
      {
        id,
        status: { status: "input-required", message: "Yielded: need key", timestamp },
        yieldPayload: { reason: "need key", state: { step: 2 }, resumeHint: "send it", timestamp },
      },
    ]);
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    expect((await world.runs.get("default", items[0]?.id ?? "")).paused).toBe(true);
    await world.clock.advance(HOLD_MS);
    const shown = (await world.ask(task(id))).json;
    expect(shown["status"]).toMatchObject({ status: "input-required" });
    expect(shown["yieldPayload"]).toMatchObject({ reason: "need key" });
    const again = await world.post(`${task(id)}/yield`, { reason: "again" });
    expect(again.status).toBe(409);
  });
});

describe("POST /tasks/:id/resume", () => {
  it("refuses a task that was not yielded", async () => {
    const world = new AcpWorld({ script: held });
    expect((await world.post(`${task("unknown")}/resume`)).status).toBe(404);
    const id = await started(world);
    const working = await world.post(`${task(id)}/resume`);
    expect([working.status, working.json]).toEqual([
      409,
      { error: "Task is not yielded: its status is working" },
    ]);
    await world.clock.advance(HOLD_MS);
    expect((await world.post(`${task(id)}/resume`)).status).toBe(409);
    const badly = await world.post(`${task(id)}/resume`, { message: "go" });
    expect([badly.status, badly.json]).toEqual([
      400,
      { error: "message with role and parts[] is required" },
    ]);
  });

  it("answers 500 with compat, as Code Buddy does", async () => {
    const world = new AcpWorld({ acp: { compat: "code-buddy" } });
    const { json } = await world.post(SEND, sending("x"));
    expect((await world.post(`${task(textOf(json["id"]))}/resume`)).status).toBe(500);
  });

  it("continues the same run without additions", async () => {
    const world = new AcpWorld({ script: held });
    const id = await started(world);
    await world.post(`${task(id)}/yield`, { reason: "need key" });
    const asked = world.ask(`${task(id)}/resume`, { json: {} });
    await world.clock.advance(2 * HOLD_MS);
    const { status, json } = await world.settle(asked);
    expect([status, json["result"]]).toEqual([200, "A fine answer"]);
    expect(
      (json["history"] as unknown as Array<{ status: string }>).map((state) => state.status),
    ).toEqual(["submitted", "working", "input-required", "working", "completed"]);
    expect((await world.runs.list({ tenant: "default", limit: 9 })).items).toHaveLength(1);
    expect((await world.ask(task(id))).json).not.toHaveProperty("yieldPayload");
  });

  it("executes the task again with a message and a state", async () => {
    const world = new AcpWorld({ script: held });
    const id = await started(world);
    await world.post(`${task(id)}/yield`, { reason: "need key" });
    const asked = world.ask(`${task(id)}/resume`, {
      json: { message: userSays("the key is 42"), state: { a: 1 } },
    });
    await world.clock.advance(HOLD_MS);
    const { json } = await world.settle(asked);
    expect(json["result"]).toBe("A fine answer");
    const last = JSON.stringify(world.model.calls.at(-1)?.messages);
    expect(last).toMatch(/Write it.*the key is 42.*\{\\"a\\":1\}/s);
    const shown = (await world.ask(task(id))).json;
    expect(shown["metadata"]).toEqual({ __yield_state: '{"a":1}' });
    expect(shown["messages"]).toHaveLength(3);
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    expect(items.map(({ status }) => status).toSorted()).toEqual(["cancelled", "completed"]);
  });

  it("ACT1: answers a run waiting for a person", async () => {
    const world = new AcpWorld({ script: askingScript("Which colour?") });
    const agentId = "agent/researcher";
    const message = userSays('{"messages":"Go","topic":"tea"}');
    const { status, json } = await world.post(SEND, { agentId, message });
    expect([status, json["status"]]).toMatchObject([
      200,
      { status: "input-required", message: "Which colour?" },
    ]);
    const id = textOf(json["id"]);
    const { json: shown } = await world.ask(task(id));
    expect(shown["yieldPayload"]).toMatchObject({
      reason: "Which colour?",
      state: { kind: "human" },
      resumeHint: expect.stringContaining("message") as string,
    });
    const nothing = await world.post(`${task(id)}/resume`);
    expect(nothing.status).toBe(400);
    const wrong = await world.post(`${task(id)}/resume`, {
      state: { key: "another", feedback: "x" },
    });
    expect(wrong.status).toBe(409);
    const { json: done } = await world.post(`${task(id)}/resume`, { message: userSays("green") });
    expect(done["status"]).toMatchObject({ status: "completed" });
    expect(done["result"]).toContain("green");
  });

  it("ACK5: answers one question: by its key or an Idempotency-Key, and again without effect", async () => {
    const world = new AcpWorld({
      script: ({ messages }) => {
        const told = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
        if (told.length > 1) return `Final: ${told.join(" & ")}`;
        return { toolCalls: [{ name: "ask", arguments: { question: `No. ${told.length}?` } }] };
      },
    });
    const message = userSays('{"messages":"Go","topic":"tea"}');
    const { json } = await world.post(SEND, { agentId: "agent/researcher", message });
    const path = task(textOf(json["id"]));
    const keyOf = async () =>
      textOf((await world.ask(path)).json["yieldPayload"]?.["state"]?.["key"]);
    const resume = (said: string, more: object = {}, id?: string) =>
      world.post(
        `${path}/resume`,
        { message: userSays(said), ...more },
        id === undefined ? {} : { headers: { "idempotency-key": id } },
      );
    const first = await keyOf();
    for (let n = 0; n < 2; n++) expect((await resume("pay 100", {}, "a")).status).toBe(200);
    expect((await resume("pay 200", {}, "a")).status).toBe(409);
    const keyless = await resume("pay 100");
    expect([keyless.status, keyless.json["error"]]).toEqual([
      409,
      expect.stringMatching(/asked before.*at 20.*with key/),
    ]);
    expect((await resume("pay 200", { key: first })).status).toBe(409);
    const key = await keyOf();
    for (let n = 0; n < 2; n++) {
      const { status, json: done } = await resume("now", { key });
      expect([status, done["result"]]).toEqual([200, expect.stringContaining("now")]);
    }
    expect((await world.ask(path)).json["messages"]).toHaveLength(4);
  });

  it("ACT1: answers with one of the choices, and refuses others", async () => {
    const world = new AcpWorld({ script: askingScript("Which?", ["red", "green"]) });
    const message = userSays('{"messages":"Go","topic":"tea"}');
    const { json } = await world.post(SEND, { agentId: "agent/researcher", message });
    const resume = (text: string) =>
      world.post(`${task(textOf(json["id"]))}/resume`, { message: userSays(text) });
    const wrong = await resume("blue");
    expect(wrong.status).toBe(400);
    expect(wrong.json["error"]).toContain('"red", "green"');
    expect((await resume("green")).json["result"]).toContain("green");
  });

  it("ACT1: answers a flow's question with data", async () => {
    const world = new AcpWorld();
    const { json } = await world.post(SEND, sending('{"topic":"tea"}', { agentId: "flow/review" }));
    expect(json["status"]).toMatchObject({ status: "input-required" });
    const done = await world.post(`${task(textOf(json["id"]))}/resume`, {
      message: userSays("approved"),
    });
    expect(done.json["status"]).toMatchObject({ status: "completed" });
    expect(done.json["result"]).toContain("Published: On tea");
  });
});

describe("GET /tasks/:id", () => {
  it("does not know tasks of others, nor odd ids", async () => {
    const world = new AcpWorld();
    for (const id of ["unknown", "%00", "a%2Fb", "x".repeat(3_000)]) {
      const { status, json } = await world.ask(task(id));
      expect([status, json]).toEqual([404, { error: "Task not found" }]);
    }
  });

  it("shows the texts of a crew's tasks as artifacts, the whole result last", async () => {
    const texts = ["Facts", "A page"];
    const world = new AcpWorld({ script: () => texts.shift() ?? "no more" });
    const { json } = await world.post(SEND, sending("tea", { agentId: "crew/briefing" }));
    expect(json).toMatchObject({
      result: "A page",
      artifacts: [
        { name: "research", parts: [{ type: "text", text: "Facts" }] },
        { name: "report", parts: [{ type: "text", text: "A page" }] },
      ],
    });
  });

  it("fails a task whose run is deleted before its end was read", async () => {
    const world = new AcpWorld({ script: held });
    const id = await started(world);
    await world.clock.advance(HOLD_MS);
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    await world.runs.delete("default", items[0]?.id ?? "");
    expect((await world.ask(task(id))).json["status"]).toMatchObject({
      status: "failed",
      message: "the run of this task was deleted",
    });
  });

  it("ACT2: shows an ended task as it was when its run is deleted", async () => {
    const world = new AcpWorld();
    const { json } = await world.post(SEND, sending("x"));
    const { items } = await world.runs.list({ tenant: "default", limit: 9 });
    await world.runs.delete("default", items[0]?.id ?? "");
    const { json: shown } = await world.ask(task(textOf(json["id"])));
    expect(shown).toMatchObject({ status: { status: "completed" }, artifacts: [], result: "" });
  });
});

describe("ACK1: the sweeper", () => {
  it("starts the run of a task that was only stored", async () => {
    const world = new AcpWorld();
    const broken = () => Promise.reject(new Error("the isolate is gone"));
    Object.defineProperty(world.runs, "start", { value: broken, configurable: true });
    const { status } = await world.post(REQUEST, { ...sending("x"), taskId: "t" });
    expect(status).toBe(500);
    Reflect.deleteProperty(world.runs, "start");
    await world.tick();
    await world.tick();
    expect((await world.ask(task("t"))).json["result"]).toBe("A fine answer");
    expect((await world.runs.list({ tenant: "default", limit: 9 })).items).toHaveLength(1);
  });

  it("goes on with the others when one task cannot be started", async () => {
    const world = new AcpWorld();
    const broken = () => Promise.reject(new Error("the isolate is gone"));
    Object.defineProperty(world.runs, "start", { value: broken, configurable: true });
    for (const taskId of ["bad", "good"]) await world.post(REQUEST, { ...sending(taskId), taskId });
    Reflect.deleteProperty(world.runs, "start");
    const start = world.runs.start.bind(world.runs);
    const choosy: typeof start = (run) =>
      JSON.stringify(run.inputs).includes("bad") ? broken() : start(run);
    Object.defineProperty(world.runs, "start", { value: choosy, configurable: true });
    world.reported.length = 0;
    await world.tick();
    expect(world.reported.map(String)).toEqual(["Error: the isolate is gone"]);
    expect((await world.ask(task("good"))).json["result"]).toBe("A fine answer");
    expect((await world.ask(task("bad"))).status).toBe(500);
  });

  it("pauses the run of a task that was only marked as yielded", async () => {
    const world = new AcpWorld({ script: held });
    const id = await started(world);
    const broken = () => Promise.reject(new Error("the isolate is gone"));
    Object.defineProperty(world.runs, "pause", { value: broken, configurable: true });
    expect((await world.post(`${task(id)}/yield`, { reason: "x" })).status).toBe(500);
    Reflect.deleteProperty(world.runs, "pause");
    await world.tick();
    expect((await world.ask(task(id))).json["status"]).toMatchObject({ status: "input-required" });
  });

  it("forgets tasks a while after their end, and no others", async () => {
    const world = new AcpWorld({ acp: { retentionMs: 120_000 }, script: askingScript() });
    const open = {
      agentId: "agent/researcher",
      message: userSays('{"messages":"Go","topic":"t"}'),
    };
    await world.post(REQUEST, { ...open, taskId: "open" });
    await world.post(REQUEST, { ...open, taskId: "ended" });
    await world.post("/api/a2a/tasks/ended/cancel");
    await world.tick();
    expect((await world.ask(task("ended"))).status).toBe(200);
    await world.tick();
    await world.tick();
    expect((await world.ask(task("ended"))).status).toBe(404);
    expect((await world.ask(task("open"))).status).toBe(200);
  });
});

describe("hostile requests", () => {
  it.each([
    ["an agent", SEND, { agentId: "a".repeat(100_000), message: userSays("x") }],
    ["a session", SEND, sending("x", { sessionId: "s".repeat(100_000) })],
    ["a task id", REQUEST, sending("x", { taskId: "/".repeat(100_000) })],
    ["a role", SEND, sending("x", { message: { role: "r".repeat(100_000), parts: [] } })],
    ["an agent of A2A", "/api/a2a/tasks/send", { agent: "a".repeat(100_000), message: "x" }],
    ["a skill", "/api/a2a/tasks/send", { skill: "a".repeat(100_000), message: "x" }],
    ["a session's name", "/api/acp/sessions", { name: "n", repoScope: "r".repeat(100_000) }],
    ["a tool", "/api/acp/delegate", { tool: "t".repeat(100_000), args: {} }],
    ["a priority", "/api/acp/context", { type: "t", content: "c", priority: "p".repeat(100_000) }],
  ])("is not repeated: %s", async (_, path, json) => {
    const { status, text } = await new AcpWorld({ acp: { tools: [] } }).post(path, json);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text.length).toBeLessThan(1_500);
  });

  it("stays plain data under any name", async () => {
    const world = new AcpWorld();
    const body = `{"agentId":"agent/writer","taskId":"__proto__","metadata":{"__proto__":"x","toString":"y"},"message":{"role":"user","parts":[{"type":"text","text":"x","__proto__":{"text":7}}]}}`;
    const headers = { "content-type": "application/json" };
    const { status } = await world.settle(world.ask(REQUEST, { body, headers }));
    expect(status).toBe(200);
    const { json, text } = await world.ask(task("__proto__"));
    expect(text).toContain('"metadata":{"__proto__":"x","toString":"y"}');
    expect(json["result"]).toBe("A fine answer");
  });

  it("is bounded in the messages of one task", async () => {
    const world = new AcpWorld({ script: held, acp: { waitMs: 1 } });
    const id = await started(world);
    const again = async () => {
      await world.post(`${task(id)}/yield`, { reason: "x" });
      const asked = world.ask(`${task(id)}/resume`, { json: { message: userSays("more") } });
      await world.clock.advance(1);
      return world.settle(asked);
    };
    for (let messages = 2; messages <= 20; messages++) expect((await again()).status).toBe(200);
    const { status, json } = await again();
    expect([status, json]).toEqual([
      409,
      { error: "Task has 20 messages already: start another one" },
    ]);
    const shown = (await world.ask(task(id))).json;
    expect(shown["messages"]).toHaveLength(20);
    expect(shown["history"]).toHaveLength(41);
  });
});

describe("a yield and a resume at once", () => {
  it("take an answer though others look at the task meanwhile", async () => {
    const world = new AcpWorld({ script: askingScript("Which colour?") });
    const message = userSays('{"messages":"Go","topic":"tea"}');
    const { json } = await world.post(SEND, { agentId: "agent/researcher", message });
    const id = textOf(json["id"]);
    const resume = world.runs.resume.bind(world.runs);
    const watched: typeof resume = async (...input) => {
      const run = await resume(...input);
      await world.clock.settle();
      expect((await world.ask(task(id))).json["status"]).toMatchObject({ status: "completed" });
      return run;
    };
    Object.defineProperty(world.runs, "resume", { value: watched, configurable: true });
    const { status, json: done } = await world.post(`${task(id)}/resume`, {
      message: userSays("green"),
      state: { feedback: "green" },
    });
    expect([status, done["status"]]).toMatchObject([200, { status: "completed" }]);
    const { json: shown } = await world.ask(task(id));
    expect(shown["messages"]).toHaveLength(3);
    expect(shown["metadata"]).toEqual({ __yield_state: '{"feedback":"green"}' });
  });

  it("give a waiting run only one answer", async () => {
    const world = new AcpWorld({ script: askingScript("Which colour?") });
    const message = userSays('{"messages":"Go","topic":"tea"}');
    const { json } = await world.post(SEND, { agentId: "agent/researcher", message });
    const path = `${task(textOf(json["id"]))}/resume`;
    const answers = await Promise.all(
      ["green", "red"].map((text) => world.post(path, { message: userSays(text) })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  it("ACK1: leave the run going on, though the pause comes late", async () => {
    const world = new AcpWorld({ script: held, acp: { waitMs: 1 } });
    const id = await started(world);
    const { items } = await world.runs.list({ tenant: "default", limit: 1 });
    const runId = items[0]?.id ?? "";
    const late = Promise.withResolvers<void>();
    const pause = world.runs.pause.bind(world.runs);
    const delayed = async (tenant: string, run: string) => {
      await late.promise;
      return pause(tenant, run);
    };
    Object.defineProperty(world.runs, "pause", { value: delayed, configurable: true });
    const yielding = world.post(`${task(id)}/yield`, { reason: "x" });
    await world.clock.settle();
    Reflect.deleteProperty(world.runs, "pause");
    const resuming = world.ask(`${task(id)}/resume`, { json: {} });
    await world.clock.advance(1);
    await world.settle(resuming);
    late.resolve();
    await yielding;
    expect((await world.runs.get("default", runId)).paused).toBeUndefined();
    await world.clock.advance(2 * HOLD_MS);
    expect((await world.ask(task(id))).json["status"]).toMatchObject({ status: "completed" });
  });
});
