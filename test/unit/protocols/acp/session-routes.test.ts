// `/api/acp/sessions`: names, queues, histories.
import { describe, expect, it } from "vitest";
import { textOf } from "../../../support/http-app.ts";
import type { JsonAnswer } from "../../../support/http-app.ts";
import { AcpWorld, sending, userSays } from "../../../support/acp-world.ts";

const SESSIONS = "/api/acp/sessions";
const SEND = "/api/acp/send";
const HOLD_MS = 10_000;
const held = () => ({ text: "A fine answer", delayMs: HOLD_MS });

async function session(world: AcpWorld, name = "review"): Promise<string> {
  return textOf((await world.post(SESSIONS, { name })).json["id"]);
}

/** Sends to a session without waiting. */
async function send(world: AcpWorld, sessionId: string, text: string): Promise<JsonAnswer> {
  return (await world.post(SEND, sending(text, { sessionId, fireAndForget: true }))).json;
}

async function statusOf(world: AcpWorld, id: unknown): Promise<unknown> {
  return (await world.ask(`/api/acp/tasks/${String(id)}`)).json["status"]?.["status"];
}

describe("sessions", () => {
  it.each([
    ["nothing", {}, "name (string) is required"],
    ["an empty name", { name: "" }, "name (string) is required"],
    ["a name other than a text", { name: ["a"] }, "name (string) is required"],
    ["a name of 129 characters", { name: "n".repeat(129) }, "name must be 128 characters or fewer"],
    [
      "a scope other than a text",
      { name: "n", repoScope: { a: 1 } },
      'repoScope must be a string of at most 1024 characters, got {"a":1}',
    ],
  ])("are not created of %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(SESSIONS, json);
    expect([status, body]).toEqual([400, { error }]);
  });

  it("are created once by name, listed, shown and deleted", async () => {
    const world = new AcpWorld();
    const name = "n".repeat(128);
    const { status, json } = await world.post(SESSIONS, { name, repoScope: "owner/repo" });
    const now = new Date(world.clock.now()).toISOString();
    expect([status, json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^session_\d+_[0-9a-z]{5}$/) as string,
        name,
        repoScope: "owner/repo",
        createdAt: now,
        lastActive: now,
        taskCount: 0,
      },
    ]);
    const again = await world.post(SESSIONS, { name });
    expect([again.status, again.json]).toEqual([409, { error: `Session already exists: ${name}` }]);
    const { taskCount, ...shown } = json;
    expect((await world.ask(SESSIONS)).json).toEqual({ sessions: [{ ...shown, taskCount }] });
    expect((await world.ask(`${SESSIONS}/${name}`)).json).toEqual({ ...shown, tasks: [] });
    const gone = await world.ask(`${SESSIONS}/${name}`, { method: "DELETE" });
    expect([gone.status, gone.json]).toEqual([200, { deleted: true, name }]);
    const unknown = await world.ask(`${SESSIONS}/${name}`);
    expect([unknown.status, unknown.json]).toEqual([404, { error: `Session not found: ${name}` }]);
  });

  it.each([
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/cancel"],
    ["POST", "/close"],
  ])("are 404 for %s of an unknown name%s", async (method, path) => {
    const { status, json } = await new AcpWorld().ask(`${SESSIONS}/a%20b${path}`, { method });
    expect([status, json]).toEqual([404, { error: "Session not found: a b" }]);
  });

  it("show their tasks, the oldest first", async () => {
    const world = new AcpWorld();
    const sessionId = await session(world);
    const first = await world.post(SEND, sending("one", { sessionId, metadata: { n: "1" } }));
    const second = await world.post(SEND, sending("two", { sessionId }));
    expect([first.json["sessionId"], first.status, second.status]).toEqual([sessionId, 200, 200]);
    const { json } = await world.ask(`${SESSIONS}/review`);
    expect(json["tasks"]).toMatchObject([
      {
        id: first.json["id"],
        result: "A fine answer",
        metadata: { n: "1" },
        status: { status: "completed" },
      },
      { id: second.json["id"], result: "A fine answer", artifacts: second.json["artifacts"] },
    ]);
    expect((await world.ask(SESSIONS)).json["sessions"]).toMatchObject([{ taskCount: 2 }]);
  });

  it("are addressed by id when messages are sent", async () => {
    const world = new AcpWorld();
    await session(world);
    const { status, json } = await world.post(SEND, sending("x", { sessionId: "review" }));
    expect([status, json]).toEqual([404, { error: "Session not found: review" }]);
  });
});

