// Remote agents that hang, lie, or send whatever they like.
import { describe, expect, it, vi } from "vitest";
import { remoteAgent, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import { remoteAgents } from "../../../../../src/protocols/a2a/client/remote-agents.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import type { RemoteAgentValue } from "../../../../../src/agent/description/agent-offer.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  a2aPeer,
  json,
  sse,
  type PeerOptions,
  type PeerRequest,
  addressOf,
} from "../../../../support/a2a-peer.ts";
import {
  lastTold,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
} from "../../../../support/crew-harness.ts";

const ENDPOINT = "https://weather.example.com";
const isCard = ({ method }: PeerRequest): boolean => method === "GET";

async function asked(
  before: NonNullable<PeerOptions["before"]>,
  config: Partial<A2AClientConfig> = {},
): Promise<{ told: string; requests: readonly PeerRequest[] }> {
  const peer = a2aPeer({ before: (request) => (isCard(request) ? undefined : before(request)) });
  const { agent, model } = scriptedAgent(askingInTurn(["Rain?"]), {
    a2a: remoteAgent({ endpoint: peer.url, ...config }, { fetch: peer.fetch }),
  });
  const run = startCrew(soloCrew(agent));
  await run.output();
  return { told: lastTold(model, 1), requests: peer.requests };
}

const idOf = ({ body }: PeerRequest): number => (JSON.parse(body) as { id: number }).id;
const answered =
  (result: unknown): NonNullable<PeerOptions["before"]> =>
  (request) =>
    json({ jsonrpc: "2.0", id: idOf(request), result });
const polling = { updates: "polling" } as const;
const html = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/html" } });

describe("AXH3: an invalid answer", () => {
  it.each([
    ["a page", () => html("<h1>Hello</h1>"), "must answer with JSON, got 200 text/html"],
    ["nothing", () => new Response(null, { status: 200 }), "refused"],
    ["a list", () => json([1, 2]), "refused"],
    ["another id", () => json({ jsonrpc: "2.0", id: 99_999, result: {} }), "mismatch"],
    ["a null result", answered(null), "refused"],
    ["an empty result", answered({}), "refused"],
    [
      "an error of an odd shape",
      (request: PeerRequest) => json({ jsonrpc: "2.0", id: idOf(request), error: "no" }),
      "refused",
    ],
    [
      "a task with an object as its id",
      answered({ task: { id: { a: 1 }, status: { state: "TASK_STATE_WORKING" } } }),
      "ids of printable characters",
    ],
    [
      "a task without an id",
      answered({ task: { status: { state: "TASK_STATE_WORKING" } } }),
      "ids of printable characters",
    ],
    [
      "a task with an enormous id",
      answered({ task: { id: "x".repeat(300), status: { state: "TASK_STATE_WORKING" } } }),
      "ids of printable characters",
    ],
  ])("reaches the model as a failure: %s", async (_, before, message) => {
    const { told } = await asked(before, polling);
    expect(told).toContain("Weather Bot did not do it (failed)");
    expect(told).toContain(message);
  });

  it("stops polling an unknown state", async () => {
    const { told } = await asked(
      (request) =>
        request.rpc === "SendMessage"
          ? answered({ task: { id: "t", status: { state: "TASK_STATE_DREAMING" } } })(request)
          : answered({ id: "t", status: { state: 77 } })(request),
      { updates: { type: "polling", maxPolls: 3 } },
    );
    expect(told).toContain("not ready after 3 polls");
  });
});

describe("a stream of garbage", () => {
  const streamed =
    (text: string): NonNullable<PeerOptions["before"]> =>
    (request) =>
      request.rpc === "SendStreamingMessage"
        ? new Response(text, { headers: { "content-type": "text/event-stream" } })
        : json({ jsonrpc: "2.0", id: idOf(request), result: { tasks: [] } });

  it.each([
    ["no events", "garbage garbage\n\n"],
    ["no JSON", "data: {not json\n\n"],
    ["no JSON-RPC", 'data: {"hello":1}\n\n'],
    ["binary", "\u0000\u0001\u0002data:\u0000\n\n"],
  ])("reaches the model as a failure: %s", async (_, text) => {
    const { told } = await asked(streamed(text));
    expect(told).toContain("Weather Bot did not do it (failed)");
  });

  it("AXK2: reaches the model as a failure when it updates another task", async () => {
    const working = { contextId: "c", status: { state: "TASK_STATE_WORKING" } };
    const { told } = await asked((request) =>
      request.rpc === "GetTask"
        ? json({ jsonrpc: "2.0", id: idOf(request), result: { id: "other", ...working } })
        : sse(
            (async function* () {
              const id = idOf(request);
              yield { jsonrpc: "2.0", id, result: { task: { id: "mine", ...working } } };
              yield {
                jsonrpc: "2.0",
                id,
                result: { statusUpdate: { taskId: "other", ...working } },
              };
            })(),
          ),
    );
    expect(told).toContain("could not be taken up again");
  });

  it("is abandoned when it has no end, even in small pieces", async () => {
    const { told } = await asked((request) => {
      if (request.rpc !== "SendStreamingMessage")
        return json({ jsonrpc: "2.0", id: idOf(request), result: { tasks: [] } });
      const piece = new Uint8Array(1024 * 1024).fill(120);
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }), {
        headers: { "content-type": "text/event-stream" },
      });
    });
    expect(told).toContain("Weather Bot did not do it (failed)");
  });
});

