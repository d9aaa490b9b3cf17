import { describe, expect, it } from "vitest";
import { EdgecrewClient, EngineError, type RunHandle } from "../../../src/client/index.ts";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import { arrayOf, askingScript, HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";
import { talkOf } from "../../support/talks.ts";
import { frames } from "../../../src/runtime/handle/frame-session.ts";
import { chunksOf } from "../../../src/runtime/handle/run-stream.ts";

const TEA = { inputs: { topic: "tea" } };

function connect(options: { apiKey?: string } & HttpWorldOptions = {}) {
  const { apiKey, ...rest } = options;
  const world = new HttpWorld(rest);
  const client = new EdgecrewClient({
    baseUrl: "http://crews.test/",
    ...(apiKey === undefined ? undefined : { apiKey }),
    clock: world.clock,
    fetch: (url, init) => Promise.resolve(world.app.request(url, init)),
  });
  return { world, client };
}

async function rejection(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!EngineError.is(error)) throw new Error(`expected an EngineError, got ${String(error)}`);
  return error;
}

describe("crews", () => {
  it("are listed, shown, stored as object or YAML, and deleted", async () => {
    const { client } = connect();
    const definition = {
      agents: { a: { role: "A", goal: "g", backstory: "b" } },
      tasks: [{ name: "t", description: "d", expectedOutput: "x", agent: "a" }],
    };
    expect(await client.crews.put("my notes", definition)).toMatchObject({
      name: "my notes",
      source: "stored",
    });
    expect(
      await client.crews.put(
        "my notes",
        "agents: { a: { role: A, goal: g, backstory: b } }\ntasks: { t: { description: d, expected_output: x, agent: a } }",
      ),
    ).toMatchObject({ inputs: [] });
    expect((await client.crews.list({ limit: 2 })).items.map(({ name }) => name)).toEqual([
      "briefing",
      "greeting",
    ]);
    expect((await client.crews.get("my notes")).definition).toMatchObject({ name: "my notes" });
    await client.crews.delete("my notes");
    expect(await rejection(client.crews.get("my notes"))).toMatchObject({ code: "not_found" });
  });
});

describe("agents", () => {
  it("are listed, shown and called", async () => {
    const { client, world } = connect();
    expect((await client.agents.list({ limit: 1 })).items).toMatchObject([{ name: "researcher" }]);
    expect(await client.agents.get("writer")).toMatchObject({ role: "Writer", inputs: [] });
    const run = await client.agents.kickoff("researcher", [{ role: "user", content: "go" }], {
      ...TEA,
      id: "a-1",
    });
    expect(run.id).toBe("a-1");
    await world.clock.settle();
    expect(await run.output()).toMatchObject({ raw: "A fine answer", agentRole: "Researcher" });
    expect(await rejection(client.agents.kickoff("nobody", "hi"))).toMatchObject({
      code: "not_found",
    });
  });
});

describe("triggers", () => {
  function connectTriggers() {
    const world = new TriggerWorld({ auth: { mode: "open-to-everybody" } });
    const fetch = (url: string, init: RequestInit) => Promise.resolve(world.app.request(url, init));
    return { world, client: new EdgecrewClient({ baseUrl: "http://crews.test/", fetch }) };
  }

  it("schedules are stored, changed, paused, run by hand and deleted", async () => {
    const { world, client } = connectTriggers();
    const target = { kind: "crew", name: "greeting" } as const;
    const made = await client.schedules.create({ id: "s", cron: "@hourly", target });
    expect(made).toMatchObject({ id: "s", next: ["2026-01-01T01:00:00.000Z", {}, {}, {}, {}] });
    expect((await client.schedules.pause("s")).paused).toBe(true);
    expect((await client.schedules.unpause("s")).paused).toBe(false);
    expect(await client.schedules.change("s", { overlap: "skip" })).toMatchObject({
      target,
      overlap: "skip",
    });
    const run = await client.schedules.run("s", { id: "now" });
    await world.clock.settle();
    expect([run.id, (await run.status()).status]).toEqual(["now", "completed"]);
    expect((await client.schedules.get("s")).runs).toMatchObject([{ runId: "now" }]);
    expect((await client.schedules.list({ limit: 1 })).items).toMatchObject([{ id: "s" }]);
    await client.schedules.delete("s");
    expect(await rejection(client.schedules.get("s"))).toMatchObject({ code: "not_found" });
  });

  it("hooks are stored, shown and deleted", async () => {
    const { client } = connectTriggers();
    const target = { kind: "flow", name: "review" } as const;
    const secret = "a secret of more than 16 bytes";
    const hook = await client.webhooks.put("in", { scheme: "hmac", secret, target });
    expect(hook).toMatchObject({ name: "in", path: "/hooks/in" });
    expect(await client.webhooks.get("in")).toEqual(hook);
    expect((await client.webhooks.list()).items).toEqual([hook]);
    await client.webhooks.delete("in");
    expect(await rejection(client.webhooks.delete("in"))).toMatchObject({ code: "not_found" });
  });
});

