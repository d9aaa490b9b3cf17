// A network that is away for a while, and a page that comes back.
import { afterEach, expect, it, vi } from "vitest";
import { serverSentEvents } from "../../../src/client/event-source.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { createClient, type ClientOptions, type RunState } from "../../../src/client/index.ts";
import { askingScript, HttpWorld } from "../../support/http-app.ts";

const TEA = { inputs: { topic: "tea" }, id: "run-1" };

/** A Worker that is away on request. Answers of `hang` never begin. */
function connect(options: ClientOptions = {}) {
  const world = new HttpWorld({ script: askingScript() });
  const network = { isAway: false, hangs: false, requests: 0 };
  const client = createClient({
    url: "http://crews.test",
    clock: world.clock,
    fetch: async (url, init) => {
      network.requests++;
      if (network.hangs)
        return new Promise((_, reject) =>
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)),
        );
      if (network.isAway) throw new TypeError("Failed to fetch");
      const response = await world.app.request(url, init);
      if (!url.includes("/events") || response.body === null) return response;
      return new Response(response.body.pipeThrough(breaking(network)), response);
    },
    ...options,
  });
  return { world, client, network };
}

/** Breaks with the network at its next piece. */
function breaking(network: { readonly isAway: boolean }): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      if (network.isAway) controller.error(new TypeError("network error"));
      else controller.enqueue(chunk);
    },
  });
}

/** A page of a browser. */
function page() {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { hidden: false, defaultView: window });
  vi.stubGlobal("document", document);
  return {
    goOnline: () => window.dispatchEvent(new Event("online")),
    show: (isShown: boolean) => {
      document.hidden = !isShown;
      document.dispatchEvent(new Event("visibilitychange"));
    },
  };
}

afterEach(() => vi.unstubAllGlobals());

it("FLR4: a store follows its run again after the Worker was away for a minute, and for an hour", async () => {
  const { world, client, network } = connect();
  const store = client.runs.store(await client.crews.kickoff("briefing", TEA));
  const states = new Set<RunState["connection"]>();
  store.subscribe(() => states.add(store.get().connection));
  await world.clock.advance(20_000);
  expect(store.get()).toMatchObject({ status: "waiting", connection: "live" });
  for (const awayMs of [60_000, 3_600_000]) {
    network.isAway = true;
    await world.clock.advance(awayMs);
    expect(store.get().connection).toBe("retrying");
    const before = network.requests;
    network.isAway = false;
    await world.clock.advance(18_000); // the longest pause
    expect(store.get().connection).toBe("live");
    expect(network.requests).toBeGreaterThan(before);
  }
  await store.answer(store.get().waits[0]?.key ?? "", { feedback: "yes" });
  await world.clock.advance(20_000);
  expect(store.get()).toMatchObject({ status: "completed", connection: "ended" });
  expect(states.has("failed")).toBe(false);
  store.close();
});

it.each(["online", "visible"])("FLR4: retries at once when the page is %s again", async (how) => {
  const { goOnline, show } = page();
  const { world, client, network } = connect();
  const store = client.runs.store(await client.crews.kickoff("briefing", TEA));
  store.subscribe(() => undefined);
  await world.clock.advance(20_000);
  network.isAway = true;
  await world.clock.advance(60_000);
  show(false);
  network.isAway = false;
  const before = network.requests;
  await world.clock.advance(0);
  expect(network.requests).toBe(before);
  if (how === "online") goOnline();
  else show(true);
  await world.clock.advance(0);
  expect(store.get().connection).toBe("live");
  store.close();
});

it("FLR6: loses a silent stream when the page returns, and keeps a fresh one", async () => {
  const { goOnline } = page();
  const clock = new SimulatedClock();
  const server: { send?: (text: string) => void } = {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      server.send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const { messages } = serverSentEvents(body, clock);
  const end = messages.next().catch((error: unknown) => error);
  const isOver = (): Promise<boolean> =>
    Promise.race([end.then(() => true), clock.settle().then(() => false)]);
  await clock.advance(15_000);
  server.send?.(": keep-alive\n\n");
  await clock.advance(19_000);
  goOnline();
  expect(await isOver()).toBe(false);
  await clock.advance(2_000);
  goOnline();
  expect(await end).toMatchObject({ code: "unavailable", retryable: true });
});

it("FLR6: repeats a request without an answer after 30 s, and at once when the page returns", async () => {
  const { goOnline } = page();
  const { world, client, network } = connect();
  const run = await client.crews.kickoff("briefing", TEA);
  network.hangs = true;
  const states: string[] = [];
  const leaving = new AbortController();
  const events = run.events({
    signal: leaving.signal,
    onConnection: (state) => void states.push(state),
  });
  const reading = events.next();
  await world.clock.advance(29_000);
  expect(states).toEqual(["connecting"]);
  await world.clock.advance(1_000);
  expect(states).toEqual(["connecting", "retrying"]);
  await world.clock.advance(22_000); // the second request is 21 s old
  network.hangs = false;
  goOnline();
  await world.clock.advance(1_000);
  expect(states.at(-1)).toBe("live");
  expect(await reading).toMatchObject({ value: { seq: 1 } });
  leaving.abort();
  await events.return(undefined);
});

it("FLR4: a token that cannot be fetched is a fault of the network, a refused one is not", async () => {
  let problem: Error | undefined;
  const auth = (): string => {
    if (problem !== undefined) throw problem;
    return "token";
  };
  const { world, client } = connect();
  await client.crews.kickoff("briefing", TEA);
  for (const [error, expected] of [
    [new TypeError("Failed to fetch"), "retrying"],
    [new Error("signed out"), "failed"],
  ] as const) {
    problem = error;
    const other = createClient({
      url: "http://crews.test",
      clock: world.clock,
      auth,
      fetch: async (url, init) => world.app.request(url, init),
    });
    const store = other.runs.store("run-1");
    store.subscribe(() => undefined);
    await world.clock.advance(60_000);
    expect(store.get().connection).toBe(expected);
    problem = undefined;
    await world.clock.advance(18_000);
    expect(store.get().connection).toBe(expected === "failed" ? "failed" : "live");
    store.close();
  }
});

it("CHF1: lists read changes at once when the page is online again", async () => {
  const { goOnline } = page();
  const { world, client, network } = connect();
  network.isAway = true;
  const states: string[] = [];
  const end = client.runs.changes(
    () => undefined,
    ({ state }) => void states.push(state),
  );
  await world.clock.advance(120_000);
  expect(states.at(-1)).toBe("retrying");
  const before = network.requests;
  goOnline();
  await world.clock.advance(0);
  expect(network.requests).toBe(before + 1);
  end();
});