describe("a session's queue", () => {
  it("ACK2: does one task after the other, in the order in which they came", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const first = await send(world, sessionId, "one");
    const second = await send(world, sessionId, "two");
    const third = await send(world, sessionId, "three");
    expect(second).toEqual({ taskId: second["taskId"], queued: true, queuePosition: 1 });
    expect(third).toMatchObject({ queued: true, queuePosition: 2 });
    expect(await statusOf(world, second["taskId"])).toBe("submitted");
    expect(world.model.calls).toHaveLength(1);

    await world.clock.advance(HOLD_MS);
    // Whoever looks at a queued task has the queue go on.
    expect(await statusOf(world, third["taskId"])).toBe("submitted");
    await world.clock.settle();
    expect(world.model.calls).toHaveLength(2);
    expect(await statusOf(world, second["taskId"])).toBe("working");
    await world.clock.advance(HOLD_MS);
    await world.ask(`${SESSIONS}/review`);
    await world.clock.advance(HOLD_MS);
    const states = await Promise.all(
      [first, second, third].map(({ taskId }) => statusOf(world, taskId)),
    );
    expect(states).toEqual(["completed", "completed", "completed"]);
    const asked = world.model.calls.map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(asked.map((text) => /one|two|three/.exec(text)?.[0])).toEqual(["one", "two", "three"]);
  });

  it("ACK1, ACK2: goes on by the sweeper alone", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    for (const text of ["one", "two", "three"]) await send(world, sessionId, text);
    for (let minute = 0; minute < 6; minute++) await world.tick();
    expect(world.model.calls).toHaveLength(3);
    const { json } = await world.ask(`${SESSIONS}/review`);
    expect(json["tasks"]).toMatchObject([1, 2, 3].map(() => ({ status: { status: "completed" } })));
  });

  it("ACK2: has one active task, however many messages come at once", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, index) => send(world, sessionId, `message ${index}`)),
    );
    expect(sent.filter(({ queued }) => (queued as unknown) === false)).toHaveLength(1);
    expect(world.model.calls).toHaveLength(1);
    expect(
      sent.map(({ queuePosition }) => Number(queuePosition ?? 0)).toSorted((a, b) => a - b),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("goes on after a task that fails before it starts", async () => {
    const world = new AcpWorld({ script: held });
    const definition = {
      agents: { a: { role: "R", goal: "G", backstory: "B" } },
      tasks: [{ name: "t", description: "D", expectedOutput: "E", agent: "a" }],
    };
    await world.ask("/crews/stored", { method: "PUT", json: definition });
    const sessionId = await session(world);
    await send(world, sessionId, "one");
    const { json } = await world.post(SEND, sending("two", { sessionId, agentId: "crew/stored" }));
    const last = await send(world, sessionId, "three");
    await world.ask("/crews/stored", { method: "DELETE" });
    await world.clock.advance(HOLD_MS);
    expect(await statusOf(world, json["taskId"])).toBe("failed");
    expect(await statusOf(world, last["taskId"])).toBe("working");
  });

  it("is bounded", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    for (let index = 0; index < 101; index++) await send(world, sessionId, `${index}`);
    const { status, json } = await world.post(SEND, sending("x", { sessionId }));
    expect([status, json]).toEqual([409, { error: "Session has 100 queued messages already" }]);
  });

  it("is dropped, and the active task canceled, by a cancel", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const first = await send(world, sessionId, "one");
    const second = await send(world, sessionId, "two");
    const { json } = await world.post(`${SESSIONS}/review/cancel`);
    expect(json).toEqual({ canceled: true, canceledTaskId: first["taskId"], droppedFromQueue: 1 });
    expect(await statusOf(world, first["taskId"])).toBe("canceled");
    expect(await statusOf(world, second["taskId"])).toBe("canceled");
    await world.clock.advance(HOLD_MS);
    expect(world.model.calls).toHaveLength(1);
    const idle = await world.post(`${SESSIONS}/review/cancel`);
    expect(idle.json).toEqual({ canceled: true, canceledTaskId: null, droppedFromQueue: 0 });
    expect(await send(world, sessionId, "three")).toMatchObject({ queued: false });
  });

  it("goes on after a task of it is canceled alone, also a queued one", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const [first, second, third] = [
      await send(world, sessionId, "one"),
      await send(world, sessionId, "two"),
      await send(world, sessionId, "three"),
    ];
    expect((await world.post(`/api/a2a/tasks/${textOf(second["taskId"])}/cancel`)).status).toBe(
      200,
    );
    await world.post(`/api/a2a/tasks/${textOf(first["taskId"])}/cancel`);
    await world.clock.settle();
    expect(await statusOf(world, third["taskId"])).toBe("working");
    expect(await statusOf(world, second["taskId"])).toBe("canceled");
  });

  it("waits for a yielded task", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const first = await send(world, sessionId, "one");
    const second = await send(world, sessionId, "two");
    await world.post(`/api/acp/tasks/${textOf(first["taskId"])}/yield`, { reason: "x" });
    for (let minute = 0; minute < 3; minute++) await world.tick();
    expect(await statusOf(world, second["taskId"])).toBe("submitted");
    await world.post(`/api/a2a/tasks/${textOf(first["taskId"])}/cancel`);
    await world.clock.settle();
    expect(await statusOf(world, second["taskId"])).toBe("working");
  });

  it("goes on when the session is closed, which takes no new messages", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const first = await send(world, sessionId, "one");
    const second = await send(world, sessionId, "two");
    const { json } = await world.post(`${SESSIONS}/review/close`);
    expect(json).toEqual({
      closed: true,
      name: "review",
      activeTaskId: first["taskId"],
      queuedPrompts: 1,
    });
    const refused = await world.post(SEND, sending("three", { sessionId }));
    expect([refused.status, refused.json]).toEqual([
      409,
      { error: "Session is closed and takes no new messages" },
    ]);
    await world.clock.advance(HOLD_MS);
    await statusOf(world, first["taskId"]);
    await world.clock.advance(HOLD_MS);
    expect(await statusOf(world, second["taskId"])).toBe("completed");
    const idle = await world.post(`${SESSIONS}/review/close`);
    expect(idle.json).toMatchObject({ activeTaskId: null, queuedPrompts: 0 });
  });

  it("is dropped with its session, whose active task goes on", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    const first = await send(world, sessionId, "one");
    const second = await send(world, sessionId, "two");
    await world.ask(`${SESSIONS}/review`, { method: "DELETE" });
    expect(await statusOf(world, second["taskId"])).toBe("canceled");
    await world.clock.advance(HOLD_MS);
    expect(await statusOf(world, first["taskId"])).toBe("completed");
    expect((await world.post(SEND, sending("x", { sessionId }))).status).toBe(404);
  });
});

