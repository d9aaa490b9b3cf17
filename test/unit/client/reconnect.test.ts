import { describe, expect, it } from "vitest";
import {
  EdgecrewClient,
  foldWords,
  type LiveEvent,
  type RunEvent,
  type Words,
} from "../../../src/client/index.ts";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import { scriptedModel, type Script } from "../../../src/llm/scripted/scripted-model.ts";
import { scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { arrayOf, askingScript, HttpWorld } from "../../support/http-app.ts";
import { until } from "../../support/journal-harness.ts";

const TEA = { inputs: { topic: "tea" } };

type Meddle = (
  response: Response,
  attempt: number,
  request: Request,
) => Response | Promise<Response>;

/** A client whose event streams, and only these, pass through `meddle`. */
function connect(script: Script, meddle: Meddle) {
  const world = new HttpWorld({ script });
  const requests: Request[] = [];
  const client = new EdgecrewClient({
    baseUrl: "http://crews.test",
    clock: world.clock,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const response = await world.app.request(url, init);
      if (!url.includes("/events")) return response;
      requests.push(request);
      return meddle(response, requests.length, request);
    },
  });
  return { world, client, requests };
}

/** The response, cut off after so many bytes: with an error, or as if it had ended. */
function cut(response: Response, afterBytes: number, how: "error" | "end"): Response {
  if (response.body === null) return response;
  let left = afterBytes;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left > 0) return;
      if (how === "error") controller.error(new Error("connection lost"));
      else controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(limit), response);
}

/** An event stream in which nothing ever comes. */
function silent(): Response {
  return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
}

/** Collects events in the background. */
function collect(events: AsyncIterable<RunEvent | LiveEvent>) {
  const seen: Array<RunEvent | LiveEvent> = [];
  const done = (async () => {
    for await (const event of events) seen.push(event);
  })();
  return { seen, done, seqs: () => seen.flatMap((event) => ("seq" in event ? event.seq : [])) };
}

describe("a stream with cuts", () => {
  it.each(["error", "end"] as const)(
    "repeatedly cut by %s, loses and doubles no event",
    async (how) => {
      const whole = connect(
        () => "A fine answer",
        (response) => response,
      );
      const expected = await arrayOf(
        (await whole.client.crews.kickoff("briefing", { ...TEA, id: "run-1" })).events(),
      );

      // One event is about 300 bytes, so that streams break in the midst of events as well.
      const { world, client, requests } = connect(
        () => "A fine answer",
        (response, attempt) => cut(response, 300 + attempt * 170, how),
      );
      const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
      const { seen, done } = collect(run.events());
      for (let step = 0; step < 100 && seen.at(-1)?.type !== "run_completed"; step++)
        await world.clock.advance(15_000);
      await done;
      expect(requests.length).toBeGreaterThan(4);
      expect(
        requests.slice(1).map((request) => request.headers.get("last-event-id")),
      ).not.toContain(null);
      expect(seen.flatMap((event) => ("seq" in event ? [[event.seq, event.id]] : []))).toEqual(
        expected.flatMap((event) => ("seq" in event ? [[event.seq, event.id]] : [])),
      );
    },
  );

  it("continues after the last received event", async () => {
    const { world, client, requests } = connect(
      () => "A fine answer",
      (response, attempt) => (attempt === 1 ? cut(response, 900, "error") : response),
    );
    const run = await client.crews.kickoff("greeting");
    const { seen, done } = collect(run.events());
    await world.clock.advance(0);
    const before = seen.length;
    expect(before).toBeGreaterThan(0);
    await world.clock.advance(500);
    await done;
    expect(requests[1]?.headers.get("last-event-id")).toBe(String(before));
  });

  it("drops events repeated by the server", async () => {
    const { world, client } = connect(
      () => "A fine answer",
      (response, attempt, request) =>
        attempt === 1 ? cut(response, 1200, "error") : world.app.request(request.url),
    );
    const { done, seqs } = collect((await client.crews.kickoff("greeting")).events());
    await world.clock.advance(1000);
    await done;
    expect(seqs()).toEqual(seqs().map((_, index) => index + 1));
  });

  it.each([500, 502, 521])("continues after ten minutes of answers with %i", async (status) => {
    let isAway = true;
    const { world, client, requests } = connect(
      () => "A fine answer",
      (response) => (isAway ? new Response("bad gateway", { status }) : response),
    );
    const { done, seqs } = collect((await client.crews.kickoff("greeting")).events());
    await world.clock.advance(10 * 60_000);
    const before = requests.length;
    expect(before).toBeGreaterThan(600 / 15 - 1);
    isAway = false;
    await world.clock.advance(15_000);
    await done;
    expect(requests).toHaveLength(before + 1);
    expect(seqs()[0]).toBe(1);
  });

  it("with a long silence counts as dead", async () => {
    const { world, client } = connect(
      () => "A fine answer",
      (response, attempt) => (attempt === 1 ? silent() : response),
    );
    const { done, seqs } = collect((await client.crews.kickoff("greeting")).events());
    await world.clock.advance(46_000);
    await done;
    expect(seqs()[0]).toBe(1);
  });
});

