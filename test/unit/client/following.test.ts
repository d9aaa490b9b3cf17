import { createParser } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import {
  createClient,
  type ClientOptions,
  type LiveEvent,
  type RunEvent,
} from "../../../src/client/index.ts";
import { eventStreamParser } from "../../../src/base/event-stream-parser.ts";
import { Sockets, type ClientSocket } from "../../../src/client/sockets.ts";
import { askingScript, HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";
import { until } from "../../support/journal-harness.ts";

const TEA = { inputs: { topic: "tea" } };

/** Numbers from 0 to 1 that a seed decides. */
function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

type Answer = (request: {
  readonly url: string;
  readonly init: RequestInit;
  readonly count: number;
  readonly ask: () => Promise<Response>;
}) => Promise<Response>;

/** A client whose requests for events, and only these, are answered by `answer`. */
function connect(
  answer: Answer,
  { options = {}, world = {} }: { options?: ClientOptions; world?: HttpWorldOptions } = {},
) {
  const http = new HttpWorld(world);
  const requests: string[] = [];
  const client = createClient({
    url: "http://crews.test",
    clock: http.clock,
    fetch: async (url, init) => {
      const ask = async (): Promise<Response> => http.app.request(url, init);
      if (!/\/events\b/.test(url)) return ask();
      const after = new Headers(init.headers).get("last-event-id");
      requests.push(url.replace("http://crews.test", "") + (after === null ? "" : ` @${after}`));
      return answer({ url, init, count: requests.length, ask });
    },
    ...options,
  });
  return { http, client, requests };
}

function collect(events: AsyncIterable<RunEvent | LiveEvent>) {
  const seen: Array<RunEvent | LiveEvent> = [];
  const done = (async () => {
    for await (const event of events) seen.push(event);
  })();
  return { seen, done, seqs: () => seen.flatMap((event) => ("seq" in event ? event.seq : [])) };
}

const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

/** The frames of a whole stream. */
const framesOf = async (response: Response): Promise<readonly string[]> =>
  (await response.text()).split(/(?<=\n\n)/);

const stream = (frames: readonly string[]): Response =>
  new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });

