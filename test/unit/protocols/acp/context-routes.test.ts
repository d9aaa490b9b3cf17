// `/api/acp/context`, `/delegate` and `/capabilities`: every check in its order.
import { describe, expect, it } from "vitest";
import type { AcpOptions, IngestedContext } from "../../../../src/entry/acp.ts";
import { AcpWorld, add, breaks, sending, slow, slowSignals } from "../../../support/acp-world.ts";
import { ask } from "../../../support/http-app.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const CONTEXT = "/api/acp/context";
const DELEGATE = "/api/acp/delegate";
const TOOLS = [add, breaks, slow, ask];

describe("POST /context", () => {
  it.each([
    ["nothing", {}, "type (string) is required"],
    ["no content", { type: "t" }, "content (string) is required"],
    ["a number as the type", { type: 1, content: "c" }, "type (string) is required"],
    ["an empty type", { type: "", content: "" }, "type (string) is required"],
    ["an empty content", { type: "t", content: "" }, "content (string) is required"],
    ["an array as content", { type: "t", content: ["c"] }, "content (string) is required"],
    [
      "an unknown priority",
      { type: "t", content: "c", priority: "urgent", metadata: 1 },
      'priority must be low, medium or high, got "urgent"',
    ],
    [
      "a null priority",
      { type: "t", content: "c", priority: null },
      "priority must be low, medium or high, got null",
    ],
    [
      "metadata other than a text",
      { type: "t", content: "c", metadata: { a: 1 } },
      'metadata must be an object of strings, got {"a":1}',
    ],
    [
      "an array as metadata",
      { type: "t", content: "c", metadata: ["a"] },
      'metadata must be an object of strings, got ["a"]',
    ],
  ])("refuses %s", async (_, json, error) => {
    const { status, json: body } = await new AcpWorld().post(CONTEXT, json);
    expect([status, body]).toEqual([400, { error }]);
  });

  it("stores context without a consumer, and counts UTF-16 units", async () => {
    const { status, json } = await new AcpWorld().post(CONTEXT, { type: "note", content: "hello" });
    expect([status, json]).toEqual([
      200,
      {
        success: true,
        type: "note",
        contentLength: 5,
        mode: "stored",
        message: "Stored for the next task",
      },
    ]);
    const smile = await new AcpWorld().post(CONTEXT, { type: "note", content: "🙂" });
    expect(smile.json).toMatchObject({ contentLength: 2 });
  });

  it("passes context to the consuming code", async () => {
    const got: Array<[IngestedContext, string]> = [];
    const world = new AcpWorld({
      acp: { ingest: (context, tenant) => void got.push([context, tenant]) },
    });
    const plain = await world.post(CONTEXT, { type: "note", content: "hello" });
    expect(plain.json).toEqual({
      success: true,
      type: "note",
      contentLength: 5,
      priority: "medium",
    });
    const more = { type: "note", content: "hello", priority: "high", metadata: { by: "me" } };
    expect((await world.post(CONTEXT, more)).json).toMatchObject({ priority: "high" });
    const timestamp = world.clock.now();
    const said = { type: "note", content: "hello", source: "acp", timestamp };
    expect(got).toEqual([
      [{ ...said, metadata: {}, priority: "medium" }, "default"],
      [{ ...said, metadata: { by: "me" }, priority: "high" }, "default"],
    ]);
  });

  it("returns that code's error", async () => {
    const ingest = (): never => {
      throw new Error("no room");
    };
    const { status, json } = await new AcpWorld({ acp: { ingest } }).post(CONTEXT, {
      type: "note",
      content: "hello",
    });
    expect([status, json]).toEqual([
      500,
      { error: "Context injection failed", message: "no room" },
    ]);
  });

  it("limits each piece, and all stored pieces", async () => {
    const world = new AcpWorld();
    const piece = (content: string) => world.post(CONTEXT, { type: "note", content });
    expect((await piece("é".repeat(32_768))).status).toBe(200);
    const large = await piece(`${"é".repeat(32_768)}e`);
    expect([large.status, large.json]).toEqual([
      413,
      { error: "content may have at most 65536 bytes" },
    ]);
    for (let index = 0; index < 31; index++) expect((await piece("x")).status).toBe(200);
    const [full] = [await piece("x")];
    expect([full?.status, full?.json]).toEqual([
      409,
      { error: "Too much context waits for the next task already" },
    ]);
    await world.clock.advance(3_600_000);
    expect((await piece("x")).status).toBe(200);
  });

  it("puts context into the next task, the most urgent first, and only there", async () => {
    const world = new AcpWorld();
    await world.post(CONTEXT, { type: "note", content: "minor", priority: "low" });
    await world.post(CONTEXT, { type: "note", content: "usual" });
    await world.post(CONTEXT, { type: "file", content: "pressing", priority: "high" });
    await world.post("/api/acp/send", sending("Write it"));
    const first = JSON.stringify(world.model.calls.at(-1));
    expect(first).toMatch(/pressing.*usual.*minor.*Write it/s);
    await world.post("/api/acp/send", sending("Write more"));
    const second = JSON.stringify(world.model.calls.at(-1));
    expect(second).toContain("Write more");
    expect(second).not.toContain("pressing");
  });

  it("puts context into tasks of the key that sent it alone", async () => {
    const world = new AcpWorld({ auth: { mode: "keys", adminKey: "the-admin-key" } });
    const key = await world.newKey(["run"]);
    await world.post(CONTEXT, { type: "note", content: "a secret" }, { key });
    await world.post("/api/acp/send", sending("Write it"), { key: "the-admin-key" });
    expect(JSON.stringify(world.model.calls)).not.toContain("a secret");
    await world.post("/api/acp/send", sending("Write it"), { key });
    expect(JSON.stringify(world.model.calls.at(-1))).toContain("a secret");
  });

  it("puts context of a session into the next task of this session", async () => {
    const world = new AcpWorld();
    const sessionOf = async (name: string) =>
      (await world.post("/api/acp/sessions", { name })).json["id"];
    const [sessionId, other] = [await sessionOf("ann"), await sessionOf("bob")];
    await world.post(CONTEXT, { type: "note", content: "a secret", sessionId });
    await world.post("/api/acp/send", sending("Write it", { sessionId: other }));
    await world.post("/api/acp/send", sending("Write it"));
    expect(JSON.stringify(world.model.calls)).not.toContain("a secret");
    await world.post("/api/acp/send", sending("Write it", { sessionId }));
    expect(JSON.stringify(world.model.calls.at(-1))).toContain("a secret");
    const unknown = await world.post(CONTEXT, { type: "note", content: "x", sessionId: "none" });
    expect([unknown.status, unknown.json]).toEqual([404, { error: "Session not found: none" }]);
  });

  it("drops expired context", async () => {
    const world = new AcpWorld({ acp: { contextTtlMs: 1_000 } });
    await world.post(CONTEXT, { type: "note", content: "stale news" });
    await world.clock.advance(1_000);
    await world.post("/api/acp/send", sending("Write it"));
    expect(JSON.stringify(world.model.calls)).not.toContain("stale news");
  });

  it("has the cron delete expired context", async () => {
    const DB = sqliteD1();
    const world = new AcpWorld({ env: { DB }, acp: { contextTtlMs: 90_000 } });
    await world.post(CONTEXT, { type: "note", content: "x" });
    const kept = () =>
      DB.sqlite.prepare("SELECT COUNT(*) AS count FROM acp_contexts").get()?.["count"];
    await world.tick();
    expect(kept()).toBe(1);
    await world.tick();
    expect(kept()).toBe(0);
  });

  it("stores context for a task with a place for it", async () => {
    const world = new AcpWorld();
    await world.post(CONTEXT, { type: "note", content: "good to know" });
    const crew = {
      agentId: "crew/briefing",
      message: { role: "user", parts: [{ type: "text", text: '{"topic":"tea"}' }] },
    };
    expect((await world.post("/api/acp/send", crew)).status).toBe(200);
    expect(JSON.stringify(world.model.calls)).not.toContain("good to know");
    await world.post("/api/acp/send", sending("Write it"));
    expect(JSON.stringify(world.model.calls)).toContain("good to know");
  });

  it("accepts Code Buddy's requests, with compat", async () => {
    const world = new AcpWorld({ acp: { compat: "code-buddy", ingest: () => undefined } });
    const { status, json } = await world.post(CONTEXT, {
      type: " ",
      content: " ",
      priority: "urgent",
      metadata: [1],
    });
    expect([status, json]).toMatchObject([200, { success: true, priority: "medium" }]);
  });
});