describe("a waiting run", () => {
  it("OP2: retains its listener although the server ends the stream", async () => {
    const { world, client, requests } = connect(askingScript(), (response) => response);
    const run = await client.crews.kickoff("briefing", TEA);
    const { seen, done, seqs } = collect(run.events());
    // Two minutes: the server asks to stay away for 15 seconds each time.
    await world.clock.advance(120_000);
    expect(seen.at(-1)?.type).toBe("run_waiting");
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.length).toBeLessThan(12);
    // Somebody else answers.
    await world.ask(`/runs/${run.id}/resume`, { json: { feedback: "yes" } });
    await world.clock.advance(15_000);
    await done;
    expect(seen.at(-1)?.type).toBe("run_completed");
    expect(seqs()).toEqual(seqs().map((_, index) => index + 1));
  });

  it("continues at once when another handle of the same client answers, also without an open stream", async () => {
    const { world, client } = connect(askingScript(), (response) => response);
    const run = await client.crews.kickoff("briefing", TEA);
    const { seen, done } = collect(run.events());
    const output = client.runs.handle(run.id).output();
    await world.clock.advance(20_000);
    const startedAtMs = world.clock.now();
    await client.runs.handle(run.id).resume({ feedback: "yes" });
    await until(() => seen.at(-1)?.type === "run_completed");
    await done;
    await output;
    expect(world.clock.now()).toBe(startedAtMs);
  });

  it("continues at once when the same handle answers", async () => {
    const { world, client } = connect(askingScript(), (response) => response);
    const run = await client.crews.kickoff("briefing", TEA);
    const { seen, done } = collect(run.events());
    await world.clock.advance(20_000);
    const startedAtMs = world.clock.now();
    await run.resume({ feedback: "yes" });
    await until(() => seen.at(-1)?.type === "run_completed");
    await done;
    expect(world.clock.now()).toBe(startedAtMs);
  });
});

describe("the words of an answer", () => {
  it("LW1, LW3: are right after every word, though the connection is lost at each of them", async () => {
    const answer = ["one ", "two ", "three ", "four "];
    let next: (() => void) | undefined;
    const generate: LanguageModel["generate"] = async (request, { onDelta, signal }) => {
      for (const word of answer) {
        await new Promise<void>((resolve) => (next = resolve));
        onDelta?.(word);
      }
      return scriptedModel([answer.join("")]).generate(request, { signal });
    };
    const { agent } = scriptedAgent([], { stream: true });
    const world = new HttpWorld({ crews: { speech: soloCrew(agent) } });
    Object.assign(world.model, { generate });
    let connections = 0;
    const client = new EdgecrewClient({
      baseUrl: "http://crews.test",
      clock: world.clock,
      fetch: async (url, init) => {
        const response = await world.app.request(url, init);
        if (!url.includes("/events") || response.body === null) return response;
        connections++;
        const untilWord = new TransformStream<Uint8Array, Uint8Array>({
          transform(bytes, controller) {
            controller.enqueue(bytes);
            if (new TextDecoder().decode(bytes).includes("event: llm_stream_"))
              controller.terminate();
          },
        });
        return new Response(response.body.pipeThrough(untilWord), response);
      },
    });
    const run = await client.crews.kickoff("speech");
    let words: Words = {};
    const done = (async () => {
      for await (const event of run.events()) words = foldWords(words, event);
    })();
    let said = "";
    for (const word of answer) {
      for (let step = 0; step < 5; step++) await world.clock.advance(100);
      next?.();
      said += word;
      for (let step = 0; step < 3; step++) {
        await world.clock.advance(1_000);
        await world.clock.settle();
      }
      expect(Object.values(words).map(({ text }) => text)).toEqual([said]);
    }
    for (let step = 0; step < 10; step++) await world.clock.advance(15_000);
    await done;
    expect(Object.values(words)).toMatchObject([{ text: said, done: true }]);
    expect(connections).toBeGreaterThan(4);
  });
});

