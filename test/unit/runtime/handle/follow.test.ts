import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../../../src/base/usage.ts";
import { foldWords, type Words } from "../../../../src/wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../../../src/events/run-event.ts";
import { follow, type FollowOptions } from "../../../../src/runtime/handle/follow.ts";
import { Latch, perform, say } from "../../../support/journal-harness.ts";
import { RUN_STORES } from "../../../support/run-stores.ts";
import { RunWorld } from "../../../support/run-world.ts";

const named = (event: RunEvent | LiveEvent): string =>
  "seq" in event ? String(event.seq) : event.type === "llm_stream_chunk" ? event.chunk : "?";

/** Reads until the stream ends; `pause` is waited for after each event. */
async function read(
  world: RunWorld,
  options: FollowOptions = {},
  pause?: (event: RunEvent | LiveEvent) => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of follow(world.host, options)) {
    seen.push(named(event));
    await pause?.(event);
  }
  return seen;
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe.each(RUN_STORES)("following a run, $name", ({ open }) => {
  const emitting = (count: number) =>
    new RunWorld(
      async (scope) => {
        for (let n = 0; n < count; n++) {
          await perform(scope, `s:${n}`, () => null);
          scope.emit("run_resumed", {}, n);
        }
        return null;
      },
      { fixture: open() },
    );

  it("a finished run brings everything and ends", async () => {
    const world = emitting(3);
    await world.begin();
    expect(await read(world)).toEqual(numbers(1, 5));
  });

  it("brings more events than fit a page, each once", async () => {
    const world = emitting(1000);
    await world.begin();
    expect(await read(world)).toEqual(numbers(1, 1002));
    expect(await read(world, { after: 200 })).toEqual(numbers(201, 1002));
  });

  it("resumes after the last seen event, and ends at once after the very last", async () => {
    const world = emitting(3);
    await world.begin();
    expect(await read(world, { after: 3 })).toEqual(["4", "5"]);
    expect(await read(world, { after: 5 })).toEqual([]);
    expect(await read(world, { after: 99 })).toEqual([]);
  });

  it("goes from past to live events without gap or duplicate, at any reading speed", async () => {
    for (const slow of [0, 1, 3]) {
      const world = emitting(300);
      await world.start();
      const reading = read(world, {}, async () => {
        for (let turn = 0; turn < slow; turn++)
          await new Promise<void>((resolve) => setImmediate(resolve));
      });
      await world.rest();
      expect(await reading).toEqual(numbers(1, 302));
    }
  });

  it("brings the pieces of an answer in their place among the events, also to a slow reader", async () => {
    const world = new RunWorld(
      async (scope) => {
        for (let call = 1; call <= 3; call++) {
          await perform(scope, `m:${call}`, () => {
            say(scope, `${call}a`);
            say(scope, `${call}b`, 2);
            return null;
          });
          scope.emit("run_resumed", {}, call);
        }
        return null;
      },
      { fixture: open() },
    );
    await world.start();
    const reading = read(world, {}, () => new Promise<void>((resolve) => setImmediate(resolve)));
    await world.clock.settle();
    await world.rest();
    expect(await reading).toEqual(["1", "1a", "1b", "2", "2a", "2b", "3", "3a", "3b", "4", "5"]);
  });

  it("FW1: brings each piece of an answer in its place, however far behind the reader is", async () => {
    const work = new Latch<null>();
    const world = new RunWorld(
      async (scope) => {
        for (let n = 0; n < 250; n++) scope.emit("run_resumed", {}, n);
        await perform(scope, "m", () => work.promise);
        say(scope, "piece");
        scope.emit("run_resumed", {}, 250);
        return scope.at("ask").wait({ kind: "input" });
      },
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    await world.clock.settle();
    const seen = await read(world, { endOnWaiting: true }, async (event) => {
      if (named(event) !== "100") return;
      work.resolve(null);
      await ring;
    });
    expect(seen).toEqual([...numbers(1, 251), "piece", ...numbers(252, 254)]);
  });

  it("FW2: brings a slow reader every stored event once, and the words of calls once it has caught up", async () => {
    const words = Array.from({ length: 3000 }, (_, index) => `w${index} `);
    const world = new RunWorld(
      async (scope) => {
        await perform(scope, "a", () => {
          let offset = 0;
          for (const word of words) {
            say(scope, word, offset);
            offset += word.length;
          }
          return null;
        });
        scope.emit("run_resumed", {}, 1);
        return scope.at("ask").wait({ kind: "input" });
      },
      { fixture: open() },
    );
    await world.start();
    const heard: Array<RunEvent | LiveEvent> = [];
    const reading = (async () => {
      for await (const event of follow(world.host, { endOnWaiting: true })) heard.push(event);
    })();
    await world.clock.settle();
    await world.rest();
    await reading;
    expect(heard.flatMap((event) => ("seq" in event ? [String(event.seq)] : []))).toEqual(
      numbers(1, 4),
    );
    expect(heard.length).toBeLessThan(1100);
    expect(heard.reduce(foldWords, {})["call"]?.text).toBe(words.join(""));
  });

  it("FW3: brings a reader joining at any chunk the earlier words, without gap or duplicate", async () => {
    const words = ["one ", "two ", "three ", "four "];
    const latches = words.map(() => new Latch<null>());
    const world = new RunWorld(
      async (scope) => {
        await perform(scope, "a", async () => {
          for (const [index, word] of words.entries()) {
            say(scope, word, words.slice(0, index).join("").length);
            await latches[index]?.promise;
          }
          return null;
        });
        scope.emit("llm_call_completed", {
          callId: "call",
          model: "m",
          response: words.join(""),
          callType: "llm_call",
          usage: NO_USAGE,
          finishReason: "stop",
        });
        return null;
      },
      { fixture: open() },
    );
    await world.start();
    const ring = world.ring();
    const readers: Array<{ words: Words; done: Promise<void> }> = [];
    for (const [index, latch] of latches.entries()) {
      await world.clock.settle();
      const reader = { words: {} as Words, done: Promise.resolve() };
      reader.done = (async () => {
        for await (const event of follow(world.host)) reader.words = foldWords(reader.words, event);
      })();
      readers.push(reader);
      await world.clock.settle();
      const said = words.slice(0, index + 1).join("");
      expect(readers.map((each) => each.words["call"]?.text)).toEqual(readers.map(() => said));
      latch.resolve(null);
    }
    await ring;
    await Promise.all(readers.map(({ done }) => done));
    for (const each of readers)
      expect(each.words["call"]).toMatchObject({ text: words.join(""), done: true });
    expect(world.host.events.snapshots()).toEqual([]);
  });

  it("goes on over a wait, and ends there only when asked to", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }), {
      fixture: open(),
    });
    await world.begin();
    expect(await read(world, { endOnWaiting: true })).toEqual(["1", "2", "3"]);
    const reading = read(world);
    await world.clock.settle();
    await world.host.resume({ value: 1 });
    await world.rest();
    expect(await reading).toEqual(numbers(1, 6));
  });

  it("ends with its signal, whether it waits or has many events left", async () => {
    const work = new Latch<null>();
    const world = new RunWorld((scope) => perform(scope, "a", () => work.promise), {
      fixture: open(),
    });
    await world.start();
    const ring = world.ring();
    const controller = new AbortController();
    const reading = read(world, { signal: controller.signal });
    await world.clock.settle();
    controller.abort();
    expect(await reading).toEqual(["1"]);
    work.resolve(null);
    await ring;
    const aborted = new AbortController();
    expect(await read(world, { signal: aborted.signal }, async () => aborted.abort())).toEqual([
      "1",
    ]);
    expect(await read(world, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it("is unsubscribed once the reader has left", async () => {
    const world = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }), {
      fixture: open(),
    });
    await world.begin();
    let left = 0;
    const { events } = world.host;
    const subscribe = events.subscribe.bind(events);
    events.subscribe = (subscriber) => {
      const unsubscribe = subscribe(subscriber);
      return () => (left++, unsubscribe());
    };
    for await (const event of follow(world.host)) if (event.type === "run_waiting") break;
    expect(left).toBe(1);
  });

  it("an unstarted run is not_found", async () => {
    const world = new RunWorld(async () => null, { fixture: open() });
    await expect(read(world)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("settled and changed", () => {
  it("answer at once when the run waits or is finished", async () => {
    const waiting = new RunWorld((scope) => scope.at("ask").wait({ kind: "input" }));
    await waiting.begin();
    expect(await waiting.host.settled(1000)).toMatchObject({ status: "waiting" });
    const done = new RunWorld(async () => 1);
    await done.begin();
    expect(await done.host.settled(1000)).toMatchObject({ status: "completed" });
    expect([waiting.clock.pending, done.clock.pending]).toEqual([0, 0]);
  });

  it("answer as soon as the run comes to rest", async () => {
    const world = new RunWorld(async () => 1);
    await world.start();
    const settled = world.host.settled(60_000);
    await world.rest();
    expect(await settled).toMatchObject({ status: "completed", output: 1 });
    expect(world.clock.pending).toBe(0);
  });

  it("answer with the run as it is when the time is over", async () => {
    const world = new RunWorld(async () => 1);
    await world.start();
    const settled = world.host.settled(5000);
    await world.clock.advance(5000);
    expect(await settled).toMatchObject({ status: "queued" });
    expect(await world.host.settled(0)).toMatchObject({ status: "queued" });
  });

  it("reject for an unstarted run", async () => {
    await expect(new RunWorld(async () => 1).host.settled(10)).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