describe("flows", () => {
  it("are listed, shown and started", async () => {
    const { client, world } = connect();
    expect((await client.flows.list()).items).toMatchObject([{ name: "review" }]);
    expect(await client.flows.get("review")).toMatchObject({
      methods: { draft: { start: true }, publish: { listen: "approved" } },
    });
    const run = await client.flows.kickoff("review", { ...TEA, id: "f-1" });
    expect(run.id).toBe("f-1");
    await world.clock.settle();
    await run.resume({ feedback: "approved" });
    await world.clock.settle();
    expect(await run.output()).toMatchObject({ value: "Published: On tea" });
    expect(await rejection(client.flows.kickoff("nobody"))).toMatchObject({ code: "not_found" });
  });

  it("are stored as object or YAML, and deleted", async () => {
    const { client } = connect({ declarativeFlows: declarativeFlows() });
    const go = { start: true, do: { call: "expression", expr: "1" } };
    expect(await client.flows.put("one", { name: "One", methods: { go } })).toMatchObject({
      name: "one",
      source: "stored",
    });
    const text = "name: Two\nmethods: { go: { start: true, do: { call: expression, expr: '2' } } }";
    expect((await client.flows.put("two", text)).methods).toEqual({ go: { start: true } });
    expect((await client.flows.get("one")).definition).toMatchObject({ methods: { go } });
    await client.flows.delete("one");
    expect(await rejection(client.flows.get("one"))).toMatchObject({ code: "not_found" });
  });

  it("take turns in a session, which is shown and deleted", async () => {
    const { client } = connect({
      flows: {
        talk: talkOf({ routeTurn: () => "go" }, { go_on: { listen: "go", run: () => "yes" } }),
      },
    });
    const first = await client.flows.turn("talk", "hi", { sessionId: "a/b", id: "t-1" });
    expect(await first.output()).toMatchObject({ reply: "yes", turn: 1, sessionId: "a/b" });
    const again = await client.flows.turn("talk", "hi", { sessionId: "a/b", id: "t-1" });
    expect(again.id).toBe(first.id);
    const second = await client.flows.turn("talk", "and?", { sessionId: "a/b" });
    expect(await second.output()).toMatchObject({ turn: 2 });
    expect((await client.flows.session("talk", "a/b")).messages).toHaveLength(4);
    await client.flows.deleteSession("talk", "a/b");
    expect(await rejection(client.flows.session("talk", "a/b"))).toMatchObject({
      code: "not_found",
    });
  });
});

