import { describe, expect, it } from "vitest";
import { toolFromSchema } from "../../../../../src/tools/tool.ts";
import { McpWorld, MODERN } from "../../../../support/mcp-world.ts";

const keys = { auth: { mode: "keys", adminKey: "root" } } as const;
const authorization = { servers: ["https://login.example.com"] };

describe("faults of a request", () => {
  it.each([
    ["no JSON", "{", 400, -32700],
    ["nothing", "", 400, -32700],
    ["a text", '"initialize"', 400, -32600],
    ["no message", '{"a":1}', 400, -32600],
    ["an empty batch", "[]", 400, -32600],
    ["nested too deep", "[".repeat(200) + "]".repeat(200), 400, -32600],
  ] as const)("is an error of JSON-RPC: %s", async (...[, body, status, code]) => {
    const world = new McpWorld();
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const answer = await world.ask("/mcp", { body, method: "POST", headers });
    expect(answer).toMatchObject({ status, json: { jsonrpc: "2.0", error: { code } } });
    expect(world.reported).toEqual([]);
  });

  it("include an oversized body, or one of another type", async () => {
    const world = new McpWorld({}, { limits: { maxBodyBytes: 100 } });
    const large = await world.ask("/mcp", { json: { text: "x".repeat(200) } });
    expect(large).toMatchObject({ status: 413, json: { error: { code: -32600 } } });
    const headers = { "content-type": "text/plain" };
    const typed = await world.ask("/mcp", { body: "{}", method: "POST", headers });
    expect(typed.status).toBe(415);
  });

  it("include an unsupported revision", async () => {
    const world = new McpWorld();
    const version = "2099-01-01";
    const { status, json } = await world.rpc(
      "tools/list",
      {},
      {
        meta: { "io.modelcontextprotocol/protocolVersion": version },
        headers: { "mcp-protocol-version": version },
      },
    );
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: -32022, data: { supported: [MODERN] } } });
  });

  it("MPH2: include a header that is missing, or differs from the body", async () => {
    const world = new McpWorld();
    const called = { name: "greeting", arguments: {} };
    for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-name": "other" }]) {
      const answer = await world.rpc("tools/call", called, { headers });
      expect(answer).toMatchObject({ status: 400, json: { error: { code: -32020 } } });
    }
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const json = {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { ...called, _meta: meta },
    };
    const all = {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": "tools/call",
      "mcp-name": "greeting",
    };
    for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"] as const) {
      const { [name]: _, ...headers } = all;
      const answer = await world.ask("/mcp", { json, headers });
      expect(answer).toMatchObject({ status: 400, json: { id: 3, error: { code: -32020 } } });
    }
    expect(await world.runs.list({ tenant: "default", limit: 5 })).toMatchObject({ items: [] });
    const encoded = { "mcp-name": `=?base64?${btoa("greeting")}?=` };
    expect((await world.rpc("tools/call", called, { headers: encoded })).status).toBe(200);
  });

  it.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list", "a/b"])(
    "include a method outside the revision: %s",
    async (method) => {
      const { status, json } = await new McpWorld().rpc(method);
      expect({ status, json }).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
    },
  );

  it.each(["GET", "DELETE", "PUT"])("is %s, when there are no sessions", async (method) => {
    const { status } = await new McpWorld().ask("/mcp", { method });
    expect(status).toBe(405);
  });

  it("MPH1: include an argument its header does not repeat", async () => {
    const region = toolFromSchema({
      name: "region",
      description: "Says where.",
      parameters: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          at: { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } },
        },
      },
      run: () => "fine",
    });
    const world = new McpWorld({ tools: [region] });
    const call = async (args: object, headers: Record<string, string>) => {
      const { status, json } = await world.rpc(
        "tools/call",
        { name: "region", arguments: args },
        { headers },
      );
      return status === 200 ? "fine" : (json["error"]?.["code"] as unknown);
    };
    expect(await call({ region: "north" }, {})).toBe(-32020);
    expect(await call({ region: "north" }, { "mcp-param-region": "south" })).toBe(-32020);
    expect(await call({ region: "north" }, { "mcp-param-region": "north" })).toBe("fine");
    expect(await call({ region: "nörd" }, { "mcp-param-region": "=?base64?bsO2cmQ=?=" })).toBe(
      "fine",
    );
    expect(await call({ region: "nörd" }, { "mcp-param-region": "=?base64?bsO2cmQ?=" })).toBe(
      -32020,
    );
    expect(await call({ at: { n: 42 } }, { "mcp-param-n": "42.0" })).toBe("fine");
    expect(await call({ at: { n: 42 } }, { "mcp-param-n": "43" })).toBe(-32020);
    expect(await call({}, { "mcp-param-region": "anything" })).toBe("fine");
  });
});

