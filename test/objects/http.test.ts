import { env, exports } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import type { Problem } from "../../src/parts/problem.ts";
import type { Run } from "../../src/runtime/run.ts";
import worker from "./worker.ts";
import { callsOf, heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { parsed } from "./support/listening.ts";
import { newId, SOON } from "./support/runs.ts";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(new Request(`https://api.test${path}`, init));
}

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return ask(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
}

describe("kickoff", () => {
  it("answers 200 with the output when it is preferred to wait", async () => {
    const response = await post("/crews/single/kickoff", {}, { prefer: "wait=10" });
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("wait=10");
    expect(await response.json()).toMatchObject({ status: "completed", output: { raw: "done" } });
  });

  it("answers 202 when the run comes to wait for a person meanwhile", async () => {
    const response = await post("/crews/asking/kickoff", {}, { prefer: "wait=10" });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ status: "waiting" });
  });

  it("DC3: streams the events when they are accepted", async () => {
    const response = await post("/crews/single/kickoff", {}, { accept: "text/event-stream" });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(parsed(await response.text()).events.at(-1)).toMatchObject({ type: "run_completed" });
  });

  it("DC7: with one Idempotency-Key is one run, however often it is sent", async () => {
    const key = `order 17 of ${newId("today")}`;
    const send = async (): Promise<{ id: string }> =>
      (await post("/crews/single/kickoff", {}, { "idempotency-key": key })).json();
    const ids = await Promise.all([send(), send(), send()]);
    expect(new Set(ids.map(({ id }) => id))).toHaveLength(1);
    await client.runs.handle(ids[0]?.id ?? "").output();
    expect(callsOf(ids[0]?.id ?? "")).toHaveLength(1);
  });

  it("of an unknown crew is a problem with its name", async () => {
    const response = await post("/crews/nobody/kickoff", {});
    expect(response.status).toBe(404);
    expect(await response.json<Problem>()).toMatchObject({
      code: "not_found",
      detail: `there is no crew "nobody"`,
    });
  });
});