describe("a stream of events", () => {
  it("FLR1: over a proxy that cuts, doubles, delays and leaves out, every stored event comes once and in order (CC2)", async () => {
    for (let seed = 0; seed < 25; seed++) {
      const random = seeded(seed);
      const { http, client } = connect(async ({ init, ask }) => {
        const response = await ask();
        const isPage = !new Headers(init.headers).get("accept")?.includes("event-stream");
        if (response.status !== 200 || isPage) return response;
        const frames = await framesOf(response);
        if (random() < 0.2) return new Response("bad gateway", { status: 502 });
        const kept = frames.flatMap((frame) => {
          const chance = random();
          if (chance < 0.2) return [frame, frame];
          return chance < 0.4 && frame.startsWith("id:") && !frame.includes("run_completed")
            ? []
            : [frame];
        });
        const whole = kept.join("");
        return stream([random() < 0.6 ? whole.slice(0, random() * whole.length) : whole]);
      });
      const run = await client.crews.kickoff("briefing", { ...TEA, id: "run-1" });
      await http.clock.advance(5_000);
      const { done, seqs, seen } = collect(run.events());
      const end = done.catch((error: unknown) => error);
      for (let step = 0; step < 200 && seen.at(-1)?.type !== "run_completed"; step++)
        await http.clock.advance(15_000);
      expect([seed, await end]).toEqual([seed, undefined]);
      const { items } = await run.eventPage({ limit: 500 });
      expect([seed, ...seqs()]).toEqual([seed, ...items.map(({ seq }) => seq)]);
    }
  });

  it("FLR1: after a jump, the page between is read, over several pages when they are short", async () => {
    const { http, client, requests } = connect(async ({ url, init, ask }) => {
      const response = await ask();
      if (url.includes("before=")) {
        const page = (await response.json()) as { items: RunEvent[]; next: number; more: boolean };
        const first = page.items.slice(0, 3);
        const more = page.more || first.length < page.items.length;
        const headers = { "content-type": "application/json" };
        return Response.json({ items: first, next: first.at(-1)?.seq, more }, { headers });
      }
      expect(new Headers(init.headers).get("accept")).toBe("text/event-stream");
      const frames = await framesOf(response);
      return stream([...frames.slice(0, 2), ...frames.slice(-2)]);
    });
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(5_000);
    const { seen, seqs, done } = collect(run.events());
    await done;
    expect(seqs()).toEqual(upTo(seen.length));
    expect(requests.filter((path) => path.includes("before=")).length).toBeGreaterThan(2);
  });

  it("FLR1: hidden events are requested once", async () => {
    const { http, client, requests } = connect(async ({ url, ask }) => {
      if (url.includes("before=")) return Response.json({ items: [], next: 99, more: false });
      const frames = await framesOf(await ask());
      return stream(frames.filter((_, at) => at % 3 === 0 || at > frames.length - 3));
    });
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(5_000);
    await collect(run.events()).done;
    expect(requests.filter((path) => path.includes("before="))).toHaveLength(1);
  });

  it.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, "not_found"],
  ])("FLR4: an answer with %i rejects at once", async (status, code) => {
    const { http, client, requests } = connect(async () => new Response("", { status }));
    const run = await client.crews.kickoff("greeting");
    const end = collect(run.events()).done.catch((error: unknown) => error);
    await http.clock.advance(1_000);
    expect(await end).toMatchObject({ code });
    expect(requests).toHaveLength(1);
  });

  it("continues with another token after 401 in mid-stream, from its position (CC5)", async () => {
    const tokens: string[] = [];
    let asked = 0;
    const { http, client, requests } = connect(
      async ({ init, ask }) => {
        const token = new Headers(init.headers).get("authorization") ?? "";
        tokens.push(token);
        if (token === "Bearer token-1" && tokens.length > 1)
          return Response.json({ code: "token_expired", detail: "expired" }, { status: 401 });
        const frames = await framesOf(await ask());
        return stream(tokens.length === 1 ? frames.slice(0, 3) : frames);
      },
      { options: { auth: () => `token-${++asked}` } },
    );
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(5_000);
    const { seen, seqs, done } = collect(run.events());
    await http.clock.advance(5_000);
    await done;
    expect(seqs()).toEqual(upTo(seen.length));
    expect(tokens).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
    expect(asked).toBe(2);
    expect(requests.at(-1)).toMatch(/ @2$/);
  });
});

describe("pages in place of a stream", () => {
  const isPage = (init: RequestInit): boolean =>
    new Headers(init.headers).get("accept") === "application/json";
  /** As in React Native: an answer without a body that can be read while it comes. */
  const bodiless = (response: Response): Response =>
    Object.defineProperty(response, "body", { value: undefined });

  it("FLR3: are sent by the server after new events, and lose no event (CC6)", async () => {
    const { http, client, requests } = connect(
      async ({ init, ask }) => {
        expect(isPage(init) || requests.length === 1).toBe(true);
        return bodiless(await ask());
      },
      { world: { script: askingScript() } },
    );
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(1_000);
    const { seen, seqs, done } = collect(run.events());
    await http.clock.advance(60_000);
    expect(seen.at(-1)?.type).toBe("run_waiting");
    expect(requests.length).toBeLessThan(10);
    await run.resume({ feedback: "yes" });
    await http.clock.advance(5_000);
    await done;
    expect(seen.at(-1)?.type).toBe("run_completed");
    expect(seqs()).toEqual(upTo(seen.length));
  });

  it("FLR3: end when the server marks the last page", async () => {
    const { http, client, requests } = connect(async ({ ask }) => bodiless(await ask()));
    const run = await client.crews.kickoff("greeting");
    await http.clock.advance(5_000);
    const { items } = await run.eventPage({ limit: 500 });
    const { seen, done } = collect(run.events({ after: items.at(-1)?.seq ?? 0 }));
    await http.clock.advance(60_000);
    await done;
    expect(seen).toEqual([]);
    expect(requests.length).toBeLessThan(4);
  });
});

/** A socket as the server's side of it sees it. */
class FakeSocket implements ClientSocket {
  static readonly opened: FakeSocket[] = [];
  onmessage: ClientSocket["onmessage"] = null;
  onclose: ClientSocket["onclose"] = null;
  onerror: ClientSocket["onerror"] = null;
  onopen: ClientSocket["onopen"] = null;
  readonly opens: boolean | undefined = true;
  isClosed = false;
  readonly url: string;
  readonly protocols: readonly string[];

