// Remote agents in stored definitions and in CrewAI's files: what is refused, warned of, sealed and never shown.
import { describe, expect, it } from "vitest";
import { a2aClient, remoteAgent, type A2AClientOptions } from "../../../../../src/entry/a2a.ts";
import type { JsonObject } from "../../../../../src/base/json.ts";
import type { DefinitionRules } from "../../../../../src/llm/definition-rules.ts";
import { SecretBox } from "../../../../../src/security/secret-box.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import { a2aPeer, type Peer, type PeerOptions } from "../../../../support/a2a-peer.ts";
import { HttpWorld, textOf, type Answer } from "../../../../support/http-app.ts";
import { scriptedAgent, soloCrew } from "../../../../support/crew-harness.ts";

const CANARY = "CANARY-secret-0123456789";
const box = new SecretBox("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", (length) =>
  crypto.getRandomValues(new Uint8Array(length)),
);
const RULES: DefinitionRules = {
  outbound: {},
  secrets: ["TEAM_TOKEN"],
  seal: (key, owner) => box.seal(key, owner),
  open: (sealed, owner) => box.open(sealed, owner),
};

type World = {
  readonly world: HttpWorld;
  readonly peer: Peer;
  readonly put: (a2a: unknown) => Promise<Answer>;
  readonly run: () => Promise<Answer>;
};

function worldWith(
  options: { client?: A2AClientOptions | "none"; peer?: PeerOptions } = {},
): World {
  const peer = a2aPeer(options.peer);
  const { client = {} } = options;
  const world = new HttpWorld({
    script: askingInTurn(["Rain?"]),
    definitionRules: RULES,
    placeVariables: { TEAM_TOKEN: "team-token-value", OTHER: "other-value-123" },
    parts: client === "none" ? [] : [a2aClient({ fetch: peer.fetch, ...client })],
  });
  return {
    world,
    peer,
    put: (a2a) => {
      const agents = { a: { role: "A", goal: "B", backstory: "C", a2a } };
      const tasks = [{ name: "t", description: "D", expectedOutput: "E", agent: "a" }];
      return world.ask("/crews/mine", { method: "PUT", json: { agents, tasks } });
    },
    run: async () => {
      const id = await world.kickoff("mine");
      await world.clock.advance(5_000); // polls
      await world.clock.settle();
      return world.ask(`/runs/${id}`);
    },
  };
}

const detailOf = ({ json }: Answer): string => JSON.stringify(json);

describe("a stored definition with a remote agent", () => {
  it("is run, with names as CrewAI writes them", async () => {
    const { put, run, peer } = worldWith();
    const a2a = { endpoint: peer.url, max_turns: 3, updates: { interval: 1 } };
    expect((await put(a2a)).json).toMatchObject({ agents: [expect.anything()] });
    expect((await run()).json).toMatchObject({
      status: "completed",
      output: { raw: "It will rain" },
    });
    expect(peer.turns).toHaveLength(1);
  });

  it("is read from CrewAI's YAML", async () => {
    const { run, peer, world } = worldWith();
    const yaml = `agents:
  a:
    role: A
    goal: B
    backstory: C
    a2a:
      - endpoint: ${peer.url}
        fail_fast: false
        accepted_output_modes: [text/plain]
        updates: { interval: 1, max_polls: 5 }
tasks:
  t: { description: D, expected_output: E, agent: a }
`;
    const stored = await world.ask("/crews/mine", {
      method: "PUT",
      body: yaml,
      headers: { "content-type": "application/yaml" },
    });
    expect(stored.status).toBe(201);
    expect((await run()).json["status"]).toBe("completed");
    expect(peer.turns).toHaveLength(1);
  });

  it("may mix agents to ask with how this one is offered", async () => {
    const { put, run, peer } = worldWith();
    expect((await put([{ endpoint: peer.url }, { name: "Mine", skills: [] }])).status).toBe(201);
    expect((await run()).json["status"]).toBe("completed");
  });

  it.each([
    [{ endpoint: "https://a.example.com", timeuot: 1 }, "timeuot is not a known field"],
    [{ endpoint: "nowhere" }, "/endpoint"],
    [{ endpoint: "http://127.0.0.1:3000" }, "private network or of this machine"],
    [{ endpoint: "http://a.example.com" }, "must begin with https://"],
    [{ nmae: "Mine" }, "nmae is not a known field"],
    [{ endpoint: "https://a.example.com", auth: { token: { secret: "OTHER" } } }, "does not list"],
    [
      { endpoint: "https://a.example.com", auth: { token: { secret: "TEAM_TOKEN" } } },
      "goes only to a host that it lists",
    ],
    [
      { endpoint: "https://a.example.com", auth: { token: { sealed: "v1.x.y", owner: "me" } } },
      "expected a secret, or { secret: NAME }",
    ],
    [
      { endpoint: "https://a.example.com", client_extensions: [{ injectTools: "x" }] },
      "clientExtensions",
    ],
    [[{ endpoint: "https://a.example.com" }, 5], "a2a/1"],
  ])("is refused with %j", async (a2a, message) => {
    const { put } = worldWith();
    const refused = await put(a2a);
    expect(refused.status).toBe(400);
    expect(detailOf(refused)).toContain(message);
  });

  it("without the part is stored with a warning, which each run repeats", async () => {
    const { put, run, world } = worldWith({ client: "none" });
    const stored = await put({ endpoint: "https://a.example.com" });
    expect(stored.json["warnings"]).toEqual([
      {
        path: "/agents/a/a2a",
        message: expect.stringContaining("add a2aClient() of edgecrew/a2a"),
      },
    ]);
    const { json } = await run();
    const { text } = await world.ask(`/runs/${textOf(json["id"])}/events?types=agent_warning`);
    expect(text).toContain("its a2a is not connected: add a2aClient()");
  });
});