describe("origins and hosts", () => {
  it.each([
    ["no page", undefined, 200],
    ["a page of its own", "http://localhost", 200],
    ["a page of this machine", "http://localhost:5173", 200],
    ["a page of the app's list", "https://app.example.com", 200],
    ["any other page", "https://evil.example.com", 403],
    ["a page without an origin", "null", 403],
  ])("MG1: %s", async (_, origin, status) => {
    const world = new McpWorld({ origins: ["https://app.example.com"] }, keys);
    const headers = origin === undefined ? {} : { origin };
    const answer = await world.rpc("tools/list", {}, { headers, key: "root" });
    expect(answer.status).toBe(status);
    expect(answer.json["error"]?.["code"]).toBe(status === 403 ? -32600 : undefined);
  });

  it("MG2: a host missing from the app's list is refused", async () => {
    const world = new McpWorld({ hosts: ["mcp.example.com"] });
    expect((await world.rpc("tools/list")).status).toBe(403);
  });

  it("MG3: a caller without a key gets the address to get one", async () => {
    const world = new McpWorld({ authorization }, keys);
    const none = await world.rpc("tools/list");
    expect(none.status).toBe(401);
    expect(none.headers.get("www-authenticate")).toBe(
      'Bearer realm="edgecrew", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp", scope="run read"',
    );
    expect(none.json).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    const json = { tenant: "beta", scopes: ["read"] };
    const made = await world.ask("/keys", { json, key: "root" });
    const refused = await world.rpc("tools/list", {}, { key: made.json["key"] as never });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain(
      'error="insufficient_scope", scope="run"',
    );
    expect(refused.headers.get("www-authenticate")).toContain("resource_metadata=");
  });

  it.each(["", "/mcp"])(
    "MG3: metadata is at the well-known path%s, without a key",
    async (suffix) => {
      const path = `/.well-known/oauth-protected-resource${suffix}`;
      const answer = await new McpWorld({ authorization }, keys).ask(path);
      expect(answer).toMatchObject({
        status: 200,
        json: {
          resource: "http://localhost/mcp",
          authorization_servers: ["https://login.example.com"],
          scopes_supported: ["run", "read"],
        },
      });
      expect((await new McpWorld({}, keys).ask(path)).status).toBe(404);
    },
  );
});

it.each([
  [{ waitMs: -1 }, "waitMs"],
  [{ answerWithinMs: Number.NaN }, "answerWithinMs"],
  [{ authorization: { servers: [] } }, "authorization.servers"],
  [{ authorization: { servers: ["login"] } }, "authorization.servers"],
  [{ resources: [{ uri: "no uri", name: "n", read: () => "" }] }, "resources"],
  [
    {
      prompts: [
        { name: "a", get: () => "" },
        { name: "a", get: () => "" },
      ],
    },
    "prompts",
  ],
  [{ expose: { briefing: true } }, "kind/name"],
])("refuses invalid options: %j", (options, message) => {
  expect(() => new McpWorld(options as never)).toThrow(message);
});
