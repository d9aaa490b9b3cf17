// What all routes of the protocol share: keys, scopes, tenants, forms of errors, ids of requests, options.
import { describe, expect, it } from "vitest";
import { acp, type AcpOptions, type Expose } from "../../../../src/entry/acp.ts";
import { sha256Hex } from "../../../../src/base/sha256.ts";
import type { Scope } from "../../../../src/parts/key-store.ts";
import { Examples } from "../../../../src/http/openapi/examples.ts";
import { calculator } from "../../../../src/index.ts";
import { isRoute } from "../../../../src/protocols/acp/routes.ts";
import { HttpError } from "../../../../src/parts/problem.ts";
import { AcpWorld, add, sending, type AcpWorldOptions } from "../../../support/acp-world.ts";

const HEX = expect.stringMatching(/^[0-9a-f]{16}$/) as string;

class KeyedWorld extends AcpWorld {
  constructor(options: AcpWorldOptions = {}) {
    super({ auth: { mode: "keys", adminKey: "the-admin-key" }, ...options });
  }

  async key(tenant: string, ...scopes: readonly Scope[]): Promise<string> {
    const key = `key of ${tenant} for ${scopes.join("-")}`.replaceAll(" ", "_");
    await this.keys.add({ id: key, tenant, scopes, createdAtMs: 0 }, sha256Hex(key));
    return key;
  }
}