describe("POST /delegate", () => {
  const world = () => new AcpWorld({ acp: { tools: TOOLS } });

  it.each([
    ["nothing", {}, "tool (string) is required"],
    ["a tool other than a text", { tool: 1, args: {} }, "tool (string) is required"],
    ["no arguments", { tool: "x" }, "args (object) is required"],
    ["null for arguments", { tool: "x", args: null }, "args (object) is required"],
    ["an array for arguments", { tool: "x", args: [] }, "args (object) is required"],
    ["a text for arguments", { tool: "x", args: "{}" }, "args (object) is required"],
    ...[0, -1, "50", null, true, [], "NaN"].map((timeout) => [
      `the timeout ${JSON.stringify(timeout)}`,
      { tool: "x", args: {}, timeout },
      `timeout must be a finite number of milliseconds above 0, got ${JSON.stringify(timeout)}`,
    ]),
  ] as ReadonlyArray<[string, object, string]>)("refuses %s", async (_, json, error) => {
    const { status, json: body } = await world().post(DELEGATE, json);
    expect([status, body]).toEqual([400, { error }]);
  });

  it("refuses a number beyond JSON", async () => {
    const body = '{"tool":"add","args":{},"timeout":1e999}';
    const headers = { "content-type": "application/json" };
    const { status, json } = await world().ask(DELEGATE, { body, headers });
    expect(status).toBe(400);
    expect(json["error"]).toContain("timeout must be a finite number");
  });

  it.each([
    ["404 without tools of the app", {}, 404],
    ["404 without tools of the tenant", { tools: () => null }, 404],
    ["503 where they cannot be had", { tools: () => Promise.reject(new Error("no tools")) }, 503],
    ["503 as Code Buddy", { compat: "code-buddy" as const }, 503],
  ])("answers without tools, after the checks of the body: %s", async (_, acp, expected) => {
    const bare = new AcpWorld({ acp });
    expect((await bare.post(DELEGATE, { tool: "x" })).status).toBe(400);
    const { status, json } = await bare.post(DELEGATE, { tool: "x", args: {} });
    expect([status, json]).toEqual([
      expected,
      {
        error: "Tool registry not available",
        message: "This Worker delegates no tools: set acp({ tools })",
      },
    ]);
  });

  it("asks for no repetition when tools are absent for good, unlike tools that failed to load", async () => {
    const body = { tool: "x", args: {} };
    const adviceOf = async (acp: AcpOptions) =>
      (await new AcpWorld({ acp }).post(DELEGATE, body)).headers.get("x-should-retry");
    expect(await adviceOf({ compat: "code-buddy" })).toBe("false");
    expect(await adviceOf({ tools: () => Promise.reject(new Error("no registry")) })).toBeNull();
  });

  it("returns the tool's result", async () => {
    const { status, json } = await world().post(DELEGATE, { tool: "add", args: { a: 1, b: 2 } });
    expect([status, json]).toEqual([200, { success: true, tool: "add", result: { sum: 3 } }]);
  });

  it("answers why the tool fails", async () => {
    const { status, json } = await world().post(DELEGATE, { tool: "breaks", args: {} });
    expect([status, json]).toEqual([500, { success: false, tool: "breaks", error: "it broke" }]);
    const misused = await world().post(DELEGATE, { tool: "add", args: { a: "one" } });
    expect(misused.status).toBe(500);
    expect(misused.json["error"]).toContain('the input of tool "add" does not fit');
  });

  it("knows only the tools of its list", async () => {
    for (const tool of ["nothing", "toString", "__proto__"]) {
      const { status, json } = await world().post(DELEGATE, { tool, args: {} });
      expect([status, json]).toEqual([
        404,
        { success: false, tool, error: `Tool not found: ${tool}` },
      ]);
    }
  });

  it.each([
    ["its own time", 50, 50],
    ["the longest time", 999_999, 120_000],
    ["the usual time", undefined, 30_000],
  ])("aborts a tool after %s", async (_, timeout, limit) => {
    const at = world();
    slowSignals.length = 0;
    const asked = at.ask(DELEGATE, { json: { tool: "slow", args: {}, timeout } });
    await at.clock.advance(limit - 1);
    expect(slowSignals.map(({ aborted }) => aborted)).toEqual([false]);
    await at.clock.advance(1);
    const { status, json } = await at.settle(asked);
    const error = `Tool execution timed out after ${limit}ms`;
    expect([status, json]).toEqual([504, { success: false, tool: "slow", error }]);
    expect(slowSignals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("answers 500 for a question to a person", async () => {
    const at = world();
    const { status, json } = await at.post(DELEGATE, { tool: "ask", args: { question: "?" } });
    expect([status, json]).toMatchObject([
      500,
      { success: false, error: expect.stringContaining("waits for a person") as string },
    ]);
    const { items } = await at.runs.list({ tenant: "default", limit: 5 });
    expect(items.map(({ status: ended }) => ended)).toEqual(["cancelled"]);
  });

  it("is as lax as Code Buddy, with compat", async () => {
    const at = new AcpWorld({ acp: { tools: TOOLS, compat: "code-buddy" } });
    const late = async (timeout: unknown, limit: number) => {
      const asked = at.ask(DELEGATE, { json: { tool: "slow", args: {}, timeout } });
      await at.clock.advance(limit);
      const { status, json } = await at.settle(asked);
      expect([status, json["error"]]).toEqual([500, `Tool execution timed out after ${limit}ms`]);
    };
    await late(50, 50);
    await late("70", 70);
    await late(0, 30_000);
    await late(null, 30_000);
    await late(-5, 1);
    await late("soon", 1);
    const list = await at.post(DELEGATE, { tool: "add", args: [] });
    expect(list.json["error"]).toContain("expected object, got array");
    const unknown = await at.post(DELEGATE, { tool: "nothing", args: {} });
    expect([unknown.status, unknown.json]).toMatchObject([500, { success: false }]);
  });

  it("asks before it calls", async () => {
    const at = new AcpWorld({
      acp: {
        tools: TOOLS,
        admit: ({ route, tenant }) => {
          throw new Error(`${route} ${tenant}`);
        },
      },
    });
    expect((await at.post(DELEGATE, { tool: "add", args: {} })).status).toBe(500);
    expect(at.reported.map(String)).toEqual(["Error: /api/acp/delegate default"]);
  });
});

describe("GET /capabilities", () => {
  it("lists the tools, and only true capabilities", async () => {
    const world = new AcpWorld({ acp: { tools: TOOLS, name: "Ours", version: "3.1.4" } });
    const { json } = await world.ask("/api/acp/capabilities");
    expect(json["agent"]).toEqual({
      name: "Ours",
      version: "3.1.4",
      capabilities: ["context-injection", "tool-delegation", "multi-agent"],
    });
    expect(json["tools"]?.[0]).toEqual({
      name: "add",
      description: "Add two numbers.",
      parameters: add.parameters,
      readOnly: true,
      category: "general",
    });
    expect(json["tools"]?.[1]).toMatchObject({ name: "breaks", readOnly: false });
  });

  it.each([
    ["no tools", undefined],
    ["a failing registry", () => Promise.reject(new Error("no registry"))],
    ["an empty registry", () => null],
  ])("answers 200 for %s", async (_, tools) => {
    const world = new AcpWorld({
      acp: { expose: { "agent/writer": {} }, ...(tools === undefined ? undefined : { tools }) },
    });
    const { status, json } = await world.ask("/api/acp/capabilities");
    expect(status).toBe(200);
    expect(json).toEqual({
      tools: [],
      agent: { name: "Edgecrew", version: "1.0.0", capabilities: ["context-injection"] },
    });
  });
});