describe("a crew stored as YAML", () => {
  const yaml = `
agents:
  researcher:
    role: "{topic} researcher"
    goal: Find out about {topic}
    backstory: You read a lot.
    tools: [look_up, calculator]
  writer:
    role: Writer
    goal: Write
    backstory: You write.
tasks:
  research_task:
    description: Look up what matters about {topic}
    expected_output: Three facts
    agent: researcher
  report_task:
    description: Write a report about {topic}
    expected_output: A page
    agent: writer
    context: [research_task]
`;

  it("runs at once, with tools of the registry, and is gone when it is deleted", async () => {
    const stored = await client.crews.put("stored", yaml);
    expect(stored).toMatchObject({
      name: "stored",
      source: "stored",
      inputs: ["topic"],
      tasks: [{ name: "research_task" }, { name: "report_task" }],
    });
    const run = await client.crews.kickoff("stored", { inputs: { topic: "tea" } });
    const output = (await run.output()) as {
      raw: string;
      tasks: ReadonlyArray<{ name: string; agent: string }>;
    };
    expect(output.tasks).toMatchObject([
      { name: "research_task", agent: "tea researcher" },
      { name: "report_task" },
    ]);
    expect(output.raw).not.toBe("");
    await client.crews.delete("stored");
    await expect(
      client.crews.kickoff("stored", { inputs: { topic: "tea" } }),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(await run.status()).toMatchObject({
      status: "completed",
      tasks: [{ status: "completed" }, { status: "completed" }],
    });
  });

  it("DC6: a run keeps the definition of its start", async () => {
    await client.crews.put("changing", yaml);
    const id = newId("changing");
    holdCalls(id, /report_task/);
    const run = await client.crews.kickoff("changing", { id, inputs: { topic: "tea" } });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await client.crews.put("changing", yaml.replaceAll("report_task", "another_task"));
    letGo(id);
    expect(await run.output()).toMatchObject({
      tasks: [{ name: "research_task" }, { name: "report_task" }],
    });
  });
});

describe("a run over HTTP", () => {
  it("DC4: is cancelled in the middle of a call", async () => {
    const id = newId("long");
    holdCalls(id, /turn:2/);
    const run = await client.crews.kickoff("long", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    expect(await run.cancel("enough")).toMatchObject({ status: "cancelled" });
    await expect.poll(() => callsOf(id).at(-1)?.abortedAtMs, SOON).toBeDefined();
    await expect(run.output()).rejects.toMatchObject({ code: "run_cancelled" });
  });

  it("DC1: is paused between two steps and goes on when it is unpaused", async () => {
    const id = newId("long");
    holdCalls(id, /turn:2\/llm/);
    const run = await client.crews.kickoff("long", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    await run.pause();
    letGo(id);
    await expect.poll(async () => (await run.status()).status, SOON).toBe("waiting");
    expect(callsOf(id)).toHaveLength(3);
    await run.unpause();
    expect(await run.output()).toMatchObject({
      raw: expect.stringContaining("facts about 11") as string,
    });
    expect(keysCalled(id)).toHaveLength(new Set(keysCalled(id)).size);
  });

  it.each(["fork", "replay"] as const)(
    "DC1: %s from a task takes over the steps before it",
    async (how) => {
      const run = await client.crews.kickoff("tour");
      const output = await run.output();
      const again = await run[how]({ fromTask: "report", id: newId(how) });
      expect(await again.output()).toMatchObject({ raw: (output as { raw: string }).raw });
      expect(keysCalled(again.id).every((key) => key.startsWith("task:report/"))).toBe(true);
      expect(await again.status()).toMatchObject({
        origin: { runId: run.id, before: "task:report" },
      });
      expect(keysIn(await again.journal({ limit: 200 }))).toContain("task:research");
    },
  );

  it("DC1: a fork from a step takes other inputs", async () => {
    const run = await client.crews.kickoff("long", { inputs: { of: "the first" } });
    await run.output();
    const fork = await run.fork({
      fromStep: "task:steps/turn:11/llm",
      inputs: { of: "the second" },
      id: newId("fork"),
    });
    await fork.output();
    expect((await fork.status()).inputs).toEqual({ of: "the second" });
    expect(keysCalled(fork.id)[0]).toBe("task:steps/turn:11/llm");
  });

  it("DC2: waits for an answer and shows the choices", async () => {
    const run = await client.crews.kickoff("choosing");
    await expect
      .poll(async () => (await run.status()).waits, SOON)
      .toMatchObject([{ kind: "input", choices: ["yes", "no"] }]);
    const refused = await post(`/runs/${run.id}/resume`, { value: "perhaps" });
    expect(refused.status).toBe(400);
    await run.resume({ value: "no" });
    expect(await run.output()).toMatchObject({ raw: "answer from: no | facts about a" });
    expect((await post(`/runs/${run.id}/resume`, { value: "no" })).status).toBe(409);
  });

  it("DC3: streams over a WebSocket on the path of its events", async () => {
    const run = await client.crews.kickoff("single");
    await run.output();
    const { status, webSocket } = await ask(`/runs/${run.id}/events?after=2`, {
      headers: { upgrade: "websocket" },
    });
    expect(status).toBe(101);
    const heard: string[] = [];
    webSocket?.addEventListener("message", ({ data }) => {
      heard.push(String(data));
    });
    webSocket?.accept();
    await expect.poll(() => heard.at(-1), SOON).toContain("run_completed");
    expect(JSON.parse(heard[0] ?? "")).toMatchObject({ seq: 3 });
  });

  it("is listed, newest first", async () => {
    const run = await client.crews.kickoff("single", { meta: { order: 17 } });
    await run.output();
    await expect
      .poll(
        async () =>
          (await client.runs.list({ name: "single", status: "completed", limit: 1 })).items[0]?.id,
        SOON,
      )
      .toBe(run.id);
    const [listed] = (await client.runs.list({ limit: 1 })).items;
    const { createdAt, meta } = await run.status();
    expect({ id: listed?.id, createdAt: listed?.createdAt }).toEqual({ id: run.id, createdAt });
    expect(meta).toEqual({ order: 17 });
  });

  it.each([
    ["GET", "", {}],
    ["GET", "/events", {}],
    ["GET", "/events", { upgrade: "websocket" }],
    ["GET", "/journal", {}],
    ["POST", "/cancel", {}],
    ["POST", "/pause", {}],
    ["POST", "/fork", { "content-type": "application/json" }],
  ])("with an unknown id: %s /runs/never%s is 404", async (method, path, headers) => {
    const body = path === "/fork" ? { body: JSON.stringify({ fromTask: "x" }) } : {};
    const response = await ask(`/runs/never${path}`, { method, headers, ...body });
    expect({ status: response.status, problem: await response.json<Problem>() }).toMatchObject({
      status: 404,
      problem: { code: "not_found", detail: "there is no run never" },
    });
  });
});

describe("tenants with keys", () => {
  const ADMIN = "the-secret-of-the-operator";
  const closed = { ...env, EDGECREW_AUTH: "keys", EDGECREW_ADMIN_KEY: ADMIN } as const;

  function clientOf(apiKey: string): EdgecrewClient {
    return new EdgecrewClient({
      baseUrl: "https://api.test",
      apiKey,
      fetch: async (url, init) =>
        worker.fetch(new Request(url, init), closed, createExecutionContext()),
    });
  }

  async function tenantClient(tenant: string): Promise<EdgecrewClient> {
    const { key } = await clientOf(ADMIN).keys.create({ tenant, scopes: ["run", "read"] });
    return clientOf(key);
  }

  it("do not see each other's runs", async () => {
    const [acme, globex] = [await tenantClient("acme-http"), await tenantClient("globex-http")];
    const id = newId("asking");
    const run = await acme.crews.kickoff("asking", { id });
    await expect.poll(async () => (await run.status()).status, SOON).toBe("waiting");
    await expect(globex.runs.get(id)).rejects.toMatchObject({ code: "not_found" });
    await expect(globex.runs.handle(id).resume({ feedback: "x" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(
      globex.runs.handle(id).events()[Symbol.asyncIterator]().next(),
    ).rejects.toMatchObject({ code: "not_found" });
    expect((await globex.runs.list()).items).toEqual([]);
    const own = await globex.crews.kickoff("single", { id });
    expect(await own.output()).toMatchObject({ raw: "done" });
    expect((await run.status()).status).toBe("waiting");
  });

  it("A6: follow a run's events to its end as a stream", async () => {
    const acme = await tenantClient("acme-http");
    const run = await acme.crews.kickoff("single", { id: newId("single") });
    const types: string[] = [];
    for await (const { type } of run.events()) types.push(type);
    expect([types[0], types.at(-1)]).toEqual(["run_started", "run_completed"]);
  });

  it("A6: receive no more over a WebSocket once their key is deleted", async () => {
    const admin = clientOf(ADMIN);
    const { id: keyId, key } = await admin.keys.create({
      tenant: "acme-http",
      scopes: ["run", "read"],
    });
    const id = newId("asking");
    const run = await clientOf(key).crews.kickoff("asking", { id });
    await expect.poll(async () => (await run.status()).status, SOON).toBe("waiting");
    const { status, webSocket } = await worker.fetch(
      new Request(`https://api.test/runs/${id}/events`, {
        headers: { upgrade: "websocket", authorization: `Bearer ${key}` },
      }),
      closed,
      createExecutionContext(),
    );
    expect(status).toBe(101);
    const types: unknown[] = [];
    let code: number | undefined;
    webSocket?.addEventListener("message", ({ data }) => {
      types.push((JSON.parse(String(data)) as { type: string }).type);
    });
    webSocket?.addEventListener("close", (event) => (code = event.code));
    webSocket?.accept();
    await expect.poll(() => types.at(-1), SOON).toBe("run_waiting");
    const before = types.length;
    const { key: other } = await admin.keys.create({ tenant: "acme-http", scopes: ["run"] });
    await admin.keys.delete(keyId);
    await clientOf(other).runs.handle(id).cancel();
    await expect.poll(() => code, SOON).toBe(4401);
    expect(types.slice(before)).toEqual([]);
  });

  it("without a key get only the liveness", async () => {
    for (const [path, expected] of [
      ["/healthz", 200],
      ["/runs", 401],
      ["/crews", 401],
      ["/runs/any/events", 401],
    ] as const) {
      const { status } = await worker.fetch(
        new Request(`https://api.test${path}`),
        closed,
        createExecutionContext(),
      );
      expect({ path, status }).toEqual({ path, status: expected });
    }
  });
});

function keysIn(page: { items: ReadonlyArray<{ key: string }> }): readonly string[] {
  return page.items.map(({ key }) => key);
}

it("the view of a run has the journal's data, running or not", async () => {
  const id = newId("asking-async");
  const run = await client.crews.kickoff("asking-async", { id });
  await expect.poll(async () => (await run.status()).status, SOON).toBe("waiting");
  const { tasks, usage } = (await (await ask(`/runs/${id}`)).json()) as Run;
  expect(tasks?.map(({ status }) => status)).toEqual(["running", "completed", "pending"]);
  expect(usage.requests).toBe(3);
});
