// The error table of A2A 1.0.1, section 5.4, and what else is refused.
import { describe, expect, it } from "vitest";
import type { Task } from "../../../../../src/protocols/a2a/schema.ts";
import { textOf, type AskOptions } from "../../../../support/http-app.ts";
import { A2AWorld, type A2AWorldOptions } from "./world.ts";

type Row = {
  readonly name: string;
  readonly options?: A2AWorldOptions;
  readonly rpc: { readonly method: string; readonly params: object };
  readonly rest: { readonly path: string } & AskOptions;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly status: number;
  readonly grpc: string;
  readonly reason?: string;
};

const MESSAGE = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hi" }] };
const send = (message: object, more: object = {}): Pick<Row, "rpc" | "rest"> => ({
  rpc: { method: "SendMessage", params: { message, ...more } },
  rest: { path: "/message:send", json: { message, ...more } },
});
const onTask = (
  method: string,
  path: string,
  options: AskOptions = {},
): Pick<Row, "rpc" | "rest"> => ({
  rpc: { method, params: { id: "TASK", taskId: "TASK" } },
  rest: { path: `/tasks/TASK${path}`, ...options },
});
const push = (more: object = {}): Pick<Row, "rpc" | "rest"> => ({
  rpc: {
    method: "CreateTaskPushNotificationConfig",
    params: { taskId: "TASK", url: "https://example.com/hook", ...more },
  },
  rest: {
    path: "/tasks/TASK/pushNotificationConfigs",
    json: { url: "https://example.com/hook", ...more },
  },
});
const NOT_FOUND = { code: -32001, status: 404, grpc: "NOT_FOUND", reason: "TASK_NOT_FOUND" };
const INVALID = { code: -32602, status: 400, grpc: "INVALID_ARGUMENT" };
const failed = (code: number, reason: string) => ({
  code,
  status: 400,
  grpc: "FAILED_PRECONDITION",
  reason,
});
const UNSUPPORTED = failed(-32004, "UNSUPPORTED_OPERATION");
const REQUIRED = { uri: "https://example.com/ext/v1", required: true };