describe("AXA2: secrets of stored definitions", () => {
  it("are sealed and sent when written in plain, and never shown", async () => {
    const { put, run, peer, world } = worldWith();
    const a2a = [
      { endpoint: peer.url, auth: { type: "bearer", token: CANARY } },
      { endpoint: `${peer.url}/2`, auth: { username: "ann", password: CANARY } },
      {
        endpoint: `${peer.url}/3`,
        fail_fast: false,
        updates: {
          type: "push",
          token: CANARY,
          signature: CANARY,
          authentication: { scheme: "Bearer", credentials: CANARY },
        },
      },
      {
        endpoint: `${peer.url}/4`,
        fail_fast: false,
        updates: { type: "push", signature: { secret: CANARY, tolerance: 5 } },
      },
      { endpoint: `${peer.url}/5`, auth: { api_key: CANARY } },
    ];
    const stored = await put(a2a);
    expect(stored.status).toBe(201);
    expect(stored.text).not.toContain(CANARY);
    const shown = await world.ask("/crews/mine");
    expect(shown.text).not.toContain(CANARY);
    const kept = JSON.stringify(await world.definitions.get("default", "crew", "mine"));
    expect(kept).not.toContain(CANARY);
    expect(kept).toContain("sealed");
    const ended = await run();
    expect(ended.json["status"]).toBe("completed");
    const own = peer.requests.find(({ url }) => url === `${peer.url}/.well-known/agent-card.json`);
    expect(own?.headers.get("authorization")).toBe(`Bearer ${CANARY}`);
    const { text } = await world.ask(`/runs/${textOf(ended.json["id"])}/journal?values=1`);
    expect(text).not.toContain(CANARY);
  });

  it("go to listed hosts only when named", async () => {
    const client = { hosts: ["weather.example.com"] };
    const auth = { token: { secret: "TEAM_TOKEN" } };
    const { put, run, peer } = worldWith({ client });
    expect((await put({ endpoint: peer.url, auth })).status).toBe(201);
    expect((await run()).json["status"]).toBe("completed");
    expect(peer.sends()[0]?.headers.get("authorization")).toBe("Bearer team-token-value");
    const elsewhere = worldWith({
      client,
      peer: {
        interfaces: [
          {
            url: "https://evil.example.com/rpc",
            protocolBinding: "JSONRPC",
            protocolVersion: "1.0",
          },
        ],
      },
    });
    await elsewhere.put({ endpoint: elsewhere.peer.url, auth });
    const ended = await elsewhere.run();
    expect(ended.json).toMatchObject({ status: "failed" });
    expect(JSON.stringify(ended.json["error"])).toContain(
      "must be of a host that this deployment lists",
    );
    expect(elsewhere.peer.sends()).toEqual([]);
  });
});

it("AXA1: a card on a listed host cannot lead elsewhere by a redirect", async () => {
  const { put, run, peer } = worldWith({
    client: { hosts: ["weather.example.com"] },
    peer: {
      before: ({ method }) =>
        method === "GET"
          ? new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } })
          : undefined,
    },
  });
  await put({ endpoint: peer.url });
  expect(JSON.stringify((await run()).json["error"])).toContain(
    "private network or of this machine",
  );
  expect(peer.requests).toHaveLength(1);
});

it("the part refuses unknown options", () => {
  expect(() => a2aClient({ host: [] } as A2AClientOptions)).toThrow(
    'a2aClient() has no option "host"; it has: hosts, callbackUrl, fetch, clock. Is it hosts?',
  );
  expect(() => a2aClient({ callbackUrl: "here" })).toThrow(
    "callbackUrl must be an http(s) address",
  );
  expect(() => a2aClient({ hosts: "all" as never })).toThrow("hosts must be a list");
});

it("values of code use the part when there is one", async () => {
  const peer = a2aPeer();
  const { agent } = scriptedAgent([], { a2a: remoteAgent(peer.url) });
  const world = new HttpWorld({
    script: askingInTurn(["Rain?"]),
    crews: { solo: soloCrew(agent) },
    parts: [a2aClient({ fetch: peer.fetch })],
  });
  const run = await world.ask(`/runs/${await world.kickoff("solo")}`);
  expect(run.json["status"]).toBe("completed");
  expect(peer.turns).toHaveLength(1);
});

it("a plain setting in code without the part is a warning", async () => {
  const { agent } = scriptedAgent(["Fine"], {
    a2a: { endpoint: "https://a.example.com" } as JsonObject,
  });
  const world = new HttpWorld({ crews: { solo: soloCrew(agent) } });
  const id = await world.kickoff("solo");
  const { text } = await world.ask(`/runs/${id}/events?types=agent_warning`);
  expect(text).toContain("its a2a is not connected");
});