describe("an answer of 100 MB", () => {
  it("is not received", async () => {
    let sent = 0;
    const piece = new Uint8Array(1024 * 1024).fill(32);
    const { told } = await asked(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              sent += 1;
              if (sent > 100) return controller.close();
              controller.enqueue(piece);
            },
          }),
          { headers: { "content-type": "application/json" } },
        ),
      polling,
    );
    expect(told).toContain("answered with more than 6291456 bytes, which are not received");
    expect(sent).toBeLessThan(10);
  });

  it("is not read when its length is in the header", async () => {
    const { told } = await asked(
      () =>
        new Response("{}", {
          headers: { "content-type": "application/json", "content-length": "104857600" },
        }),
      polling,
    );
    expect(told).toContain("more than 6291456 bytes");
  });
});

describe("redirects and addresses", () => {
  it("AXH2: a message follows no redirects", async () => {
    const { told, requests } = await asked(
      () =>
        new Response(null, {
          status: 307,
          headers: { location: "https://elsewhere.example.com/" },
        }),
      polling,
    );
    expect(told).toContain("must not redirect more than 0 times");
    expect(requests.every(({ url }) => !url.includes("elsewhere"))).toBe(true);
  });

  it.each([
    "http://169.254.169.254/latest",
    "http://10.0.0.1/",
    "http://localhost:8080/",
    "http://[::1]/",
  ])("AXA3: a card that redirects to %s is refused", async (location) => {
    const seen: string[] = [];
    const fetch = (async (input: unknown) => {
      seen.push(addressOf(input));
      return new Response(null, { status: 302, headers: { location } });
    }) as typeof globalThis.fetch;
    const { agent } = scriptedAgent(["x"], { a2a: remoteAgent(ENDPOINT, { fetch }) });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.message).toContain("private network or of this machine");
    expect(seen).toEqual([`${ENDPOINT}/.well-known/agent-card.json`]);
  });

  it.each([
    "http://127.0.0.1:9000/rpc",
    "http://metadata.internal/rpc",
    "file:///etc/passwd",
    "https://user:pw@x.example.com/",
  ])("AXA3: a card that names %s is refused", async (url) => {
    const peer = a2aPeer({
      interfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    });
    const { agent } = scriptedAgent(["x"], { a2a: remoteAgent(peer.url, { fetch: peer.fetch }) });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.message).toContain('the address on the card of "Weather Bot"');
    expect(peer.sends()).toEqual([]);
  });

  it("sends no credentials in the clear to the target of a card of https", async () => {
    const peer = a2aPeer({
      interfaces: [
        { url: "http://plain.example.com/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      ],
    });
    const { agent } = scriptedAgent(["x"], {
      a2a: remoteAgent(
        { endpoint: peer.url, auth: { type: "bearer", token: "t" } },
        { fetch: peer.fetch },
      ),
    });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.message).toContain("names an address without https");
    expect(peer.sends()).toEqual([]);
  });

  it("AXH2: shows no credentials to the target of a card's redirect", async () => {
    const seen: Array<[string, string | null]> = [];
    const peer = a2aPeer();
    const fetch = (async (input: unknown, init?: RequestInit) => {
      const url = addressOf(input);
      seen.push([url, new Headers(init?.headers).get("authorization")]);
      if (url.startsWith(ENDPOINT) && init?.method !== "POST" && !url.includes("moved"))
        return new Response(null, {
          status: 302,
          headers: { location: "https://other.example.com/.well-known/agent-card.json" },
        });
      return peer.fetch(url.replace("other", "weather"), init);
    }) as typeof globalThis.fetch;
    const { agent } = scriptedAgent(askingInTurn(["Hi"]), {
      a2a: remoteAgent(
        { endpoint: ENDPOINT, auth: { type: "bearer", token: "top-secret-token" } },
        { fetch },
      ),
    });
    await startCrew(soloCrew(agent)).output();
    expect(seen[0]).toEqual([`${ENDPOINT}/.well-known/agent-card.json`, "Bearer top-secret-token"]);
    expect(seen[1]).toEqual(["https://other.example.com/.well-known/agent-card.json", null]);
    expect(seen.at(-1)?.[1]).toBe("Bearer top-secret-token");
  });
});