describe("keys", () => {
  const basic = (password: string, user = "x") => ({
    authorization: `Basic ${btoa(`${user}:${password}`)}`,
  });

  it.each<[string, Record<string, string>]>([
    ["as a bearer", { authorization: "Bearer the-admin-key" }],
    ["as X-API-Key", { "x-api-key": "the-admin-key" }],
    ["as a password", basic("the-admin-key")],
    ["as a password without a name", basic("the-admin-key", "")],
    [
      "as a bearer beside another X-API-Key",
      { authorization: "Bearer the-admin-key", "x-api-key": "no" },
    ],
  ])("A7: are taken %s", async (_, headers) => {
    expect((await new KeyedWorld().ask("/api/acp/capabilities", { headers })).status).toBe(200);
    expect((await new KeyedWorld().ask("/api/a2a/agents", { headers })).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ["none", {}],
    ["an unknown one", { "x-api-key": "no" }],
    ["an empty one", { "x-api-key": " " }],
    ["an invalid password", basic("no")],
    ["a key as the name", { authorization: `Basic ${btoa("the-admin-key")}` }],
    ["invalid base64", { authorization: "Basic ???" }],
    ["base64 of half a byte", { authorization: "Basic a" }],
    [
      "an unknown bearer beside a good X-API-Key",
      { authorization: "Bearer no", "x-api-key": "the-admin-key" },
    ],
  ])("A7: are refused for %s", async (_, headers) => {
    const { status, json } = await new KeyedWorld().ask("/api/acp/capabilities", { headers });
    expect([status, json]).toEqual([
      401,
      { code: "UNAUTHORIZED", message: expect.any(String) as string, status: 401, requestId: HEX },
    ]);
  });

  it("A7, CRD2: are not taken from the query, nor as passwords elsewhere", async () => {
    const world = new KeyedWorld();
    expect((await world.ask("/api/acp/capabilities?api_key=the-admin-key")).status).toBe(401);
    const headers = basic("the-admin-key");
    for (const path of ["/crews", "/api/acpx", "/api"])
      expect((await world.ask(path, { headers })).status).toBe(401);
  });

  it.each<[string, string, Scope]>([
    ["GET", "/api/a2a/agents", "read"],
    ["GET", "/api/a2a/agents/by-skill/x", "read"],
    ["POST", "/api/a2a/tasks/send", "run"],
    ["GET", "/api/a2a/tasks/x", "read"],
    ["POST", "/api/a2a/tasks/x/cancel", "run"],
    ["POST", "/api/a2a/agents/register", "admin"],
    ["POST", "/api/a2a/agents/x/heartbeat", "run"],
    ["DELETE", "/api/a2a/agents/x", "admin"],
    ["POST", "/api/acp/context", "run"],
    ["POST", "/api/acp/delegate", "run"],
    ["GET", "/api/acp/capabilities", "read"],
    ["POST", "/api/acp/send", "run"],
    ["POST", "/api/acp/request", "run"],
    ["GET", "/api/acp/agents", "read"],
    ["GET", "/api/acp/tasks/x", "read"],
    ["POST", "/api/acp/tasks/x/yield", "run"],
    ["POST", "/api/acp/tasks/x/resume", "run"],
    ["POST", "/api/acp/sessions", "run"],
    ["GET", "/api/acp/sessions", "read"],
    ["GET", "/api/acp/sessions/x", "read"],
    ["DELETE", "/api/acp/sessions/x", "run"],
    ["POST", "/api/acp/sessions/x/cancel", "run"],
    ["POST", "/api/acp/sessions/x/close", "run"],
  ])("%s %s need the scope %s", async (method, path, scope) => {
    const world = new KeyedWorld();
    for (const other of ["run", "read", "admin"] as const) {
      const { status, json } = await world.ask(path, {
        method,
        key: await world.key("acme", other),
      });
      const isRefused = status === 401 || status === 403;
      expect([isRefused, isRefused && json["code"]]).toEqual(
        other === scope || other === "admin" ? [false, false] : [true, "FORBIDDEN"],
      );
    }
    expect((await world.ask(path, { method })).status).toBe(401);
  });

  it("without the scope read hide results of others' tasks", async () => {
    const world = new KeyedWorld();
    const key = await world.key("acme", "run");
    const json = { ...sending("Write it"), taskId: "t" };
    const flowTask = { ...sending('{"topic":"tea"}', { agentId: "flow/review" }), taskId: "u" };
    const first = await world.post("/api/acp/request", json, { key });
    expect(first.json["result"]).toBe("A fine answer");
    const again = await world.post("/api/acp/request", json, { key });
    expect(again.json).toMatchObject({
      id: "t",
      status: { status: "completed" },
      result: "",
      artifacts: [],
    });
    await world.post("/api/acp/request", flowTask, { key });
    const message = { role: "user", parts: [{ type: "text", text: "approved" }] };
    const resumed = await world.post("/api/acp/tasks/u/resume", { message }, { key });
    expect(resumed.json).toMatchObject({ status: { status: "completed" }, result: "" });
  });
});

describe("tenants", () => {
  it("do not see each other's tasks, sessions, contexts and agents", async () => {
    const world = new KeyedWorld();
    const ours = { key: await world.key("acme", "admin") };
    const theirs = { key: await world.key("other", "admin") };
    const card = { skills: [{ id: "secret-skill" }] };
    await world.post(
      "/api/a2a/agents/register",
      { name: "far", url: "https://far.example.com", card },
      ours,
    );
    await world.post("/api/acp/context", { type: "note", content: "our secret" }, ours);
    const { json: session } = await world.post("/api/acp/sessions", { name: "review" }, ours);
    const sessionId = session["id"];
    expect((await world.post("/api/acp/sessions", { name: "review" }, theirs)).status).toBe(201);

    await world.post("/api/acp/send", sending("x"), theirs);
    expect(JSON.stringify(world.model.calls)).not.toContain("our secret");
    await world.post("/api/acp/request", { ...sending("x"), taskId: "t" }, ours);
    await world.post("/api/acp/send", sending("x", { sessionId }), ours);

    const unknown = await Promise.all([
      world.ask("/api/acp/tasks/t", theirs),
      world.ask("/api/a2a/tasks/t", theirs),
      world.post("/api/a2a/tasks/t/cancel", {}, theirs),
      world.post("/api/acp/tasks/t/yield", { reason: "x" }, theirs),
      world.post("/api/acp/tasks/t/resume", {}, theirs),
      world.post("/api/acp/send", sending("x", { sessionId }), theirs),
      world.post("/api/acp/send", sending("x", { resumeSessionId: sessionId }), theirs),
      world.post("/api/a2a/agents/far/heartbeat", {}, theirs),
      world.post("/api/a2a/tasks/send", { agent: "far", message: "x" }, theirs),
      world.post("/api/a2a/tasks/send", { skill: "secret-skill", message: "x" }, theirs),
    ]);
    expect(unknown.map(({ status }) => status)).toEqual(unknown.map(() => 404));
    expect((await world.ask("/api/a2a/agents", theirs)).json["remoteAgents"]).toEqual([]);
    expect((await world.ask("/api/acp/sessions/review", theirs)).json["tasks"]).toEqual([]);
    const taken = await world.post("/api/acp/request", { ...sending("y"), taskId: "t" }, theirs);
    expect(taken.status).toBe(200);
  });
});

describe("answers", () => {
  it("have the request's id, or a new one of 16 hex digits", async () => {
    const world = new AcpWorld();
    const headers = { "x-request-id": "abc-1" };
    for (const path of [
      "/api/acp/agents",
      "/api/acp/tasks/unknown",
      "/api/acp/nowhere",
      "/api/a2a/.well-known/agent.json",
    ]) {
      expect((await world.ask(path, { headers })).headers.get("x-request-id")).toBe("abc-1");
      expect((await world.ask(path)).headers.get("x-request-id")).toEqual(HEX);
    }
    for (const odd of ["a b", "x".repeat(129), "<script>"])
      expect(
        (await world.ask("/api/acp/agents", { headers: { "x-request-id": odd } })).headers.get(
          "x-request-id",
        ),
      ).toEqual(HEX);
  });

  it.each<[string, Parameters<AcpWorld["ask"]>, number, string]>([
    ["an unknown route", ["/api/acp/nowhere"], 404, "NOT_FOUND"],
    ["another method", ["/api/acp/send"], 405, "VALIDATION_ERROR"],
    [
      "a body other than JSON",
      ["/api/acp/send", { body: "{", headers: { "content-type": "application/json" } }],
      400,
      "VALIDATION_ERROR",
    ],
    ["a list as the body", ["/api/acp/tasks/x/resume", { json: [] }], 400, "VALIDATION_ERROR"],
    ["a text as the body", ["/api/acp/context", { json: "type" }], 400, "VALIDATION_ERROR"],
    [
      "a body of another type",
      ["/api/acp/send", { body: "agentId=a", headers: { "content-type": "text/plain" } }],
      415,
      "VALIDATION_ERROR",
    ],
    [
      "an oversized body",
      ["/api/acp/context", { json: { type: "t", content: "x".repeat(2 ** 20) } }],
      413,
      "VALIDATION_ERROR",
    ],
    [
      "a body nested too deeply",
      [
        "/api/acp/delegate",
        {
          body: `{"args":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
          headers: { "content-type": "application/json" },
        },
      ],
      400,
      "VALIDATION_ERROR",
    ],
  ])("have a code for %s", async (...[, [path, options], status, code]) => {
    const answer = await new AcpWorld().ask(path, options);
    expect([answer.status, answer.json]).toEqual([
      status,
      { code, message: expect.any(String) as string, status, requestId: HEX },
    ]);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  it("reveal no details of a bug", async () => {
    const admit = (): never => {
      throw new TypeError("secrets of the database");
    };
    const world = new AcpWorld({ acp: { admit } });
    const { status, json } = await world.post("/api/acp/send", sending("x"));
    expect([status, json["code"]]).toEqual([500, "INTERNAL_ERROR"]);
    expect(JSON.stringify(json)).not.toContain("secrets");
    expect(world.reported).toHaveLength(1);
  });

  it("report a limiter", async () => {
    const admit = (): never => {
      throw new HttpError("limit_exceeded", "10 a minute", {
        status: 429,
        headers: { "retry-after": "60" },
      });
    };
    const world = new AcpWorld({ acp: { admit } });
    const { status, json, headers } = await world.post("/api/a2a/tasks/send", {
      agent: "a",
      message: "x",
    });
    expect([status, json["code"], headers.get("retry-after")]).toEqual([429, "RATE_LIMITED", "60"]);
  });

  it("report a database without tables", async () => {
    const { DatabaseSync } = await import("node:sqlite");
    const { sqliteD1 } = await import("../../../support/sqlite-d1.ts");
    const env = { DB: sqliteD1(new DatabaseSync(":memory:")) };
    const { status, json } = await new AcpWorld({ env }).ask("/api/acp/sessions");
    expect([status, json["code"]]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    expect(json["message"]).toContain("migrations apply");
  });

  it("are described in the API document, as every other", async () => {
    const world = new AcpWorld({ acp: { tools: [add] } });
    const { json } = await world.ask("/openapi.json");
    const paths = Object.keys(json["paths"] ?? {}).filter((path) => path.startsWith("/api/a"));
    expect(paths).toHaveLength(22);
    expect(json["components"]?.["schemas"]).toHaveProperty("AcpTask");
    expect((await world.ask("/docs")).text).toContain("/api/acp/tasks/order-7/yield");
  });

  it.each([
    ["everything", "all"],
    ["one crew", { "crew/briefing": {} }],
    ["one agent", { "agent/writer": {} }],
  ] as const)("have working examples: %s", async (_, expose) => {
    const world = new AcpWorld({ acp: { expose, tools: [calculator] } });
    const examples = new Examples(world.api);
    const posts = world.api.operations.filter(
      ({ method, path }) => method === "post" && isRoute(path) && !path.includes("{"),
    );
    const answers = posts.map(async (each) => {
      const { status } = await world.post(each.path, examples.body(each));
      return [each.id, status];
    });
    expect(Object.fromEntries(await Promise.all(answers))).toEqual({
      acpSendTask: 200,
      acpRegister: 200,
      acpContext: 200,
      acpDelegate: 200,
      acpSend: 200,
      acpRequest: 200,
      acpCreateSession: 201,
    });
  });
});

describe("options", () => {
  it.each<[string, object, string]>([
    ["an empty limit", { expose: "all", limits: { perMinute: 0 } }, "limits.perMinute must be"],
    [
      "another compat",
      { expose: "all", compat: "g2" },
      'acp({ compat }) must be "code-buddy" or absent, got "g2"',
    ],
    [
      "an empty time",
      { expose: "all", waitMs: 0 },
      "acp({ waitMs }) must be a finite number > 0, got 0",
    ],
    [
      "an invalid time",
      { expose: "all", contextTtlMs: Number.NaN },
      "acp({ contextTtlMs }) must be",
    ],
    [
      "a time without end",
      { expose: "all", retentionMs: Number.POSITIVE_INFINITY },
      "acp({ retentionMs }) must be",
    ],
  ])("are refused for %s", (_, options, message) => {
    expect(() => acp(options as AcpOptions)).toThrow(message);
  });

  it("are refused for a list to expose", () => {
    expect(() => new AcpWorld({ acp: { expose: ["crew/a"] as unknown as Expose } })).toThrow(
      'expose must be "all"',
    );
  });

  it.each(["briefing", "crew/", "/briefing", "robot/a", ""])(
    "are refused for the key %j",
    (key) => {
      expect(() => new AcpWorld({ acp: { expose: { [key]: {} } } })).toThrow("expose has the key");
    },
  );
});

describe("CL2: limits", () => {
  it("refuse a caller's task beyond them, and say when to come again", async () => {
    const world = new AcpWorld({ acp: { expose: "all", limits: { perMinute: 1 } } });
    const task = { agent: "agent/writer", message: "hello" };
    expect((await world.ask("/api/a2a/tasks/send", { json: task })).status).toBe(200);
    const { status, headers, json } = await world.ask("/api/a2a/tasks/send", { json: task });
    expect([status, json]).toEqual([
      429,
      {
        code: "RATE_LIMITED",
        message: expect.stringContaining("agent/writer may be called 1 times a minute") as string,
        status: 429,
        requestId: HEX,
      },
    ]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    const sent = {
      agentId: "agent/writer",
      message: { role: "user", parts: [{ type: "text", text: "x" }] },
    };
    expect((await world.ask("/api/acp/send", { json: sent })).status).toBe(429);
  });
});