/** TASK stands for a task that has completed, NOTHING for one that never was. */
const ROWS: readonly Row[] = [
  {
    name: "get: no such task",
    rpc: { method: "GetTask", params: { id: "NOTHING" } },
    rest: { path: "/tasks/NOTHING" },
    ...NOT_FOUND,
  },
  {
    name: "cancel: no such task",
    rpc: { method: "CancelTask", params: { id: "NOTHING" } },
    rest: { path: "/tasks/NOTHING:cancel", method: "POST" },
    ...NOT_FOUND,
  },
  {
    name: "subscribe: no such task",
    rpc: { method: "SubscribeToTask", params: { id: "NOTHING" } },
    rest: { path: "/tasks/NOTHING:subscribe", method: "POST" },
    ...NOT_FOUND,
  },
  { name: "send: no such task", ...send({ ...MESSAGE, taskId: "NOTHING" }), ...NOT_FOUND },
  {
    name: "an id that no task can have",
    rpc: { method: "GetTask", params: { id: "../x y" } },
    rest: { path: "/tasks/..%2Fx%20y" },
    ...NOT_FOUND,
  },
  {
    name: "push: no such task",
    rpc: { method: "ListTaskPushNotificationConfigs", params: { taskId: "NOTHING" } },
    rest: { path: "/tasks/NOTHING/pushNotificationConfigs" },
    ...NOT_FOUND,
  },
  {
    name: "push: no such configuration",
    rpc: { method: "GetTaskPushNotificationConfig", params: { taskId: "TASK", id: "none" } },
    rest: { path: "/tasks/TASK/pushNotificationConfigs/none" },
    ...NOT_FOUND,
  },
  {
    name: "cancel: it has ended",
    ...onTask("CancelTask", ":cancel", { method: "POST" }),
    ...failed(-32002, "TASK_NOT_CANCELABLE"),
  },
  {
    name: "push where there is none",
    options: { a2a: { pushNotifications: false } },
    ...push(),
    ...failed(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
  },
  {
    name: "push with the message where there is none",
    options: { a2a: { pushNotifications: false } },
    ...send(MESSAGE, {
      configuration: { taskPushNotificationConfig: { url: "https://example.com" } },
    }),
    ...failed(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
  },
  {
    name: "subscribe: it has ended",
    ...onTask("SubscribeToTask", ":subscribe", { method: "POST" }),
    ...UNSUPPORTED,
  },
  { name: "send: it has ended", ...send({ ...MESSAGE, taskId: "TASK" }), ...UNSUPPORTED },
  {
    name: "no extended card",
    rpc: { method: "GetExtendedAgentCard", params: {} },
    rest: { path: "/extendedAgentCard" },
    ...UNSUPPORTED,
  },
  {
    name: "a part of another media type",
    ...send({ ...MESSAGE, parts: [{ raw: "AAAA", mediaType: "video/mp4" }] }),
    code: -32005,
    status: 400,
    grpc: "INVALID_ARGUMENT",
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
  },
  {
    name: "no output that the caller takes",
    ...send(MESSAGE, { configuration: { acceptedOutputModes: ["video/mp4"] } }),
    code: -32005,
    status: 400,
    grpc: "INVALID_ARGUMENT",
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
  },
  {
    name: "a required extension",
    options: { a2a: { extensions: [REQUIRED] } },
    ...send(MESSAGE),
    ...failed(-32008, "EXTENSION_SUPPORT_REQUIRED"),
  },
  {
    name: "another version",
    headers: { "a2a-version": "9.9" },
    ...send(MESSAGE),
    ...failed(-32009, "VERSION_NOT_SUPPORTED"),
  },
  {
    name: "a version with a patch",
    headers: { "a2a-version": "1.0.1" },
    ...send(MESSAGE),
    ...failed(-32009, "VERSION_NOT_SUPPORTED"),
  },
  {
    name: "no version is 0.3",
    options: { a2a: { versions: ["1.0"] } },
    headers: { "a2a-version": "" },
    ...send(MESSAGE),
    ...failed(-32009, "VERSION_NOT_SUPPORTED"),
  },
  {
    name: "no message",
    rpc: { method: "SendMessage", params: {} },
    rest: { path: "/message:send", json: {} },
    ...INVALID,
  },
  { name: "no parts", ...send({ ...MESSAGE, parts: [] }), ...INVALID },
  {
    name: "a part of two kinds",
    ...send({ ...MESSAGE, parts: [{ text: "a", url: "https://example.com" }] }),
    ...INVALID,
  },
  {
    name: "a part of no kind",
    ...send({ ...MESSAGE, parts: [{ mediaType: "text/plain" }] }),
    ...INVALID,
  },
  {
    name: "too many parts",
    ...send({ ...MESSAGE, parts: Array.from({ length: 65 }, () => ({ text: "a" })) }),
    ...INVALID,
  },
  { name: "no message id", ...send({ ...MESSAGE, messageId: "" }), ...INVALID },
  { name: "the agent's role", ...send({ ...MESSAGE, role: "ROLE_AGENT" }), ...INVALID },
  {
    name: "a context id that cannot be kept",
    ...send({ ...MESSAGE, contextId: "a\nb" }),
    ...INVALID,
  },
  {
    name: "raw that is no base64",
    ...send({ ...MESSAGE, parts: [{ raw: "???", mediaType: "text/plain" }] }),
    ...INVALID,
  },
  {
    name: "a negative history length",
    rpc: { method: "GetTask", params: { id: "TASK", historyLength: -1 } },
    rest: { path: "/tasks/TASK?historyLength=-1" },
    ...INVALID,
  },
  {
    name: "a history length that is no number",
    rpc: { method: "GetTask", params: { id: "TASK", historyLength: "many" } },
    rest: { path: "/tasks/TASK?historyLength=many" },
    ...INVALID,
  },
  {
    name: "a page of nothing",
    rpc: { method: "ListTasks", params: { pageSize: 0 } },
    rest: { path: "/tasks?pageSize=0" },
    ...INVALID,
  },
  {
    name: "a page that is too large",
    rpc: { method: "ListTasks", params: { pageSize: 101 } },
    rest: { path: "/tasks?pageSize=101" },
    ...INVALID,
  },
  {
    name: "a page token of somebody else",
    rpc: { method: "ListTasks", params: { pageToken: "abc" } },
    rest: { path: "/tasks?pageToken=abc" },
    ...INVALID,
  },
  {
    name: "a state that is none",
    rpc: { method: "ListTasks", params: { status: "done" } },
    rest: { path: "/tasks?status=done" },
    ...INVALID,
  },
  {
    name: "a time that is none",
    rpc: { method: "ListTasks", params: { statusTimestampAfter: "yesterday" } },
    rest: { path: "/tasks?statusTimestampAfter=yesterday" },
    ...INVALID,
  },
  {
    name: "push to a private address",
    ...push({ url: "http://169.254.169.254/latest" }),
    ...INVALID,
  },
  { name: "push to this machine", ...push({ url: "http://localhost:9/x" }), ...INVALID },
  { name: "push with a token that would break headers", ...push({ token: "a\r\nb" }), ...INVALID },
  {
    name: "a file of a private address",
    ...send({ ...MESSAGE, parts: [{ url: "http://10.0.0.1/a", mediaType: "text/plain" }] }),
    ...INVALID,
  },
  {
    name: "a response schema that is none",
    ...send({ ...MESSAGE, metadata: { responseSchema: { pattern: "(a)\\1" } } }),
    ...INVALID,
  },
];

async function prepared({ options, rpc, rest }: Row): Promise<{
  world: A2AWorld;
  rpc: Row["rpc"];
  rest: Row["rest"];
}> {
  const world = new A2AWorld({
    ...options,
    a2a: {
      ...options?.a2a,
      expose: {
        "flow/conformance": {
          request: "request",
          files: "files",
          inputModes: ["text/plain", "application/json"],
        },
      },
    },
  });
  const headers = { "a2a-extensions": REQUIRED.uri };
  const { task } = (await world.result(
    "SendMessage",
    { message: { ...MESSAGE, messageId: "first" } },
    { headers },
  )) as unknown as { task: Task };
  const filled = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replaceAll('TASK"', `${task.id}"`).replaceAll("/TASK", `/${task.id}`),
    ) as T;
  return { world, rpc: filled(rpc), rest: filled(rest) };
}

describe("errors of operations", () => {
  it.each(ROWS)("JSON-RPC: $name", async (row) => {
    const { world, rpc } = await prepared(row);
    const { status, json } = await world.rpc(rpc.method, rpc.params, {
      headers: { ...row.headers },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      error: { code: row.code, message: expect.stringMatching(/\S/) },
    });
    expect([json["error"]?.["data"]].flat()).toEqual(detailsOf(row));
    expect(world.reported).toEqual([]);
  });

  it.each(ROWS)("HTTP+JSON: $name", async (row) => {
    const { world, rest } = await prepared(row);
    const { path, ...options } = rest;
    const { status, json, headers } = await world.rest(path, {
      ...options,
      headers: { ...row.headers },
    });
    expect(status).toBe(row.status);
    expect(headers.get("content-type")).toMatch(/json/);
    expect(json).toMatchObject({
      error: {
        code: row.status,
        status: row.grpc,
        message: expect.stringMatching(/\S/),
        details: expect.any(Array),
      },
    });
    expect(json["error"]?.["details"]).toEqual(detailsOf(row));
  });
});

const anything = expect.any(Array) as unknown;

/** An A2A error says which one it is; bad parameters may say which field is. */
function detailsOf({ reason }: Row): unknown {
  if (reason === undefined) return anything;
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", domain: "a2a-protocol.org" };
  return [expect.objectContaining({ ...info, reason })];
}

describe("JSON-RPC envelopes", () => {
  const world = new A2AWorld();
  const CASES: ReadonlyArray<[string, string, number, unknown]> = [
    ["no JSON", "{", -32700, null],
    ["nothing", "", -32700, null],
    ["a batch", "[]", -32600, null],
    ["a number", "5", -32600, null],
    ["another version of JSON-RPC", '{"jsonrpc":"1.0","id":3,"method":"GetTask"}', -32600, 3],
    ["no method", '{"jsonrpc":"2.0","id":"x"}', -32600, "x"],
    ["no id", '{"jsonrpc":"2.0","method":"GetTask"}', -32600, null],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600, null],
    [
      "parameters that are a text",
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}',
      -32600,
      1,
    ],
    [
      "parameters that are a list",
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[1]}',
      -32602,
      1,
    ],
    ["no such method", '{"jsonrpc":"2.0","id":1,"method":"Nothing"}', -32601, 1],
    ["a method of 0.3", '{"jsonrpc":"2.0","id":1,"method":"message/send"}', -32601, 1],
    ["a member of every object", '{"jsonrpc":"2.0","id":1,"method":"toString"}', -32601, 1],
    [
      "parameters without the task",
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}',
      -32602,
      1,
    ],
    [
      "deep nesting",
      `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${'{"a":'.repeat(200)}1${"}".repeat(200)}}`,
      -32700,
      null,
    ],
  ];

  it.each(CASES)("ARP1: %s", async (...[, body, code, id]) => {
    const answer = await world.ask("/a2a/conformance", {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
    });
    expect(answer.json).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
    expect(answer.status).toBe(200);
  });

  it("ARP2: refuses bodies of another type, and oversized ones", async () => {
    const type = await world.ask("/a2a/conformance", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    expect(type).toMatchObject({ status: 415, json: { error: { code: -32005 } } });
    const large = new A2AWorld({ limits: { maxBodyBytes: 100 } });
    const { status, json } = await large.rpc("SendMessage", {
      message: large.message("x".repeat(200)),
    });
    expect({ status, json }).toMatchObject({ status: 413, json: { error: { code: -32602 } } });
    expect(
      await large.rest("/message:send", { json: { message: large.message("x".repeat(200)) } }),
    ).toMatchObject({ status: 413, json: { error: { status: "INVALID_ARGUMENT" } } });
  });

  it("ignores fields unknown to 1.0", async () => {
    const message = world.message("Hi", {
      messageId: "tck-more",
      more: 1,
      parts: [{ text: "Hi", other: true, raw: null, metadata: null }],
    });
    const { json } = await world.rpc("SendMessage", {
      message,
      configuration: { other: 1, historyLength: null },
    });
    expect(json).toMatchObject({ result: { task: { status: { state: "TASK_STATE_COMPLETED" } } } });
  });
});

