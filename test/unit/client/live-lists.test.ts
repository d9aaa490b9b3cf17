import { describe, expect, it } from "vitest";
import { createClient, type ClientOptions } from "../../../src/client/index.ts";
import { Observable } from "../../../src/client/store/observable.ts";
import { runFeed } from "../../../src/entry/run-feed.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { askingScript, HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

type Meddle = (response: Response, path: string) => Response | Promise<Response>;

/** A client of a Worker that has the feed of changes. */
function connect(
  options: HttpWorldOptions = {},
  {
    meddle = (response) => response,
    ...more
  }: { meddle?: Meddle } & Pick<ClientOptions, "auth"> = {},
) {
  const world = new HttpWorld({ env: { DB: sqliteD1() }, parts: [runFeed()], ...options });
  const requests: string[] = [];
  const client = createClient({
    url: "http://crews.test",
    clock: world.clock,
    fetch: async (url, init) => {
      const path = url.replace("http://crews.test", "");
      requests.push(`${init.method} ${path}`);
      return meddle(await world.app.request(url, init), path);
    },
    ...more,
  });
  const asked = (path: string): number => requests.filter((each) => each.startsWith(path)).length;
  return { world, client, requests, asked };
}

const bodiless: Meddle = (response, path) =>
  path.startsWith("/changes")
    ? Object.defineProperty(response, "body", { value: undefined })
    : response;

