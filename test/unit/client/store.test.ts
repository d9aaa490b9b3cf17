// oxlint-disable no-unnecessary-type-assertion -- events are written as a server sends them
import { describe, expect, it } from "vitest";
import {
  createClient,
  createRunClient,
  emptyRunState,
  reduceRun,
  runStore,
  type LiveEvent,
  type RunEvent,
  type RunState,
  type SavedRun,
} from "../../../src/client/index.ts";
import { runCombiner } from "../../../src/client/store/with-run.ts";
import { arrayOf, askingScript, HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";

const TEA = { inputs: { topic: "tea" } };

type Meddle = (response: Response, path: string, count: number) => Response | Promise<Response>;

function connect(options: HttpWorldOptions = {}, meddle: Meddle = (response) => response) {
  const world = new HttpWorld(options);
  const requests: string[] = [];
  const client = createClient({
    url: "http://crews.test",
    clock: world.clock,
    fetch: async (url, init) => {
      const path = url.replace("http://crews.test", "");
      const after = new Headers(init.headers).get("last-event-id");
      requests.push(`${init.method} ${path}${after === null ? "" : ` after ${after}`}`);
      return meddle(await world.app.request(url, init), path, requests.length);
    },
  });
  return { world, client, requests };
}

const fold = (events: readonly (RunEvent | LiveEvent)[], from = emptyRunState("run-1")): RunState =>
  events.reduce(reduceRun, from);

describe("the reducer", () => {
  async function recorded() {
    const { world, client } = connect({ script: askingScript("Go on?", ["yes", "no"]) });
    const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
    const following = arrayOf(run.events());
    await world.clock.advance(1_000);
    await run.resume({ value: "yes" });
    await world.clock.advance(5_000);
    return { client, run, live: await following };
  }

  it("returns the same state for a stream, for pages, for cuts with doubles, and after a reload (CC3)", async () => {
    const { run, live } = await recorded();
    const streamed = fold(live);
    const { items } = await run.eventPage();
    expect(fold(items)).toEqual(streamed);
    const doubled = items.flatMap((event, at) => [
      event,
      ...items.slice(Math.max(0, at - 2), at + 1),
    ]);
    expect(fold(doubled)).toEqual(streamed);
    for (let cut = 0; cut <= items.length; cut++) {
      const saved = JSON.parse(JSON.stringify(fold(items.slice(0, cut)))) as RunState;
      expect(fold(items, saved)).toEqual(streamed);
    }
  });

  it("RUD1: returns the same object for a known event", async () => {
    const { live } = await recorded();
    const state = fold(live);
    for (const event of live) expect(reduceRun(state, event)).toBe(state);
  });

  it("RUD3: a finished run has its tasks, its answer and its usage, and no running step", async () => {
    const { live } = await recorded();
    expect(fold(live)).toMatchObject({
      kind: "crew",
      name: "briefing",
      status: "completed",
      waits: [],
      tasks: [
        { name: "research", agent: "Researcher", status: "completed" },
        { name: "report", agent: "Writer", status: "completed" },
      ],
      agents: { Researcher: { status: "idle" }, Writer: { status: "idle" } },
      usage: { requests: 4 },
      messages: [{ role: "assistant" }],
    });
  });

  it("RUD2: text grows by chunks, is voided by a new attempt, and is whole with the end of the call", () => {
    const at = "2026-01-01T00:00:00.000Z";
    const base = { id: "e", at, runId: "run-1", path: "task:t/turn:1/llm" };
    const callId = base.path;
    const chunk = (text: string, offset: number, attempt = 1): LiveEvent =>
      ({ ...base, type: "llm_stream_chunk", callId, chunk: text, offset, attempt }) as LiveEvent;
    let state = fold([chunk("Hel", 0), chunk("lo", 3)]);
    expect(state.text[callId]).toMatchObject({ text: "Hello", done: false });
    state = reduceRun(state, {
      ...base,
      seq: 1,
      type: "step_restarted",
      key: callId,
      attempt: 2,
    } as RunEvent);
    expect(state.text[callId]).toMatchObject({ text: "" });
    state = reduceRun(state, {
      ...base,
      type: "llm_stream_snapshot",
      callId,
      attempt: 2,
      text: "Good",
    } as LiveEvent);
    expect(state.text[callId]).toMatchObject({ text: "Good", attempt: 2 });
    const completed = {
      ...base,
      seq: 2,
      type: "llm_call_completed",
      callId,
      response: "Good day",
      usage: state.usage,
    } as unknown as RunEvent;
    expect(reduceRun(state, completed).text[callId]).toEqual({ text: "Good day", done: true });
    const { response: _, ...progress } = completed as unknown as Record<string, unknown>;
    expect(reduceRun(state, progress as unknown as RunEvent).text[callId]).toMatchObject({
      text: "Good",
      done: true,
    });
  });
});

describe("the store of a run", () => {
  it("RUS1: shows the run from its start to its end, over one connection for all subscribers", async () => {
    const { world, client, requests } = connect();
    const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
    const store = client.runs.store(run);
    expect(store.get()).toMatchObject({ status: "queued", connection: "idle" });
    let calls = 0;
    const leave = [store.subscribe(() => calls++), store.subscribe(() => undefined)];
    await world.clock.advance(5_000);
    expect(store.get()).toMatchObject({
      status: "completed",
      connection: "ended",
      output: { raw: "A fine answer" },
      usage: { requests: 2 },
    });
    expect(requests.filter((path) => path.includes("/events"))).toHaveLength(1);
    expect(calls).toBeGreaterThan(0);
    expect(store.get()).toBe(store.get());
    for (const each of leave) each();
    store.close();
    expect(world.clock.pending).toBe(0);
  });

  it("RUS1: is the same without the rest of the client", async () => {
    const world = new HttpWorld();
    const client = createRunClient({
      url: "http://crews.test",
      clock: world.clock,
      fetch: async (url, init) => world.app.request(url, init),
    });
    const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
    const store = runStore(run);
    store.subscribe(() => undefined);
    await world.clock.advance(5_000);
    expect(store.get()).toMatchObject({ id: "run-1", status: "completed", connection: "ended" });
    expect(await client.runs.get("run-1")).toMatchObject({ status: "completed" });
    expect((await client.runs.list({ kind: "crew" })).items).toMatchObject([{ id: "run-1" }]);
    store.close();
  });

  it("shows the present state of a loaded run while its past events are read", async () => {
    const { world, client } = connect({ script: askingScript("Go on?", ["yes", "no"]) });
    const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
    await world.clock.advance(1_000);
    const view = await run.status();
    const { items } = await run.eventPage();
    expect(view.lastSeq).toBe(items.at(-1)?.seq);
    const combine = runCombiner();
    let folded = emptyRunState("run-1");
    const seen = items.map((event) => {
      folded = reduceRun(folded, event);
      const { status, waits, tasks } = combine(folded, view);
      return {
        status,
        waits: waits.map(({ key }) => key),
        tasks: tasks.map((task) => task.status),
      };
    });
    const now = { status: "waiting", waits: [view.waits[0]?.key], tasks: ["running", "pending"] };
    expect(seen).toEqual(items.map(() => now));
    await run.resume({ key: view.waits[0]?.key ?? "", value: "yes" });
    await world.clock.advance(5_000);
    for (const event of (await run.eventPage({ after: view.lastSeq ?? 0 })).items)
      folded = reduceRun(folded, event);
    expect(combine(folded, view)).toMatchObject({ status: "completed", waits: [] });
  });

  it("WTC3: five seconds after the last subscriber the connection is closed, and a new one continues", async () => {
    const { world, client, requests } = connect({ script: askingScript() });
    const run = await client.crews.kickoff("briefing", TEA);
    const store = client.runs.store(run.id);
    const leave = store.subscribe(() => undefined);
    await world.clock.advance(1_000);
    const { lastSeq } = store.get();
    expect(store.get()).toMatchObject({ status: "waiting", connection: "live" });
    leave();
    await world.clock.advance(4_900);
    expect(store.get().connection).toBe("live");
    await world.clock.advance(200);
    expect(store.get().connection).toBe("idle");
    expect(world.clock.pending).toBe(0);
    store.subscribe(() => undefined);
    await world.clock.advance(100);
    expect(store.get()).toMatchObject({ connection: "live", lastSeq });
    expect(requests.filter((path) => path.includes("/events"))).toHaveLength(2);
    store.close();
  });

  it("WTC4: a closed store leaves no timer behind", async () => {
    const { world, client } = connect({ script: askingScript() });
    const run = await client.crews.kickoff("briefing", TEA);
    await world.clock.advance(1_000);
    const before = world.clock.pending;
    const store = client.runs.store(run);
    store.subscribe(() => undefined);
    await world.clock.advance(1_000);
    store.close();
    await world.clock.settle();
    expect(world.clock.pending).toBe(before);
    expect(store.get().connection).toBe("idle");
  });

  it("an answer is shown as sending, as sent, and is gone with its wait (CC8)", async () => {
    const { world, client } = connect({ script: askingScript("Go on?", ["yes", "no"]) });
    const run = await client.crews.kickoff("briefing", TEA);
    const stores = [client.runs.store(run), client.runs.store(run)] as const;
    const states: (string | undefined)[] = [];
    for (const store of stores) store.subscribe(() => undefined);
    stores[0].subscribe(() => states.push(stores[0].get().waits[0]?.answer?.state));
    await world.clock.advance(1_000);
    const [wait] = stores[0].get().waits;
    expect(wait).toMatchObject({ prompt: "Go on?", choices: ["yes", "no"] });
    const answering = stores[0].answer(wait?.key ?? "", { value: "yes" });
    expect(stores[0].get().waits[0]?.answer).toEqual({ state: "sending", reply: { value: "yes" } });
    await answering;
    await world.clock.advance(5_000);
    expect(states).toContain("sent");
    for (const store of stores) {
      expect(store.get()).toMatchObject({ status: "completed", waits: [] });
      store.close();
    }
  });

  it("a refused answer stays at its wait, with the reason (CC8)", async () => {
    const { world, client } = connect({ script: askingScript("Go on?", ["yes", "no"]) });
    const run = await client.crews.kickoff("briefing", TEA);
    const store = client.runs.store(run);
    store.subscribe(() => undefined);
    await world.clock.advance(1_000);
    const key = store.get().waits[0]?.key ?? "";
    await store.answer(key, { value: "perhaps" });
    expect(store.get().waits[0]?.answer).toMatchObject({
      state: "refused",
      reply: { value: "perhaps" },
      error: { code: "invalid_input" },
    });
    await store.answer(key, { value: "no" });
    await world.clock.advance(5_000);
    expect(store.get().status).toBe("completed");
    store.close();
  });

  it("of two answers at once one is sent, and the other is refused with its value (CC8)", async () => {
    const { world, client } = connect({ script: askingScript("Go on?", ["yes", "no"]) });
    const run = await client.crews.kickoff("briefing", TEA);
    const stores = [client.runs.store(run), client.runs.store(run)] as const;
    const answers = stores.map((store) => {
      const said: unknown[] = [];
      store.subscribe(() => {
        const { answer } = store.get().waits[0] ?? {};
        if (answer !== undefined) said.push([answer.state, answer.reply.value, answer.error?.code]);
      });
      return said;
    });
    await world.clock.advance(1_000);
    const key = stores[0].get().waits[0]?.key ?? "";
    await Promise.all([
      stores[0].answer(key, { value: "yes" }),
      stores[1].answer(key, { value: "no" }),
    ]);
    await world.clock.advance(5_000);
    expect(answers[0]).toContainEqual(["sent", "yes", undefined]);
    expect(answers[1]).toContainEqual(["refused", "no", "conflict"]);
    for (const store of stores) {
      expect(store.get()).toMatchObject({ status: "completed", waits: [] });
      store.close();
    }
  });

  it("RUS1: continues from a saved state, and reads only later events", async () => {
    const { world, client, requests } = connect({ script: askingScript() });
    const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
    const saved = new Map<string, SavedRun>();
    const persist = {
      save: (id: string, each: SavedRun): void => void saved.set(id, structuredClone(each)),
      load: (id: string) => saved.get(id),
    };
    const first = client.runs.store(run, { persist });
    first.subscribe(() => undefined);
    await world.clock.advance(2_000);
    const before = first.get();
    first.close();
    const again = client.runs.store(run, { persist });
    expect(again.get()).toEqual({ ...before, connection: "idle" });
    again.subscribe(() => undefined);
    await world.clock.advance(1_000);
    await again.answer(again.get().waits[0]?.key ?? "", { feedback: "yes" });
    await world.clock.advance(5_000);
    expect(again.get()).toMatchObject({ status: "completed", connection: "ended" });
    expect(requests).toContain(`GET /runs/run-1/events?follow=1 after ${before.lastSeq}`);
    again.close();
  });

  it("a missing run fails with the error", async () => {
    const { world, client } = connect();
    const store = client.runs.store("nope");
    store.subscribe(() => undefined);
    await world.clock.advance(1_000);
    expect(store.get()).toMatchObject({
      connection: "failed",
      connectionError: { code: "not_found" },
    });
    store.close();
    expect(world.clock.pending).toBe(0);
  });

  it("RUS2: urgent changes are shown at once, and words with the next frame", async () => {
    const at = "2026-01-01T00:00:00.000Z";
    const base = { id: "e", at, runId: "r", path: "task:t/llm" };
    let send: (event: object) => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (event) =>
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
      },
    });
    const { world } = connect();
    const client = createClient({
      url: "http://crews.test",
      clock: world.clock,
      fetch: async (url) =>
        url.includes("/events") ? new Response(body) : new Response("{}", { status: 500 }),
    });
    const store = client.runs.store("r");
    store.subscribe(() => undefined);
    await world.clock.advance(100);
    const now = new Date(world.clock.now()).toISOString();
    send({ ...base, at: now, seq: 1, type: "run_waiting", waits: [] });
    await world.clock.settle();
    expect(store.get().status).toBe("waiting");
    const words = { callId: "task:t/llm", chunk: "Hello", offset: 0, attempt: 1 };
    send({ ...base, at: now, type: "llm_stream_chunk", ...words });
    await world.clock.settle();
    expect(store.get().text).toEqual({});
    await world.clock.advance(20);
    expect(store.get().text["task:t/llm"]?.text).toBe("Hello");
    store.close();
  });

  it("RUS3: an answer with a lost receipt is sent again with its id, and counts once (CC4)", async () => {
    const ids: unknown[] = [];
    const world = new HttpWorld({ script: askingScript() });
    const client = createClient({
      url: "http://crews.test",
      clock: world.clock,
      fetch: async (url, init) => {
        const response = await world.app.request(url, init);
        if (!url.endsWith("/resume")) return response;
        ids.push((JSON.parse(init.body as string) as { id?: string }).id);
        if (ids.length < 3) throw new TypeError("fetch failed");
        return response;
      },
    });
    const run = await client.crews.kickoff("briefing", TEA);
    const store = client.runs.store(run);
    store.subscribe(() => undefined);
    await world.clock.advance(1_000);
    const answering = store.answer(store.get().waits[0]?.key ?? "", { feedback: "yes" });
    await world.clock.advance(5_000);
    await answering;
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(3);
    expect(store.get().status).toBe("completed");
    const { items } = await run.eventPage({ limit: 500, types: ["wait_settled"] });
    expect(items).toHaveLength(1);
    store.close();
  });

  it("retains the newest events on request", async () => {
    const { world, client } = connect();
    const store = client.runs.store(await client.crews.kickoff("greeting"), { keep: 2 });
    store.subscribe(() => undefined);
    await world.clock.advance(5_000);
    expect(store.get().events?.map(({ type }) => type)).toEqual([
      "crew_kickoff_completed",
      "run_completed",
    ]);
    store.close();
  });
});