describe("a run", () => {
  it("is started, followed to its end and returns its output", async () => {
    const { client } = connect();
    const run: RunHandle = await client.crews.kickoff("briefing", { ...TEA, meta: { ticket: 1 } });
    const events = await arrayOf(run.events());
    expect(events[0]).toMatchObject({ seq: 1, type: "run_started", runId: run.id });
    expect(events.at(-1)).toMatchObject({ type: "run_completed" });
    const stored = events.filter((event) => "seq" in event);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
    expect(events.length).toBeGreaterThan(stored.length);
    expect(await run.output()).toMatchObject({ raw: "A fine answer" });
    expect(await run.status()).toMatchObject({ status: "completed", meta: { ticket: 1 } });
  });

  it("returns only events of the requested types, and still ends", async () => {
    const { client } = connect();
    const run = await client.crews.kickoff("briefing", TEA);
    const events = await arrayOf(run.events({ types: ["task_started", "task_completed"] }));
    expect(events.map(({ type }) => type)).toEqual([
      "task_started",
      "task_completed",
      "task_started",
      "task_completed",
    ]);
    expect(await arrayOf(run.events({ after: 10_000 }))).toEqual([]);
  });

  it("is found again by its id", async () => {
    const { client } = connect();
    await client.crews.kickoff("greeting", { id: "run-1" });
    await client.crews.kickoff("greeting", { id: "run-1" });
    expect(await client.runs.handle("run-1").output()).toMatchObject({ raw: "A fine answer" });
    expect(await client.runs.get("run-1")).toMatchObject({ id: "run-1" });
    expect(
      (await client.runs.list({ name: "greeting", status: "completed", kind: "crew", limit: 5 }))
        .items,
    ).toHaveLength(1);
  });

  it("waits for a person, continues with the answer, and shows its journal", async () => {
    const { world, client } = connect({ script: askingScript() });
    const run = await client.crews.kickoff("briefing", TEA);
    await world.clock.settle();
    const output = run.output();
    expect((await run.status()).waits).toMatchObject([{ prompt: "Go on?" }]);
    await world.clock.advance(60_000);
    await run.resume({ feedback: "by all means" });
    await world.clock.settle();
    expect(await output).toMatchObject({
      tasks: [{ raw: expect.stringContaining("by all means") }, {}],
    });
    const { items, nextCursor } = await run.journal({ limit: 1, values: true });
    expect(items[0]).toHaveProperty("value");
    expect((await run.journal({ cursor: nextCursor ?? "" })).items.length).toBeGreaterThan(0);
    const call = await run.modelCall("task:report/turn:1/llm");
    expect(call.request.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(call.request.recorded).toBe("full");
  });

  it("is cancelled: output rejects with the run's error", async () => {
    const { world, client } = connect({ script: askingScript() });
    const run = await client.crews.kickoff("briefing", TEA);
    await world.clock.settle();
    expect(await run.cancel("no more")).toMatchObject({ status: "cancelled" });
    expect(await rejection(run.output())).toMatchObject({
      code: "run_cancelled",
      message: "the run was cancelled: no more",
    });
  });

  it("rejects once and for all after a failure with a retryable error", async () => {
    const error = new EngineError("model_failed", "the model is down", { retryable: true });
    const { world, client } = connect({ script: () => ({ error }) });
    const run = await client.crews.kickoff("greeting");
    const rejected = rejection(run.output());
    await world.clock.advance(60 * 60_000);
    expect((await rejected).code).toMatch(/model_failed|agent_failed/);
  });

  it("is paused and continues", async () => {
    const { world, client } = connect({ script: () => ({ text: "slow", delayMs: 1000 }) });
    const run = await client.crews.kickoff("briefing", TEA);
    await world.clock.settle();
    expect(await run.pause()).toMatchObject({ paused: true });
    await world.clock.advance(5000);
    const output = run.output();
    await run.unpause();
    await world.clock.advance(60_000);
    expect(await output).toMatchObject({ raw: "slow" });
  });

  it("is forked and replayed", async () => {
    const { client } = connect();
    const run = await client.crews.kickoff("briefing", TEA);
    await run.output();
    const fork = await run.fork({ fromTask: "report", inputs: { topic: "coffee" }, id: "second" });
    expect(fork.id).toBe("second");
    expect(await fork.status()).toMatchObject({
      inputs: { topic: "coffee" },
      origin: { runId: run.id },
    });
    expect((await (await run.replay({ fromStep: "task:report" })).status()).origin).toEqual({
      runId: run.id,
      before: "task:report",
    });
  });
});

describe("streams", () => {
  it("returns the words and the frames of a run behind HTTP, with their task and agent", async () => {
    const { client } = connect();
    const run = await client.crews.kickoff("briefing", TEA);
    const stream = chunksOf(run);
    const chunks = await arrayOf(stream);
    expect(
      chunks.map(({ taskName, taskIndex, content }) => [taskName, taskIndex, content]),
    ).toEqual(
      [
        ["research", 0],
        ["report", 1],
      ].flatMap((place) => ["A ", "fine ", "answer"].map((word) => [...place, word])),
    );
    expect(stream.result).toEqual(await run.output());
    const calls = await arrayOf(frames(run).llm);
    expect(calls.map(({ type }) => type)).toEqual([
      "llm_call_started",
      "llm_call_completed",
      "llm_call_started",
      "llm_call_completed",
    ]);
    expect(calls[3]?.namespace.slice(0, 2)).toEqual(["llm", "task:report/turn:1/llm"]);
    expect(calls[3]?.namespace.at(-1)).toBe("report");
  });
});

describe("checkpoints and deletion", () => {
  it("downloads a run, lists the waits of runs, and forks with another result", async () => {
    const { client, world } = connect({ script: askingScript("Go on?") });
    const run = await client.crews.kickoff("briefing", TEA);
    await world.clock.settle();
    const { items } = await client.runs.waits({ limit: 5 });
    expect(items).toMatchObject([{ prompt: "Go on?", run: { id: run.id, name: "briefing" } }]);
    await run.resume({ feedback: "yes" });
    await world.clock.settle();
    const exported = await run.export();
    expect(exported).toMatchObject({ format: "edgecrew.run/1", run: { id: run.id } });
    expect(exported.steps.map(({ key }) => key)).toContain("task:research");
    const old = exported.steps.find(({ key }) => key === "task:research")?.value as object;
    const replace = { "task:research": { ...old, raw: "Replaced facts" } };
    await run.fork({ fromTask: "report", replace });
    await world.clock.settle();
    expect(JSON.stringify(world.model.calls.at(-1)?.messages)).toContain("Replaced facts");
  });

  it("lists the finished tasks, continues from one, and shows the differences", async () => {
    const { client } = connect();
    const run = await client.crews.kickoff("briefing", TEA);
    await run.output();
    const [first, last] = await run.checkpoints({ values: true });
    expect([first, last]).toMatchObject([
      { task: "research", branch: run.id, output: { name: "research" } },
      { task: "report", parentId: first?.id },
    ]);
    expect(await run.checkpoints({ values: true, after: first?.id })).toEqual([last]);
    expect(await run.checkpoints({ after: last?.id })).toEqual([]);
    const fork = await run.fork({
      fromCheckpoint: first?.id ?? "",
      inputs: { topic: "coffee" },
      branch: "coffee",
    });
    await fork.output();
    expect((await fork.checkpoints()).map(({ branch }) => branch)).toEqual([run.id, "coffee"]);
    const [, forked] = await fork.checkpoints();
    expect(await run.diff(first?.id ?? "", last?.id ?? "")).toMatchObject({
      tasks: [{ task: "report", change: "added" }],
      usage: { requests: 1 },
    });
    const between = await run.diff(last?.id ?? "", forked?.id ?? "", { run: fork.id });
    expect(between.tasks.every(({ key }) => key === "task:report")).toBe(true);
    await expect(run.diff("task:x@1", last?.id ?? "")).rejects.toMatchObject({ code: "not_found" });
  });

  it("deletes finished runs, one by one and by age", async () => {
    const { client, world } = connect();
    const runs = [];
    for (const id of ["one", "two", "three"]) {
      const run = await client.crews.kickoff("briefing", { ...TEA, id });
      await run.output();
      await world.clock.advance(1000);
      runs.push(run);
    }
    const waiting = await client.crews.kickoff("briefing", TEA);
    await waiting.pause();
    await expect(waiting.delete()).rejects.toMatchObject({ code: "conflict" });
    await runs[0]?.delete();
    await expect(runs[0]?.status()).rejects.toMatchObject({ code: "not_found" });
    await expect(runs[0]?.delete()).rejects.toMatchObject({ code: "not_found" });
    const olderThan = new Date(world.clock.now() + 1000).toISOString();
    expect(await client.runs.prune({ olderThan, keep: 1 })).toEqual({
      pruned: ["two"],
      more: false,
    });
    expect(await client.runs.prune({ olderThan: "2020-01-01T00:00:00Z" })).toEqual({
      pruned: [],
      more: false,
    });
    await world.clock.settle();
    const { items } = await client.runs.list();
    expect(items.map(({ id }) => id).toSorted()).toEqual([waiting.id, "three"].toSorted());
  });
});

/** What a call gives when something that is not ours answers. */
function answers(status: number): Promise<unknown> {
  return new EdgecrewClient({
    baseUrl: "http://x",
    fetch: async () => new Response("<html>", { status, headers: { "retry-after": "7" } }),
  }).runs.get("a");
}

describe("errors", () => {
  it("are equal to those of the Worker", async () => {
    const { client } = connect();
    const error = await rejection(client.crews.kickoff("briefing"));
    expect(error).toMatchObject({
      code: "invalid_input",
      retryable: false,
      issues: [{ path: "/inputs/topic", message: "is needed by the crew's texts, got nothing" }],
    });
    expect(await rejection(client.runs.get("nobody"))).toMatchObject({ code: "not_found" });
    expect(await rejection(arrayOf(client.runs.handle("nobody").events()))).toMatchObject({
      code: "not_found",
    });
    expect(await rejection(client.runs.handle("nobody").output())).toMatchObject({
      code: "not_found",
    });
  });

  it("of a proxy are recognized by their status", async () => {
    expect(await rejection(answers(502))).toMatchObject({
      code: "unavailable",
      retryable: true,
      retryAfterMs: 7000,
    });
    expect(await rejection(answers(403))).toMatchObject({ code: "forbidden", retryable: false });
    expect(await rejection(answers(418))).toMatchObject({ code: "invalid_input" });
    expect(await rejection(answers(200))).toMatchObject({ code: "unavailable", retryable: true });
  });
});

describe("keys", () => {
  it("are made, used, listed and deleted", async () => {
    const { world, client } = connect({ auth: { mode: "keys", adminKey: "root" }, apiKey: "root" });
    const { id, key } = await client.keys.create({ tenant: "acme", scopes: ["read"] });
    const acme = new EdgecrewClient({
      baseUrl: "http://crews.test",
      apiKey: key,
      fetch: async (url, init) => world.app.request(url, init),
    });
    expect(await rejection(acme.crews.kickoff("greeting"))).toMatchObject({ code: "forbidden" });
    expect((await client.keys.list()).items).toMatchObject([{ id, tenant: "acme" }]);
    await client.keys.delete(id);
    expect(await rejection(acme.crews.list())).toMatchObject({ code: "unauthorized" });
  });
});
