import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { noteOf, SdkRetries, type Try } from "../../../../src/protocols/openai/sdk-retries.ts";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { D1ThreadStore } from "../../../../src/cloudflare/stores/d1-thread-store.ts";
import { ask } from "../../../support/http-app.ts";
import { EXPOSED, OpenAiWorld } from "../../../support/openai-world.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const messages = [{ role: "user", content: "Go" }] satisfies OpenAI.ChatCompletionMessageParam[];
const request = { model: "agent/clerk", messages };

/** OpenAI's client with its own defaults; `lose` names the answers that never arrive, by their number from 0. */
function defaultSdk(world: OpenAiWorld, lose: readonly number[] = [], apiKey = "none") {
  const sent: Headers[] = [];
  const sdk = new OpenAI({
    apiKey,
    baseURL: "https://api.test/v1",
    fetch: async (url, init) => {
      const number = sent.length;
      const outgoing = new Request(url, init);
      sent.push(outgoing.headers);
      const answer = await world.app.fetch(outgoing);
      if (lose.includes(number)) throw new TypeError("the connection was lost");
      return answer;
    },
  });
  return { sdk, sent };
}

/** A request as an SDK sends it. */
function send(world: OpenAiWorld, count: number, more: object = {}): Promise<Response> {
  return Promise.resolve(
    world.request("/v1/chat/completions", {
      json: { ...request, ...more },
      headers: { "x-stainless-retry-count": String(count), "x-stainless-timeout": "600" },
    }),
  );
}

const started = async (world: OpenAiWorld): Promise<number> =>
  (await world.runs.list({ tenant: "default", limit: 50 })).items.length;

/** Resolves once the models were asked so often. */
async function asked(world: OpenAiWorld, times: number): Promise<void> {
  await expect.poll(() => world.model.calls.length, { interval: 5, timeout: 10_000 }).toBe(times);
}