  constructor(url: string, protocols: readonly string[]) {
    this.url = url;
    this.protocols = protocols;
    FakeSocket.opened.push(this);
    setImmediate(() => {
      if (this.opens === true) this.onopen?.({});
      if (this.opens === false) this.onclose?.({ code: 1006, reason: "" });
    });
  }

  send(event: RunEvent | LiveEvent): void {
    this.onmessage?.({ data: JSON.stringify(event) });
  }

  close(): void {
    this.isClosed = true;
  }
}

describe("a waiting run", () => {
  function waiting(auth?: () => string) {
    FakeSocket.opened.length = 0;
    return connect(({ ask }) => ask(), {
      options: { webSocket: FakeSocket, ...(auth === undefined ? undefined : { auth }) },
      world: { script: askingScript() },
    });
  }
  const rest = async (run: { eventPage(query: object): Promise<{ items: readonly RunEvent[] }> }) =>
    (await run.eventPage({ limit: 500 })).items;

  it("FLR2: is followed over a web socket, and left with it", async () => {
    const { http, client, requests } = waiting();
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(1_000);
    const { seen, seqs, done } = collect(run.events());
    await until(() => FakeSocket.opened.length === 1);
    await http.clock.advance(60_000);
    const [socket] = FakeSocket.opened;
    expect(requests).toHaveLength(1);
    expect(socket?.url).toBe(`ws://crews.test/runs/${run.id}/events?after=${seqs().at(-1) ?? ""}`);
    await run.resume({ feedback: "yes" });
    await http.clock.advance(1_000);
    for (const event of await rest(run)) socket?.send(event);
    await done;
    expect(seen.at(-1)?.type).toBe("run_completed");
    expect(seqs()).toEqual(upTo(seen.length));
    expect(socket?.isClosed).toBe(true);
  });

  it("FLR2: opens a new socket from time to time, because a lost one is not noticed", async () => {
    const { http, client } = waiting();
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(1_000);
    const leaving = new AbortController();
    const { done } = collect(run.events({ signal: leaving.signal }));
    await until(() => FakeSocket.opened.length === 1);
    await http.clock.advance(301_000);
    await until(() => FakeSocket.opened.length === 2);
    expect(FakeSocket.opened[0]?.isClosed).toBe(true);
    leaving.abort();
    await done;
  });

  it("FLR2: continues with another token when the socket is closed because its token has expired", async () => {
    let asked = 0;
    const { http, client } = waiting(() => `ect_${++asked}`);
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(1_000);
    const leaving = new AbortController();
    const { done } = collect(run.events({ signal: leaving.signal }));
    await until(() => FakeSocket.opened.length === 1);
    await http.clock.settle();
    FakeSocket.opened[0]?.onclose?.({ code: 4401, reason: "token_expired" });
    await until(() => FakeSocket.opened.length === 2);
    expect(FakeSocket.opened.map(({ protocols }) => protocols.at(-1))).toEqual(["ect_1", "ect_2"]);
    leaving.abort();
    await done;
    expect(FakeSocket.opened.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it("FLR2: is followed by streams when a socket cannot be opened", async () => {
    class Refused extends FakeSocket {
      override readonly opens = false;
    }
    FakeSocket.opened.length = 0;
    const { http, client, requests } = connect(({ ask }) => ask(), {
      options: { webSocket: Refused },
      world: { script: askingScript() },
    });
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(1_000);
    const { seen, done } = collect(run.events());
    await http.clock.advance(60_000);
    expect(FakeSocket.opened.length).toBeGreaterThan(0);
    await run.resume({ feedback: "yes" });
    await http.clock.advance(30_000);
    await done;
    expect(seen.at(-1)?.type).toBe("run_completed");
    expect(requests.length).toBeGreaterThan(1);
  });
});

describe("a socket left or failed before it opens", () => {
  /** Neither opens nor closes unless the test says so; a close by the caller is answered with 1006, as platforms do. */
  class Slow extends FakeSocket {
    override readonly opens = undefined;
    override close(): void {
      super.close();
      this.onclose?.({ code: 1006, reason: "" });
    }
  }
  async function waitingRun() {
    FakeSocket.opened.length = 0;
    const { http, client } = connect(({ ask }) => ask(), {
      options: { webSocket: Slow },
      world: { script: askingScript() },
    });
    const run = await client.crews.kickoff("briefing", TEA);
    await http.clock.advance(1_000);
    const follow = () => {
      const leaving = new AbortController();
      const { done } = collect(run.events({ signal: leaving.signal }));
      return { leave: () => leaving.abort(), done };
    };
    return { http, follow };
  }

  it("SOK2: the next follower tries a socket after one was left", async () => {
    const { follow } = await waitingRun();
    for (let count = 1; count <= 3; count++) {
      const follower = follow();
      await until(() => FakeSocket.opened.length === count);
      follower.leave();
      await follower.done;
      expect(FakeSocket.opened.every(({ isClosed }) => isClosed)).toBe(true);
    }
  });

  it("SOK1: a stream follows after a failure, and a socket again after a minute", async () => {
    const { http, follow } = await waitingRun();
    const follower = follow();
    await until(() => FakeSocket.opened.length === 1);
    FakeSocket.opened[0]?.onclose?.({ code: 1006, reason: "" });
    await http.clock.advance(55_000);
    expect(FakeSocket.opened).toHaveLength(1);
    await http.clock.advance(10_000);
    await until(() => FakeSocket.opened.length === 2);
    follower.leave();
    await follower.done;
  });

  it("SOK3: counts a socket as failed after 15 seconds", async () => {
    const { http, follow } = await waitingRun();
    const follower = follow();
    await until(() => FakeSocket.opened.length === 1);
    await http.clock.advance(16_000);
    expect(FakeSocket.opened.map(({ isClosed }) => isClosed)).toEqual([true]);
    await http.clock.advance(40_000);
    expect(FakeSocket.opened).toHaveLength(1);
    await http.clock.advance(60_000);
    await until(() => FakeSocket.opened.length === 2);
    follower.leave();
    await follower.done;
  });

  it("SOK1: pauses grow to a quarter of an hour and end with an open socket", () => {
    const { http } = connect(({ ask }) => ask());
    const sockets = new Sockets(http.clock, FakeSocket);
    const rests = Array.from({ length: 6 }, () => {
      sockets.failed();
      return (sockets.readyInMs ?? 0) / 60_000;
    });
    expect(rests).toEqual([1, 2, 4, 8, 15, 15]);
    sockets.opened();
    expect(sockets.readyInMs).toBe(0);
  });
});

it("FLR5: an abort and leaving the loop end the request, and leave no timer and no listener (CC7)", async () => {
  const signals: AbortSignal[] = [];
  const { http, client } = connect(
    ({ init, ask }) => {
      if (init.signal) signals.push(init.signal);
      return ask();
    },
    { world: { script: askingScript() } },
  );
  const run = await client.crews.kickoff("briefing", TEA);
  await http.clock.advance(1_000);
  const before = http.clock.pending;
  const leaving = new AbortController();
  const { seen, done } = collect(run.events({ signal: leaving.signal }));
  await until(() => seen.length > 0);
  leaving.abort();
  await done;
  for await (const _ of run.events()) break;
  await http.clock.settle();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(http.clock.pending).toBe(before);
});

describe("the parser of streams", () => {
  const PIECES = [
    ": a comment\n", "id: 7\n", "event: run\n", "data: {\"a\":1}\n", "data\n", "data:no space\n", "data:  two\r\n",
    "retry: 250\n", "retry: soon\n", "unknown: x\n", "\n", "\r\n", "id\n", "event: ünï\n", "data: a:b: c\n\n",
  ]; // prettier-ignore

  it("agrees with another parser, for any split of the stream", () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seeded(seed);
      const length = 1 + Math.floor(random() * 20);
      const text = `${Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]).join("")}\n\n`;
      const expected: unknown[] = [];
      const retries: number[] = [];
      const other = createParser({
        onEvent: ({ data, event, id }) => expected.push({ data, event, id }),
      });
      other.feed(text);
      const parse = eventStreamParser((ms) => retries.push(ms));
      const found: unknown[] = [];
      for (let at = 0; at < text.length;) {
        const size = 1 + Math.floor(random() * 9);
        for (const { data, event, id } of parse(text.slice(at, at + size)))
          found.push({ data, event, id });
        at += size;
      }
      expect([text, ...found]).toEqual([text, ...expected]);
      expect(retries.every((ms) => ms === 250)).toBe(true);
    }
  });
});