describe("the connection", () => {
  const statesOf = () => {
    const states: string[] = [];
    const onConnection = (state: string, retryInMs?: number): void =>
      void states.push(retryInMs === undefined ? state : `${state} ${retryInMs}`);
    return { states, onConnection };
  };

  it("reports its state: connecting, live, retrying while the server is gone, live again, ended", async () => {
    const { states, onConnection } = statesOf();
    const { world, client } = connect(
      () => "A fine answer",
      (response, attempt) =>
        attempt === 1
          ? cut(response, 900, "error")
          : attempt < 4
            ? new Response("bad gateway", { status: 502 })
            : response,
    );
    const run = await client.crews.kickoff("greeting");
    const { done } = collect(run.events({ onConnection }));
    await world.clock.advance(60_000);
    await done;
    expect(states).toEqual([
      "connecting",
      "live",
      "retrying 500",
      "retrying 1000",
      "retrying 2000",
      "live",
      "ended",
    ]);
  });

  it("ends when the server refuses, and when the listener leaves", async () => {
    const lost = statesOf();
    const { world, client } = connect(
      () => "A fine answer",
      (_, attempt) => new Response("", { status: attempt < 8 ? 502 : 403 }),
    );
    const run = await client.crews.kickoff("greeting");
    const failure = collect(run.events(lost)).done.catch((error: unknown) => error);
    await world.clock.advance(45_000);
    expect(lost.states).toHaveLength(8);
    await world.clock.advance(1_000);
    expect(await failure).toMatchObject({ code: "forbidden" });
    expect([lost.states[0], lost.states.at(-1)]).toEqual(["connecting", "ended"]);
    expect(lost.states).toHaveLength(9);

    const left = statesOf();
    const other = connect(
      () => "A fine answer",
      (response) => response,
    );
    const listened = await other.client.crews.kickoff("greeting");
    for await (const _ of listened.events(left)) break;
    expect(left.states).toEqual(["connecting", "live", "ended"]);
  });
});

describe("a leaving listener", () => {
  it("by its signal ends quietly", async () => {
    const { world, client } = connect(
      () => ({ text: "late", delayMs: 60_000 }),
      (response) => response,
    );
    const leaving = new AbortController();
    const { seen, done } = collect(
      (await client.crews.kickoff("greeting")).events({ signal: leaving.signal }),
    );
    await until(() => seen.length > 0);
    leaving.abort();
    await done;
    expect(seen.at(-1)?.type).not.toBe("run_completed");
    await world.clock.settle();
  });

  it("by leaving the loop ends the connection", async () => {
    let cancelled = false;
    const watched = (response: Response): Response => {
      const reader = response.body?.getReader();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value } = (await reader?.read()) ?? {};
          if (value !== undefined) controller.enqueue(value);
        },
        cancel() {
          cancelled = true;
          return reader?.cancel();
        },
      });
      return new Response(body, response);
    };
    const { client } = connect(() => ({ text: "late", delayMs: 60_000 }), watched);
    for await (const event of (await client.crews.kickoff("greeting")).events())
      if (event.type === "run_started") break;
    await until(() => cancelled);
    expect(cancelled).toBe(true);
  });
});

describe("kickoff", () => {
  it("is sent again when the answer is lost, and starts one run only (CC4)", async () => {
    const world = new HttpWorld();
    let lost = 0;
    const client = new EdgecrewClient({
      baseUrl: "http://crews.test",
      clock: world.clock,
      fetch: async (url, init) => {
        const response = await world.app.request(url, init);
        if (lost++ === 0) throw new TypeError("fetch failed");
        return response;
      },
    });
    const kickoff = client.crews.kickoff("greeting");
    await world.clock.advance(1000);
    const run = await kickoff;
    await run.output();
    expect((await client.runs.list()).items).toHaveLength(1);
  });
});

describe("output", () => {
  it("survives a temporary outage of the server", async () => {
    const world = new HttpWorld({ script: () => ({ text: "late", delayMs: 60_000 }) });
    let down = false;
    const client = new EdgecrewClient({
      baseUrl: "http://crews.test",
      clock: world.clock,
      fetch: async (url, init) => {
        if (down) throw new TypeError("fetch failed");
        return world.app.request(url, init);
      },
    });
    const output = (await client.crews.kickoff("greeting")).output();
    await world.clock.advance(31_000);
    down = true;
    await world.clock.advance(31_000);
    down = false;
    await world.clock.advance(60_000);
    expect(await output).toMatchObject({ raw: "late" });
  });

  it("limits its requests to a server with immediate answers", async () => {
    const world = new HttpWorld({ script: () => ({ text: "late", delayMs: 60_000 }) });
    let asked = 0;
    const client = new EdgecrewClient({
      baseUrl: "http://crews.test",
      clock: world.clock,
      fetch: async (url, init) => {
        asked++;
        const headers = new Headers(init.headers);
        headers.delete("prefer");
        return world.app.request(url, { ...init, headers });
      },
    });
    const output = (await client.crews.kickoff("greeting")).output();
    await world.clock.advance(90_000);
    expect(await output).toMatchObject({ raw: "late" });
    expect(asked).toBeLessThan(15);
  });
});