describe("live lists", () => {
  it("LVR2: count new runs as fresh until they are taken in, also when the Worker has no feed of changes", async () => {
    const { world, client } = connect();
    await client.crews.kickoff("greeting", { id: "a" });
    await world.clock.advance(2_000);
    const list = client.runs.watch({ name: "greeting" });
    list.subscribe(() => undefined);
    await world.clock.advance(1_000);
    expect(list.get()).toMatchObject({ items: [{ id: "a", status: "completed" }], fresh: 0 });
    await client.crews.kickoff("greeting", { id: "b" });
    await world.clock.advance(12_000);
    expect(list.get()).toMatchObject({ items: [{ id: "a" }], fresh: 1 });
    list.takeIn();
    expect(list.get()).toMatchObject({ items: [{ id: "b" }, { id: "a" }], fresh: 0 });
    list.close();
    await world.clock.settle();
    expect(world.clock.pending).toBe(0);
  });

  it("WLS1: an answered wait leaves the inbox once the answer has taken effect", async () => {
    const { world, client } = connect({ script: askingScript() });
    await client.crews.kickoff("briefing", { ...TEA, id: "a" });
    await world.clock.advance(2_000);
    const inbox = client.waits.watch();
    inbox.subscribe(() => undefined);
    await world.clock.advance(1_000);
    const [wait] = inbox.get().items;
    expect(wait).toMatchObject({ prompt: "Go on?", run: { id: "a" } });
    await inbox.answer(wait?.key ?? "", { feedback: "yes" });
    expect(inbox.get().items[0]?.answer).toMatchObject({ state: "sent" });
    await world.clock.advance(12_000);
    expect(inbox.get().items).toEqual([]);
    inbox.close();
    await world.clock.settle();
    expect(world.clock.pending).toBe(0);
  });
});