describe("the way to an operation", () => {
  it("returns 404 for subjects that are not exposed", async () => {
    const world = new A2AWorld();
    const rpc = await world.rpc("GetTask", { id: "x" }, { agent: "greeting" });
    const never = await world.rpc("GetTask", { id: "x" }, { agent: "nothing" });
    expect([rpc.status, rpc.json["error"]?.["code"]]).toEqual([404, -32601]);
    expect([never.status, never.json["error"]?.["code"]]).toEqual([404, -32601]);
    expect(await world.rest("/tasks", { agent: "greeting" })).toMatchObject({
      status: 404,
      json: { error: { status: "NOT_FOUND" } },
    });
    expect((await world.rest("/.well-known/agent-card.json", { agent: "greeting" })).status).toBe(
      404,
    );
    expect((await world.rest("/message:nothing", { json: {} })).status).toBe(404);
    expect((await world.rest("/nothing/at/all")).json).toMatchObject({ error: { code: 404 } });
  });

  it("CL2: names the time to call again after too many calls", async () => {
    const world = new A2AWorld({ a2a: { limits: { perMinute: 1 } } });
    await world.task({ message: world.message("1") });
    const rpc = await world.rpc("SendMessage", { message: world.message("2") });
    expect(rpc).toMatchObject({ status: 429, json: { error: { code: -32013 } } });
    expect(Number(rpc.headers.get("retry-after"))).toBeGreaterThan(0);
    const rest = await world.rest("/message:send", { json: { message: world.message("3") } });
    expect(rest).toMatchObject({ status: 429, json: { error: { status: "RESOURCE_EXHAUSTED" } } });
    expect(Number(rest.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("names the allowed methods of an address", async () => {
    const world = new A2AWorld();
    const answer = await world.ask("/a2a/shop", { method: "GET" });
    expect(answer).toMatchObject({
      status: 405,
      json: { jsonrpc: "2.0", error: { code: -32600 } },
    });
    expect(answer.headers.get("allow")).toBe("POST");
  });

  it("challenges callers without a key, and refuses those without the scope", async () => {
    const world = new A2AWorld({ auth: { mode: "keys", adminKey: "the-admin-key-of-this-test" } });
    const made = await world.ask("/keys", {
      key: "the-admin-key-of-this-test",
      json: { tenant: "acme", scopes: ["read"] },
    });
    const key = textOf(made.json["key"]);
    const rpc = await world.rpc("SendMessage", { message: world.message("x") });
    expect(rpc).toMatchObject({
      status: 401,
      json: { jsonrpc: "2.0", id: null, error: { code: -32011 } },
    });
    expect(rpc.headers.get("www-authenticate")).toMatch(/^Bearer/);
    const rest = await world.rest("/tasks");
    expect(rest).toMatchObject({ status: 401, json: { error: { status: "UNAUTHENTICATED" } } });
    expect(rest.headers.get("www-authenticate")).toMatch(/^Bearer/);
    const scope = await world.rpc("SendMessage", { message: world.message("x") }, { key });
    expect(scope).toMatchObject({ status: 403, json: { error: { code: -32012 } } });
    expect((await world.rpc("ListTasks", {}, { key })).json).toMatchObject({
      result: { tasks: [] },
    });
  });

  it("AO2: another tenant's task is not found, like an unknown one", async () => {
    const adminKey = "the-admin-key-of-this-test";
    const world = new A2AWorld({ auth: { mode: "keys", adminKey } });
    const made = await world.ask("/keys", {
      key: adminKey,
      json: { tenant: "acme", scopes: ["run", "read"] },
    });
    const key = textOf(made.json["key"]);
    const { id } = await world.task({ message: world.message("x") }, { key });
    expect((await world.rpc("GetTask", { id }, { key })).json).toMatchObject({ result: { id } });
    const theirs = await world.rpc("GetTask", { id }, { key: adminKey });
    const never = await world.rpc("GetTask", { id: id.replace(/^./, "x") }, { key: adminKey });
    expect(theirs.json["error"]).toMatchObject({ code: -32001 });
    expect(never.json["error"]).toMatchObject({ code: -32001 });
    expect((await world.result("ListTasks", {}, { key: adminKey }))["totalSize"]).toBe(0);
    expect((await world.rpc("CancelTask", { id }, { key: adminKey })).json).toMatchObject({
      error: { code: -32001 },
    });
    expect((await world.rpc("GetTask", { id }, { key, agent: "writer" })).json).toMatchObject({
      error: { code: -32001 },
    });
  });
});