describe.each([
  ["a stream", undefined],
  ["pages", bodiless],
] as const)("the feed of changes, as %s", (_, meddle) => {
  it("CHF1, LVR1: changes a list in place, and announces new and deleted runs", async () => {
    const { world, client, asked } = connect(
      { script: askingScript() },
      meddle === undefined ? {} : { meddle },
    );
    await client.crews.kickoff("briefing", { id: "a", inputs: { topic: "tea" } });
    await world.clock.advance(2_000);
    const list = client.runs.watch();
    list.subscribe(() => undefined);
    await world.clock.advance(3_000);
    expect(list.get()).toMatchObject({ items: [{ id: "a", status: "waiting" }], fresh: 0 });
    const before = asked("GET /runs");
    await client.crews.kickoff("briefing", { id: "b", inputs: { topic: "tea" } });
    await client.runs.handle("a").resume({ feedback: "yes" });
    await world.clock.advance(10_000);
    expect(list.get()).toMatchObject({ items: [{ id: "a", status: "completed" }], fresh: 1 });
    list.takeIn();
    expect(list.get().items.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(asked("GET /runs")).toBe(before);
    await client.runs.handle("a").delete();
    await world.clock.advance(10_000);
    expect(list.get().items.map(({ id }) => id)).toEqual(["b"]);
    list.close();
    await world.clock.advance(21_000);
    expect(world.clock.pending).toBe(0);
  });
});

describe("the feed of changes", () => {
  it("CHF1: continues after a lost connection, and misses no earlier change", async () => {
    let connections = 0;
    const { world, client } = connect(
      {},
      {
        meddle: (response, path) => {
          if (!path.startsWith("/changes") || ++connections !== 2) return response;
          return new Response("bad gateway", { status: 502 });
        },
      },
    );
    const list = client.runs.watch();
    list.subscribe(() => undefined);
    await world.clock.advance(3_000);
    // The stream ends after five minutes; what happens before the next one is there is not lost.
    await world.clock.advance(5 * 60_000);
    await client.crews.kickoff("greeting", { id: "a" });
    await world.clock.advance(30_000);
    expect(connections).toBeGreaterThan(2);
    list.takeIn();
    expect(list.get().items).toMatchObject([{ id: "a", status: "completed" }]);
    list.close();
  });

  it("CHF2: without a feed on the Worker, lists are read every few seconds, while they have a subscriber", async () => {
    const { world, client, asked } = connect({ parts: [] });
    const list = client.runs.watch();
    const leave = list.subscribe(() => undefined);
    await world.clock.advance(21_000);
    expect(asked("GET /changes")).toBeGreaterThan(3);
    expect(asked("GET /runs")).toBeGreaterThan(3);
    leave();
    await world.clock.advance(5_100);
    const before = asked("GET");
    await world.clock.advance(60_000);
    expect(asked("GET")).toBe(before);
  });

  it("CHX1: is one connection for all lists, and is open only while there is a subscriber", async () => {
    const { world, client, asked } = connect();
    const lists = [client.runs.watch(), client.runs.watch({ kind: "flow" }), client.waits.watch()];
    expect(asked("GET /changes")).toBe(0);
    const leaves = lists.map((list) => list.subscribe(() => undefined));
    await world.clock.advance(10_000);
    expect(asked("GET /changes")).toBe(1);
    for (const leave of leaves) leave();
    await world.clock.advance(30_000);
    expect(world.clock.pending).toBe(0);
  });

  it("CHX1: is left by a list closed before its first page", async () => {
    const { world, client, asked } = connect();
    for (const list of [client.runs.watch(), client.waits.watch()]) {
      list.subscribe(() => undefined);
      list.close();
    }
    await world.clock.advance(1_000);
    expect(asked("GET /changes")).toBeGreaterThan(0);
    expect(world.clock.pending).toBe(0);
  });

  it("CHX2: reports the state of the connection, from the beginning and at every change", async () => {
    let isLost = false;
    const { world, client } = connect(
      {},
      {
        meddle: (response, path) =>
          isLost && path.startsWith("/changes") ? new Response("", { status: 502 }) : response,
      },
    );
    const states: string[] = [];
    const changes: unknown[] = [];
    const stop = client.runs.changes(
      (change) => changes.push(change.type === "run" ? change.run.id : change.type),
      ({ state, retryInMs }) => states.push(retryInMs === undefined ? state : `${state} in time`),
    );
    await world.clock.advance(2_000);
    expect(states).toEqual(["connecting", "connecting", "live"]);
    await client.crews.kickoff("greeting", { id: "a" });
    await world.clock.advance(10_000);
    expect([changes[0], ...new Set(changes)]).toEqual(["look", "look", "a"]);
    const late: string[] = [];
    client.runs.changes(
      () => undefined,
      ({ state }) => late.push(state),
    )();
    expect(late).toEqual(["live"]);
    isLost = true;
    await world.clock.advance(5 * 60_000);
    expect(states).toContain("retrying in time");
    stop();
    await world.clock.advance(1_000);
    expect(world.clock.pending).toBe(0);
  });

  it("LVR3: after a reset the first page is read again", async () => {
    let isReset = false;
    const { world, client } = connect(
      {},
      {
        meddle: (response, path) => {
          if (!path.startsWith("/changes") || isReset) return response;
          isReset = true;
          const frames = [
            'id: 1\nevent: position\ndata: {"change":1}\n\n',
            'id: 9\nevent: reset\ndata: {"change":9}\n\n',
          ];
          let at = 0;
          const body = new ReadableStream<Uint8Array>({
            pull: async (controller) => {
              if (at === 1) await new Promise<void>((done) => void world.clock.after(5_000, done));
              const frame = frames[at++];
              if (frame !== undefined) controller.enqueue(new TextEncoder().encode(frame));
            },
          });
          return new Response(body, { headers: { "content-type": "text/event-stream" } });
        },
      },
    );
    const list = client.runs.watch();
    list.subscribe(() => undefined);
    await world.clock.advance(3_000);
    await client.crews.kickoff("greeting", { id: "a" });
    await world.clock.advance(1_000);
    expect(list.get().items).toEqual([]);
    await world.clock.advance(3_000);
    expect(list.get().items).toMatchObject([{ id: "a" }]);
    list.close();
  });
});

it("WLS2: the inbox is read again when a run starts or ends to wait, and not for other changes", async () => {
  const { world, client, asked } = connect({ script: askingScript() });
  const inbox = client.waits.watch();
  inbox.subscribe(() => undefined);
  await world.clock.advance(3_000);
  const first = asked("GET /waits");
  await client.crews.kickoff("briefing", { id: "a", inputs: { topic: "tea" } });
  await world.clock.advance(8_000);
  expect(inbox.get().items).toMatchObject([{ run: { id: "a" } }]);
  const second = asked("GET /waits");
  expect(second).toBeGreaterThan(first);
  await client.runs.handle("a").pause();
  await world.clock.advance(8_000);
  expect(asked("GET /waits")).toBe(second);
  await client.runs.handle("a").cancel();
  await world.clock.advance(8_000);
  expect(inbox.get().items).toEqual([]);
  inbox.close();
});

describe("a watched value", () => {
  const watched = () => {
    const clock = new SimulatedClock();
    const value = new Observable({ count: 0 }, clock, () => new Promise<void>(() => undefined));
    let calls = 0;
    value.subscribe(() => calls++);
    return { clock, value, calls: () => calls };
  };

  it("WTC1: is the same object until another is shown", async () => {
    const { clock, value } = watched();
    const before = value.get();
    value.set({ count: 1 }, false);
    expect(value.get()).toBe(before);
    await clock.advance(20);
    expect(value.get()).toEqual({ count: 1 });
    expect(value.get()).toBe(value.get());
  });

  it("WTC2: calls its subscribers once per frame, and at once for urgent changes", async () => {
    const { clock, value, calls } = watched();
    for (let count = 1; count <= 100; count++) value.set({ count }, false);
    expect(calls()).toBe(0);
    await clock.advance(20);
    expect(calls()).toBe(1);
    value.set({ count: 101 }, false);
    value.set({ count: 102 }, true);
    expect(calls()).toBe(2);
    await clock.advance(20);
    expect(calls()).toBe(2);
  });
});
