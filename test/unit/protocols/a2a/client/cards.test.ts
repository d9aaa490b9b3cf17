// Cards: where they are found, how long they are kept, and who signed them.
import { generateAgentCardSignature } from "@a2a-js/sdk";
import { AgentCard as CardCodec } from "@a2a-js/sdk";
import { exportJWK, FlattenedSign, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { remoteAgent, type A2AAuth } from "../../../../../src/entry/a2a.ts";
import { canonicalJson, type JsonObject } from "../../../../../src/base/json.ts";
import { verifiedCard } from "../../../../../src/protocols/a2a/client/card-signature.ts";
import {
  addressesOf,
  fetchCard,
  type CardCache,
} from "../../../../../src/protocols/a2a/client/fetch-card.ts";
import { AgentAccess } from "../../../../../src/protocols/a2a/client/access.ts";
import { readClientConfig } from "../../../../../src/protocols/a2a/client/config.ts";
import { Credentials } from "../../../../../src/protocols/a2a/client/credentials.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import { a2aPeer, json } from "../../../../support/a2a-peer.ts";
import {
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";

describe("AXF2: a card", () => {
  it.each([
    [
      "https://a.example.com",
      [
        "https://a.example.com/.well-known/agent-card.json",
        "https://a.example.com/.well-known/agent.json",
      ],
    ],
    [
      "https://a.example.com/.well-known/agent-card.json",
      ["https://a.example.com/.well-known/agent-card.json"],
    ],
    [
      "https://a.example.com/bots/1/",
      [
        "https://a.example.com/bots/1/.well-known/agent-card.json",
        "https://a.example.com/bots/1/.well-known/agent.json",
        "https://a.example.com/.well-known/agent-card.json",
        "https://a.example.com/.well-known/agent.json",
      ],
    ],
  ])("of %s is looked for at the well-known paths", (endpoint, expected) => {
    expect(addressesOf(endpoint)).toEqual(expected);
  });

  it("is found where older agents have it", async () => {
    const peer = a2aPeer({
      version: "0.3",
      before: ({ url, method }) => {
        if (method !== "GET") return undefined;
        return url.endsWith("/agent.json")
          ? json({ name: "Old", url: "https://weather.example.com/rpc", protocolVersion: "0.2.5" })
          : json({}, 404);
      },
    });
    const { agent, model } = scriptedAgent(["x"], {
      a2a: remoteAgent(peer.url, { fetch: peer.fetch }),
    });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    expect(model.calls[0]?.request.tools?.[0]?.name).toBe("ask_old");
    expect(kept("a2a_agent_card_fetched")).toMatchObject([
      { protocolVersion: "0.3", a2aAgentName: "Old" },
    ]);
  });
});

describe("AXF1: a found card", () => {
  const world = () => {
    const clock = new SimulatedClock();
    const cache: CardCache = new Map();
    let count = 0;
    const fetch = (async () =>
      json({
        name: `A${(count += 1)}`,
        url: "https://a.example.com/rpc",
      })) as typeof globalThis.fetch;
    return {
      clock,
      find: (tenant: string, auth?: object) => {
        const { config } = readClientConfig(
          { endpoint: "https://a.example.com", auth },
          (each) => each,
        );
        const access = new AgentAccess(
          { tenant, clock, fetch, outbound: {}, variables: {} },
          config.endpoint,
          false,
        );
        const credentials = new Credentials(config.auth, access, new Map());
        const unauthorized = (): void => undefined;
        const extended = async (card: JsonObject): Promise<JsonObject> => card;
        return fetchCard({ config, access, credentials, cache, unauthorized, extended });
      },
    };
  };

  it("is cached for five minutes, only for the same tenant and credentials", async () => {
    const { clock, find } = world();
    expect(await find("a")).toMatchObject({ cached: false, card: { name: "A1" } });
    await clock.advance(299_000);
    expect(await find("a")).toMatchObject({ cached: true, card: { name: "A1" } });
    expect(await find("b")).toMatchObject({ cached: false });
    expect(await find("a", { token: "t" })).toMatchObject({ cached: false });
    await clock.advance(2_000);
    expect(await find("a")).toMatchObject({ cached: false });
  });

  it("is on record: later drives of a run request no card", async () => {
    const peer = a2aPeer({ script: ({ status }) => status("WORKING") });
    const { agent } = scriptedAgent(["x"], { a2a: remoteAgent(peer.url, { fetch: peer.fetch }) });
    await runCrewToEnd(soloCrew(agent));
    expect(peer.cardRequests()).toBe(1);
  });
});

describe("a card that needs credentials", () => {
  const extended = {
    name: "Weather Bot",
    supportedInterfaces: [
      {
        url: "https://weather.example.com/rpc",
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
      },
    ],
    skills: [{ id: "storms", name: "Storms", description: "Sees them come", tags: ["x"] }],
  };
  const peerWith = (answer: (id: number) => Response) =>
    a2aPeer({
      card: { capabilities: { extendedAgentCard: true } },
      before: ({ rpc, body }) =>
        rpc === "GetExtendedAgentCard"
          ? answer((JSON.parse(body) as { id: number }).id)
          : undefined,
    });
  const skillsShown = async (peer: ReturnType<typeof a2aPeer>, auth?: A2AAuth) => {
    const settings = { endpoint: peer.url, ...(auth && { auth }) };
    const { agent } = scriptedAgent(["x"], { a2a: remoteAgent(settings, { fetch: peer.fetch }) });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    return kept("a2a_agent_card_fetched").map((event) => "skills" in event && event.skills);
  };
  const auth = { type: "bearer", token: "t" } as const;

  it("takes the place of the public one", async () => {
    const peer = peerWith((id) => json({ jsonrpc: "2.0", id, result: extended }));
    expect(await skillsShown(peer, auth)).toEqual([["storms"]]);
    expect(peer.requests.at(-1)?.headers.get("authorization")).toBe("Bearer t");
  });

  it("is not requested without credentials, and may be missing", async () => {
    const peer = peerWith(() => json({}, 500));
    expect(await skillsShown(peer)).toEqual([["forecast"]]);
    expect(peer.requests).toHaveLength(1);
    expect(await skillsShown(peer, auth)).toEqual([["forecast"]]);
    const odd = peerWith((id) => json({ jsonrpc: "2.0", id, result: { name: "No address" } }));
    expect(await skillsShown(odd, auth)).toEqual([["forecast"]]);
  });
});

describe("AXS1: signatures", () => {
  const CARD: JsonObject = {
    name: "Signed",
    description: "A card",
    version: "1",
    supportedInterfaces: [
      {
        url: "https://weather.example.com/rpc",
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
      },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const algorithms = ["RS256", "ES256"];
  const pair = async (alg = "ES256", kid = "k1") => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid } as unknown as JsonObject };
  };
  const signedBySdk = async (
    key: Awaited<ReturnType<typeof pair>>,
    card = CARD,
  ): Promise<JsonObject> => {
    const sign = generateAgentCardSignature(key.privateKey, {
      alg: "ES256",
      kid: "k1",
      typ: "JOSE",
    });
    return CardCodec.toJSON(await sign(CardCodec.fromJSON(card))) as JsonObject;
  };

  it("made by the project's SDK are verified", async () => {
    const key = await pair();
    const card = await signedBySdk(key);
    expect(await verifiedCard(card, { keys: [key.jwk], algorithms })).toMatchObject({
      name: "Signed",
    });
  });

  it("over the whole card with its names sorted are verified", async () => {
    const key = await pair("RS256");
    const card: JsonObject = { name: "Old", url: "https://x.example.com", extra: { b: 1, a: 2 } };
    const jws = await new FlattenedSign(new TextEncoder().encode(canonicalJson(card)))
      .setProtectedHeader({ alg: "RS256", typ: "JWS", kid: "k1" })
      .sign(key.privateKey);
    const signed = {
      ...card,
      signatures: [{ protected: jws.protected ?? "", signature: jws.signature }],
    };
    expect(await verifiedCard(signed, { keys: [key.jwk], algorithms })).toEqual(card);
  });

  it("AXS2: cover the used fields: later additions are left out, changed fields are refused", async () => {
    const key = await pair();
    const card = await signedBySdk(key);
    const rule = { keys: [key.jwk], algorithms };
    const added = await verifiedCard(
      { ...card, url: "https://evil.example.com", security: [] },
      rule,
    );
    expect(added).not.toHaveProperty("url");
    await expect(verifiedCard({ ...card, name: "Evil" }, rule)).rejects.toThrow(
      "any of the 1 signatures",
    );
  });

  it.each(["another key", "no signature", "another algorithm", "no key", "an odd signature"])(
    "refuses %s",
    async (what) => {
      const key = await pair();
      const card = await signedBySdk(key);
      const { signatures, ...bare } = card;
      const refused = {
        "another key": () =>
          pair().then(({ jwk }) => verifiedCard(card, { keys: [jwk], algorithms })),
        "no signature": () => verifiedCard(bare, { keys: [key.jwk], algorithms }),
        "another algorithm": () => verifiedCard(card, { keys: [key.jwk], algorithms: ["RS256"] }),
        "no key": () => verifiedCard(card, { keys: [], algorithms }),
        "an odd signature": () =>
          verifiedCard(
            { ...bare, signatures: [null, 1, { protected: "%%%", signature: {} }] as never },
            { keys: [key.jwk], algorithms },
          ),
      }[what];
      expect(signatures).toBeDefined();
      await expect(refused?.()).rejects.toThrow(/signature/);
    },
  );

  it("AXS3: keys come from the settings, also by address, and a run refuses a card with other signatures", async () => {
    const key = await pair();
    const card = await signedBySdk(key);
    const peer = a2aPeer({
      before: ({ url, headers }) => {
        if (url.endsWith("/agent-card.json")) return json(card);
        if (!url.endsWith("/jwks")) return undefined;
        expect(headers.get("authorization")).toBeNull();
        return json({ keys: [key.jwk] });
      },
    });
    const settings = { endpoint: peer.url, auth: { type: "bearer", token: "t" } as const };
    const { agent } = scriptedAgent(["x"], {
      a2a: remoteAgent(
        { ...settings, cardSignature: { jwksUrl: "https://keys.example.com/jwks" } },
        { fetch: peer.fetch },
      ),
    });
    await runCrewToEnd(soloCrew(agent));
    const { jwk } = await pair();
    const { agent: strict } = scriptedAgent(["x"], {
      a2a: remoteAgent({ ...settings, cardSignature: { keys: [jwk] } }, { fetch: peer.fetch }),
    });
    const { error } = await runCrewToFailure(soloCrew(strict));
    expect(error.message).toContain("any of the 1 signatures of the agent card");
  });
});

describe("an agent with gRPC only", () => {
  it("is refused, with the working transports in the message", async () => {
    const peer = a2aPeer({
      interfaces: [
        {
          url: "https://weather.example.com/grpc",
          protocolBinding: "GRPC",
          protocolVersion: "1.0",
        },
        {
          url: "https://weather.example.com/rpc",
          protocolBinding: "JSONRPC",
          protocolVersion: "1.0",
        },
      ],
    });
    const { agent } = scriptedAgent(["x"], {
      a2a: remoteAgent(
        { endpoint: peer.url, transport: { preferred: "GRPC" } },
        { fetch: peer.fetch },
      ),
    });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.message).toContain(
      'set transport to { preferred: "JSONRPC" } or { preferred: "HTTP+JSON" }',
    );
    expect(error.message).toContain("GRPC, JSONRPC");
  });
});