describe("a hanging agent", () => {
  /** Its own clock: the one of the run is moved by the test. */
  const hanging = (
    fetch: typeof globalThis.fetch,
    clock: SimulatedClock,
    config: Partial<A2AClientConfig> = {},
  ): RemoteAgentValue => ({
    connect: () =>
      remoteAgents({
        entries: [{ endpoint: ENDPOINT, timeout: 10, ...config }],
        access: { tenant: "t", clock, fetch, outbound: {}, variables: {} },
        shared: { cards: new Map(), tokens: new Map() },
      }),
  });

  it("is abandoned after its timeout, and its request aborted", async () => {
    const clock = new SimulatedClock();
    const peer = a2aPeer({
      before: (request) => (isCard(request) ? undefined : new Promise<Response>(() => undefined)),
    });
    const { agent, model } = scriptedAgent(askingInTurn(["Hi"]), {
      a2a: hanging(peer.fetch, clock, polling),
    });
    const run = startCrew(soloCrew(agent));
    const output = run.output();
    for (let turn = 0; turn < 20; turn++) {
      await clock.advance(10_000);
      await run.clock.settle();
    }
    await output;
    expect(lastTold(model, 1)).toContain("sent no data for 10 seconds");
    expect(peer.sends().length).toBeGreaterThanOrEqual(1);
    for (const { signal } of peer.sends()) expect(signal?.aborted).toBe(true);
  });

  it("in the middle of a stream is asked for its task", async () => {
    const clock = new SimulatedClock();
    const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
    const peer = a2aPeer({
      before: (request) => {
        if (isCard(request)) return undefined;
        if (request.rpc === "GetTask")
          return json({
            jsonrpc: "2.0",
            id: idOf(request),
            result: {
              ...task,
              status: { state: "TASK_STATE_COMPLETED" },
              artifacts: [{ artifactId: "a", parts: [{ text: "Rain" }] }],
            },
          });
        return sse(
          (async function* () {
            yield { jsonrpc: "2.0", id: idOf(request), result: { task } };
            await new Promise(() => undefined);
          })(),
        );
      },
    });
    const { agent, model } = scriptedAgent(askingInTurn(["Hi"]), {
      a2a: hanging(peer.fetch, clock),
    });
    const run = startCrew(soloCrew(agent));
    const output = run.output();
    for (let turn = 0; turn < 5; turn++) {
      await run.clock.settle();
      await clock.advance(10_000);
    }
    await output;
    expect(lastTold(model, 1)).toBe("Rain");
  });
});

it("a cancelled run aborts its requests", async () => {
  const peer = a2aPeer({
    before: (request) => (isCard(request) ? undefined : new Promise<Response>(() => undefined)),
  });
  const { agent } = scriptedAgent(askingInTurn(["Hi"]), {
    a2a: remoteAgent(peer.url, { fetch: peer.fetch }),
  });
  const run = startCrew(soloCrew(agent));
  await vi.waitFor(async () => {
    await run.clock.settle();
    expect(peer.sends()).toHaveLength(1);
  });
  await run.handle.cancel();
  expect((await run.handle.status()).status).toBe("cancelled");
  expect(peer.sends()[0]?.signal?.aborted).toBe(true);
});

it("an enormous or invalid card ends the run with the reason", async () => {
  for (const [answer, message] of [
    [() => html("<html>"), "must be JSON"],
    [() => json([]), "must be an object"],
    [() => json({ name: "A" }), "must have a name and an address"],
    [() => new Response("x".repeat(300_000)), "more than 262144 bytes"],
    [() => json({}, 404), "there is no agent card at"],
    [() => json({}, 403), "is not shown without other auth (403)"],
  ] as const) {
    const fetch = (async () => answer()) as typeof globalThis.fetch;
    const { agent } = scriptedAgent(["x"], { a2a: remoteAgent(ENDPOINT, { fetch }) });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.message).toContain(message);
    expect(error.message).toContain("With failFast: false the run goes on without it");
  }
});

it("a request above the limit of the settings is not sent", async () => {
  const { told, requests } = await asked(() => undefined, {
    ...polling,
    transport: { jsonrpc: { maxRequestSize: 50 } },
  });
  expect(told).toContain("may have at most 50 bytes");
  expect(requests.filter((each) => !isCard(each))).toEqual([]);
});