describe("a continued conversation", () => {
  it("has the messages of the resumed session", async () => {
    const texts = ["Nice to meet you", "You are Ada"];
    const world = new AcpWorld({ script: () => texts.shift() ?? "no more" });
    const sessionId = await session(world);
    await world.post(SEND, sending("I am Ada", { sessionId }));
    await world.post(SEND, sending("Who am I?", { resumeSessionId: sessionId }));
    const said = world.model.calls.at(-1)?.messages.slice(-3);
    expect(said).toMatchObject([
      { role: "user", content: "I am Ada" },
      { role: "assistant", content: "Nice to meet you" },
      { role: "user", content: "Who am I?" },
    ]);
  });

  it("has it also in the same session, when its turn comes", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    await send(world, sessionId, "I am Ada");
    const more = { sessionId, resumeSessionId: sessionId };
    const { json } = await world.post(SEND, sending("Who am I?", more));
    expect(json["queued"]).toBe(true);
    await world.clock.advance(HOLD_MS);
    await statusOf(world, json["taskId"]);
    await world.clock.settle();
    expect(JSON.stringify(world.model.calls.at(-1)?.messages)).toMatch(
      /I am Ada.*A fine answer.*Who am I/s,
    );
  });

  it("is not lost behind a long queue", async () => {
    const world = new AcpWorld({ script: held });
    const sessionId = await session(world);
    await send(world, sessionId, "I am Ada");
    const more = { sessionId, resumeSessionId: sessionId, fireAndForget: true };
    for (let index = 0; index < 8; index++)
      await world.post(SEND, sending(`question ${index}`, more));
    await world.clock.advance(HOLD_MS);
    await world.ask(`${SESSIONS}/review`);
    await world.clock.settle();
    expect(JSON.stringify(world.model.calls.at(-1)?.messages)).toMatch(/I am Ada.*question 0/s);
  });

  it("has the newest five tasks, and for a crew they are text", async () => {
    const world = new AcpWorld();
    const sessionId = await session(world);
    for (let index = 0; index < 7; index++)
      await world.post(SEND, sending(`question ${index}.`, { sessionId }));
    const crew = { agentId: "crew/briefing", message: userSays("tea"), resumeSessionId: sessionId };
    await world.post(SEND, crew);
    const { items } = await world.runs.list({ tenant: "default", kind: "crew", limit: 1 });
    const { topic } = (await world.runs.get("default", items[0]?.id ?? "")).inputs;
    expect(topic).toMatch(/question 2\..*question 6\..*tea$/s);
    expect(topic).not.toContain("question 1.");
  });
});
