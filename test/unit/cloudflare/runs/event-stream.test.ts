import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cursorOf, eventStream } from "../../../../src/cloudflare/runs/event-stream.ts";
import { RunWorld } from "../../../support/run-world.ts";

/** A run with a log of many pages, and how many of them were read. */
async function longRun() {
  const world = new RunWorld(async (scope) => {
    for (let n = 0; n < 500; n++) scope.emit("run_resumed", {}, n);
    return null;
  });
  await world.begin();
  const { reader, events } = world.host;
  const pages: number[] = [];
  const read = reader.events.bind(reader);
  reader.events = (after, limit) => {
    const page = read(after, limit);
    pages.push(page.length);
    return page;
  };
  return { host: { reader, events }, pages };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a stream of events", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("SE1: reads the next page when the client has taken the last one", async () => {
    const { host, pages } = await longRun();
    const reader = (await eventStream(host, { after: 0, types: undefined })).body?.getReader();
    await settled();
    expect(pages).toHaveLength(0);
    for (let taken = 1; taken <= 3; taken++) {
      await reader?.read();
      await settled();
      expect(pages.length).toBeLessThanOrEqual(taken + 1);
    }
    await reader?.cancel();
  });

  it("SE2: cuts off a client after a minute without a read, and no other", async () => {
    const { host } = await longRun();
    const open = async () =>
      (await eventStream(host, { after: 0, types: undefined })).body?.getReader();
    const [idle, slow] = [await open(), await open()];
    let text = "";
    for (let seconds = 0; seconds < 90; seconds += 15) {
      await vi.advanceTimersByTimeAsync(15_000);
      text += new TextDecoder().decode((await slow?.read())?.value);
      await settled();
    }
    await expect(idle?.read()).rejects.toThrow("read no data for a minute");
    for (let more = await slow?.read(); more?.done === false; more = await slow?.read())
      text += new TextDecoder().decode(more.value);
    expect(text.match(/^id: \d+$/gm)).toHaveLength(502);
  });
});

describe("many readers of a run's events", () => {
  /** A run that says a word whenever it is asked to, and how often each reader was sent something. */
  async function watched(count: number) {
    let emit: ((n: number) => void) | undefined;
    const { promise, resolve } = Promise.withResolvers<null>();
    const world = new RunWorld((scope) => {
      emit = (n) => void scope.emit("run_resumed", {}, n);
      return promise;
    });
    await world.start();
    void world.ring();
    await world.clock.settle();
    const read = Array.from({ length: count }, async () => {
      const stream = await eventStream(world.host, { after: 0, types: undefined });
      const chunks: string[] = [];
      const decoder = new TextDecoder();
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
        chunks.push(decoder.decode(chunk));
      return chunks;
    });
    await settled();
    for (let n = 0; n < 20; n++) {
      emit?.(n);
      await settled();
    }
    resolve(null);
    await world.clock.settle();
    return Promise.all(read);
  }

  it("SE3: sends each event at once to a few readers, batches to many, and all events to all", async () => {
    const [few, many] = [await watched(2), await watched(40)];
    for (const chunks of [...few, ...many])
      expect(chunks.join("").match(/^id: \d+$/gm)).toHaveLength(22);
    expect(Math.min(...few.map(({ length }) => length))).toBeGreaterThan(20);
    expect(Math.max(...many.map(({ length }) => length))).toBeLessThan(10);
  });
});

describe("the cursor of a request", () => {
  it.each([
    ["", { keptOnly: false, staysOpen: false }],
    ["?follow=0", { keptOnly: true, staysOpen: false }],
    ["?follow=1", { keptOnly: false, staysOpen: true }],
  ])("with %j sets how long to follow", (search, expected) => {
    expect(cursorOf(new Request(`https://run/events${search}`))).toMatchObject(expected);
  });

  it("with chunk types also includes snapshots", () => {
    const { types } = cursorOf(new Request("https://run/events?types=llm_stream_chunk"));
    expect([...(types ?? [])]).toEqual(["llm_stream_chunk", "llm_stream_snapshot"]);
  });
});