/** What a promise gives, while time passes. */
async function inTime<Value>({ clock }: OpenAiWorld, promise: Promise<Value>): Promise<Value> {
  const state = { isDone: false };
  const done = promise.finally(() => (state.isDone = true));
  while (!state.isDone) {
    await clock.advance(1_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return done;
}

const slow = () => ({ text: "Late", delayMs: 20_000 });

describe("a failed run", () => {
  it("OF1: is one run for the SDK with its defaults, and no 5xx when it is permanent", async () => {
    for (const code of ["model_unauthorized", "model_rejected", "content_filtered"] as const) {
      const world = new OpenAiWorld({ script: () => ({ error: new EngineError(code, "no") }) });
      const { sdk, sent } = defaultSdk(world);
      for (const call of [
        () => sdk.chat.completions.create(request),
        () => sdk.responses.create({ model: "agent/clerk", input: "Go" }),
      ])
        await expect(call()).rejects.toMatchObject({ status: 400, code });
      expect(sent).toHaveLength(2);
      expect(world.model.calls).toHaveLength(2);
    }
  });

  it("OF1: is one run for a temporary failure too, with a matching status", async () => {
    const world = new OpenAiWorld({
      script: () => ({ error: new EngineError("model_failed", "away", { retryable: true }) }),
      agents: { clerk: new Agent({ role: "C", goal: "g", backstory: "b", maxRetryLimit: 0 }) },
    });
    const { sdk, sent } = defaultSdk(world);
    const failed = sdk.chat.completions.create(request).catch((error: unknown) => error);
    await inTime(world, failed);
    expect(await failed).toMatchObject({ status: 502, code: "model_failed" });
    expect(sent).toHaveLength(1);
    expect(await started(world)).toBe(1);
  });
});

describe("a repetition by an SDK", () => {
  it("OR1: joins the run of the try with the lost answer, streamed or not", async () => {
    for (const stream of [false, true]) {
      const world = new OpenAiWorld({ script: () => "Once." });
      const { sdk, sent } = defaultSdk(world, [0, 1]);
      const text = stream
        ? await sdk.chat.completions.stream(request).finalContent()
        : (await sdk.chat.completions.create(request)).choices[0]?.message.content;
      expect(text).toBe("Once.");
      expect(sent.map((headers) => headers.get("x-stainless-retry-count"))).toEqual([
        "0",
        "1",
        "2",
      ]);
      expect(world.model.calls).toHaveLength(1);
    }
  });

  it("OR1: joins a running run", async () => {
    const world = new OpenAiWorld({ script: slow });
    const first = send(world, 0);
    await asked(world, 1);
    const second = send(world, 1);
    await inTime(world, Promise.all([first, second]));
    const [one, two] = await Promise.all(
      [first, second].map(async (answer) => (await answer).json()),
    );
    expect(two).toEqual(one);
    expect(world.model.calls).toHaveLength(1);
  });

  it("OR1: joins the response with the lost answer", async () => {
    const world = new OpenAiWorld({ script: () => "Once." });
    const { sdk } = defaultSdk(world, [0]);
    const { output_text: text } = await sdk.responses.create({ model: "agent/clerk", input: "Go" });
    expect(text).toBe("Once.");
    expect(world.model.calls).toHaveLength(1);
  });

  it("OR1: joins the answer to a question, which counts once", async () => {
    const script = ({ messages: said }: { messages: readonly { role: string }[] }) =>
      said.at(-1)?.role === "tool"
        ? "Done."
        : { toolCalls: [{ name: "ask", arguments: { question: "Well?" } }] };
    const agent = new Agent({ role: "C", goal: "g", backstory: "b", tools: [ask] });
    const world = new OpenAiWorld({ script, agents: { clerk: agent } });
    const { sdk } = defaultSdk(world, [1]);
    const first = await sdk.chat.completions.create(request);
    const next = [
      ...messages,
      first.choices[0]!.message,
      { role: "user", content: "yes" } as const,
    ];
    const second = await sdk.chat.completions.create({ ...request, messages: next });
    expect(second.choices[0]?.message.content).toBe("Done.");
    expect(await started(world)).toBe(1);
  });

  it("OR2: is the only request that joins: equal first tries get runs of their own", async () => {
    const world = new OpenAiWorld({ script: () => "Yes." });
    for (const _ of [1, 2]) await send(world, 0);
    await world.ask("/v1/chat/completions", { json: request });
    await world.ask("/v1/chat/completions", { json: request });
    expect(await started(world)).toBe(4);
  });

  it("OR2: is refused when several tries fit, and starts no run", async () => {
    const world = new OpenAiWorld({ script: slow });
    const open = [send(world, 0), send(world, 0)];
    await asked(world, 2);
    const answer = await send(world, 1);
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(await answer.text()).toContain("Idempotency-Key");
    expect(await started(world)).toBe(2);
    await inTime(world, Promise.all(open));
  });

  it("OR1: joins no run of another key, body, path or conversation", async () => {
    const world = new OpenAiWorld({ script: () => "Yes.", openai: { expose: EXPOSED } });
    await send(world, 0);
    await send(world, 1, { user: "ann" });
    const headers = { "x-stainless-retry-count": "1", "x-thread-id": "another" };
    await world.ask("/v1/chat/completions", { json: request, headers });
    const keyed = { "x-stainless-retry-count": "1", "user-agent": "Another/1" };
    await world.ask("/v1/chat/completions", { json: request, headers: keyed });
    expect(await started(world)).toBe(4);
  });

  it("OR1: joins no run whose answer arrived long before", async () => {
    const world = new OpenAiWorld({ script: () => "Yes." });
    await send(world, 0);
    await world.clock.advance(60_000);
    await send(world, 1);
    expect(await started(world)).toBe(2);
  });

  it("OR1: starts the run of a try that never arrived", async () => {
    const world = new OpenAiWorld({ script: () => "Yes." });
    expect((await send(world, 1)).status).toBe(200);
    expect((await send(world, 2)).status).toBe(200);
    expect(await started(world)).toBe(1);
  });

  it("OR3: starts a run of its own when a limit had refused its try, beside an equal run", async () => {
    const world = new OpenAiWorld({
      script: () => ({ text: "Late", delayMs: 90_000 }),
      openai: { expose: EXPOSED, limits: { perMinute: 1 } },
    });
    const first = send(world, 0);
    await asked(world, 1);
    expect((await send(world, 0)).status).toBe(429);
    await world.clock.advance(60_000);
    const again = send(world, 1);
    await asked(world, 2);
    expect(await started(world)).toBe(2);
    const answers = await inTime(world, Promise.all([first, again]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("OR1: joins once of two at the same instant; the other one starts a run of its own", async () => {
    const world = new OpenAiWorld({ script: slow });
    const first = send(world, 0);
    await asked(world, 1);
    const again = [send(world, 1), send(world, 1)];
    await asked(world, 2);
    const answers = await inTime(world, Promise.all([first, ...again]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await started(world)).toBe(2);
  });

  it("OR1: joins before the repetition ahead of it is noted", async () => {
    const world = new OpenAiWorld();
    const threads = new D1ThreadStore(sqliteD1());
    const retries = new SdkRetries(threads, world.clock, async () => false);
    const tried = (count: number): Try => ({ count, place: "try:one", withinMs: 60_000 });
    const thread = { runId: "run", protocol: "openai", threadId: "try:one", kind: "", name: "" };
    const createdAtMs = world.clock.now();
    const note = { ...noteOf(tried(0)), runId: "run", role: "agent", content: "" } as const;
    const said = { messages: [{ ...note, createdAtMs }] };
    await threads.say("default", { ...thread, createdAtMs, data: {} }, said);
    const join = (count: number) => retries.earlier("default", tried(count));
    expect(await join(1)).toEqual({ runId: "run", answers: [] });
    expect(await join(1)).toBeUndefined();
    expect(await join(2)).toEqual({ runId: "run", answers: [] });
    expect(await join(2)).toBeUndefined();
    expect(await join(1)).toBeUndefined();
  });

  it("OR3: starts one run for a refused try, of two at the same instant", async () => {
    const world = new OpenAiWorld({
      script: () => ({ text: "Late", delayMs: 90_000 }),
      openai: { expose: EXPOSED, limits: { perMinute: 1 } },
    });
    const first = send(world, 0);
    await asked(world, 1);
    expect((await send(world, 0)).status).toBe(429);
    await world.clock.advance(60_000);
    const again = [send(world, 1), send(world, 1)];
    await asked(world, 2);
    const answers = await inTime(world, Promise.all([first, ...again]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await started(world)).toBe(2);
  });

  it("OR4: keeps the run of a client that left and came back", async () => {
    const database = sqliteD1();
    const threads = new D1ThreadStore(database);
    const world = new OpenAiWorld({ script: slow, env: { DB: database } });
    const tries = async (): Promise<number> => {
      const [run] = (await world.runs.list({ tenant: "default", limit: 1 })).items;
      const runId = run?.id ?? "";
      const kept = await threads.messages("default", { runId }, 50);
      return kept.filter(({ id }) => id.startsWith("try:")).length;
    };
    const left = new AbortController();
    const headers = { "x-stainless-retry-count": "0", "content-type": "application/json" };
    const body = JSON.stringify(request);
    const { signal } = left;
    const url = "https://api.test/v1/chat/completions";
    const lost = world.app.fetch(new Request(url, { method: "POST", headers, body, signal }));
    await asked(world, 1);
    left.abort();
    await world.clock.advance(400);
    const again = world.app.fetch(
      new Request(url, {
        method: "POST",
        headers: { ...headers, "x-stainless-retry-count": "1" },
        body,
      }),
    );
    await expect.poll(tries, { interval: 5, timeout: 10_000 }).toBe(2);
    const [, kept] = await inTime(world, Promise.all([lost, again]));
    expect(await kept.text()).toContain("Late");
    expect(world.model.calls).toHaveLength(1);
  });
});
