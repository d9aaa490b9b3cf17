// Agent cards: what they say, how they are served, and their signatures.
import { AgentCard as SdkCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { exportJWK, exportPKCS8, flattenedVerify, generateKeyPair, base64url } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { a2a } from "../../../../../src/entry/a2a.ts";
import type { AgentCard } from "../../../../../src/protocols/a2a/agent-card.ts";
import { canonicalCard, canonicalJson } from "../../../../../src/protocols/a2a/card-signing.ts";
import { textOf } from "../../../../support/http-app.ts";
import { A2AWorld } from "./world.ts";

const CARD = "/.well-known/agent-card.json";
const ADMIN = "the-admin-key-of-this-test";

async function cardOf(world: A2AWorld, agent = "conformance"): Promise<AgentCard> {
  return (await world.rest(CARD, { agent })).json as unknown as AgentCard;
}

describe("contents of a card", () => {
  it("AK1: names the agent, its skills, and absolute addresses of both bindings", async () => {
    const world = new A2AWorld({ basePath: "/ai" });
    expect(await cardOf(world, "writer")).toMatchObject({
      name: "Writer",
      description: "Write",
      version: "1.0.0",
      supportedInterfaces: [
        {
          url: "http://localhost/ai/a2a/writer",
          protocolBinding: "JSONRPC",
          protocolVersion: "1.0",
        },
        {
          url: "http://localhost/ai/a2a/writer",
          protocolBinding: "HTTP+JSON",
          protocolVersion: "1.0",
        },
        { protocolBinding: "JSONRPC", protocolVersion: "0.3" },
        { protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
      ],
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
      skills: [{ id: "writer", name: "Writer", tags: ["writer"] }],
    });
    expect(await cardOf(world, "briefing")).toMatchObject({
      description: "A crew of 2 agents: Researcher, Writer",
      skills: [
        { id: "research", tags: ["researcher"], examples: ["Facts"] },
        { id: "report", tags: ["writer"], examples: ["A page"] },
      ],
    });
  });

  it("has the app's fields in place of the definition's", async () => {
    const world = new A2AWorld({
      a2a: {
        url: "https://agents.example.com",
        version: "2.1.0",
        provider: { organization: "Acme", url: "https://acme.example" },
        expose: {
          "crew/greeting": {
            as: "hello",
            title: "Hello",
            description: "Says hello",
            skills: [{ id: "greet", name: "Greet", description: "Greets", tags: ["greeting"] }],
            inputModes: ["text/plain"],
          },
        },
      },
    });
    expect(await cardOf(world, "hello")).toMatchObject({
      name: "Hello",
      description: "Says hello",
      version: "2.1.0",
      provider: { organization: "Acme" },
      supportedInterfaces: [{ url: "https://agents.example.com/a2a/hello" }, {}, {}, {}],
      defaultInputModes: ["text/plain"],
      skills: [{ id: "greet" }],
    });
  });

  it("AK1: declares a key when one is required, and no scheme in an open Worker", async () => {
    const schemes = async (EDGECREW_AUTH: string | undefined, host: string): Promise<unknown> => {
      const world = new A2AWorld({ variables: { EDGECREW_AUTH } });
      const answer = await world.ask(`http://${host}/a2a/conformance${CARD}`);
      const { securitySchemes, securityRequirements } = answer.json as unknown as AgentCard;
      return [securitySchemes, securityRequirements];
    };
    const keyed = [
      {
        bearer: { type: "http", scheme: "bearer", httpAuthSecurityScheme: { scheme: "Bearer" } },
      },
      [{ schemes: { bearer: { list: [] } } }],
    ];
    const open = [undefined, undefined];
    expect(await schemes(undefined, "localhost")).toEqual(keyed);
    expect(await schemes("keys", "agents.example.com")).toEqual(keyed);
    expect(await schemes("open", "localhost")).toEqual(open);
    expect(await schemes("open", "agents.example.com")).toEqual(keyed);
    expect(await schemes("open-to-everybody", "agents.example.com")).toEqual(open);
  });

  it("can be read by clients of both versions, unless the app speaks one alone", async () => {
    const only = await cardOf(new A2AWorld({ a2a: { versions: ["1.0"] } }));
    expect(only.supportedInterfaces).toHaveLength(2);
    expect(only).not.toHaveProperty("url");
    const world = new A2AWorld({ variables: {} });
    const card = await cardOf(world);
    expect(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual([
      "1.0",
      "1.0",
      "0.3",
      "0.3",
    ]);
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      url: "http://localhost/a2a/conformance",
      preferredTransport: "JSONRPC",
      additionalInterfaces: [{ transport: "JSONRPC" }, { transport: "HTTP+JSON" }],
      securitySchemes: { bearer: { type: "http", scheme: "bearer", httpAuthSecurityScheme: {} } },
      security: [{ bearer: [] }],
    });
    expect(SdkCard.fromJSON(card).skills).toHaveLength(1);
  });
});

describe("delivery of cards", () => {
  it("answers 304 to a caller with the current card", async () => {
    const world = new A2AWorld();
    const first = await world.rest(CARD);
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/);
    for (const known of [etag, etag.replace("W/", ""), `"x", ${etag}`, "*"]) {
      const again = await world.rest(CARD, { headers: { "if-none-match": known } });
      expect(again).toMatchObject({ status: 304, text: "" });
      expect(again.headers.get("etag")).toBe(etag);
    }
    expect((await world.rest(CARD, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("AK2: needs no key, or one with the option, and then shows the tenant's own", async () => {
    const options = { auth: { mode: "keys", adminKey: ADMIN } as const, variables: {} };
    expect((await new A2AWorld(options).rest(CARD)).status).toBe(200);
    const world = new A2AWorld({ ...options, a2a: { publicCards: false } });
    expect((await world.rest(CARD)).status).toBe(401);
    const shown = await world.rest(CARD, { key: ADMIN });
    expect(shown.status).toBe(200);
    expect(shown.headers.get("cache-control")).toMatch(/^private/);
  });

  it("AK2: a stored crew of another tenant has no public card, and can be called with its key", async () => {
    const world = new A2AWorld({
      auth: { mode: "keys", adminKey: ADMIN },
      variables: {},
      a2a: { expose: "all" },
    });
    const made = await world.ask("/keys", {
      key: ADMIN,
      json: { tenant: "acme", scopes: ["run", "read", "admin"] },
    });
    const key = textOf(made.json["key"]);
    const definition = {
      agents: { a: { role: "A", goal: "g", backstory: "b" } },
      tasks: [{ name: "t", description: "d", expectedOutput: "o", agent: "a" }],
    };
    expect(
      (await world.ask("/crews/stored", { method: "PUT", key, json: definition })).status,
    ).toBeLessThan(300);
    expect((await world.rest(CARD, { agent: "stored" })).status).toBe(404);
    expect(
      (
        await world.rpc(
          "SendMessage",
          { message: world.message("x") },
          { agent: "stored", key: ADMIN },
        )
      ).json,
    ).toMatchObject({ error: { code: -32601 } });
    const task = await world.task({ message: world.message("x") }, { agent: "stored", key });
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("serves one agent's card at the root", async () => {
    const world = new A2AWorld({ a2a: { root: "crew/briefing" } });
    const { json } = await world.ask(CARD);
    expect(json).toEqual((await world.rest(CARD, { agent: "briefing" })).json);
    expect((await new A2AWorld().ask(CARD)).status).toBe(404);
  });

  it("serves the extended card to callers with a key", async () => {
    const extended = {
      skills: [{ id: "more", name: "More", description: "More", tags: ["more"] }],
    };
    const world = new A2AWorld({
      auth: { mode: "keys", adminKey: ADMIN },
      variables: {},
      a2a: { expose: { "agent/writer": { extended } } },
    });
    const card = await cardOf(world, "writer");
    expect(card.capabilities.extendedAgentCard).toBe(true);
    expect(card.skills).toHaveLength(1);
    expect((await world.rest("/extendedAgentCard", { agent: "writer" })).status).toBe(401);
    const { skills } = (await world.rest("/extendedAgentCard", { agent: "writer", key: ADMIN }))
      .json;
    expect(skills).toMatchObject([{ id: "writer" }, { id: "more" }]);
    expect(
      (await world.result("GetExtendedAgentCard", {}, { agent: "writer", key: ADMIN }))["skills"],
    ).toEqual(skills);
  });
});

describe("signatures", () => {
  // The official verifier writes each signature that it could not verify to the console.
  const debug = vi.spyOn(console, "debug");
  beforeAll(() => void debug.mockImplementation(() => undefined));
  afterAll(() => debug.mockRestore());

  it.each([
    "RS256",
    "RS384",
    "RS512",
    "ES256",
    "ES384",
    "ES512",
    "PS256",
    "PS384",
    "PS512",
  ] as const)("AJ1: %s: the official verifier takes the card, and no other", async (algorithm) => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    const world = new A2AWorld({
      variables: { CARD_KEY: await exportPKCS8(privateKey) },
      a2a: { signing: { key: "CARD_KEY", keyId: "k1", algorithm } },
    });
    const card = await cardOf(world);
    const verify = verifyAgentCardSignature(async (kid) => {
      if (kid !== "k1") throw new Error("another key");
      return publicKey;
    });
    const read = SdkCard.fromJSON(card);
    await expect(verify(read)).resolves.toBeUndefined();
    await expect(verify(card as unknown as SdkCard)).resolves.toBeUndefined();
    await expect(verify({ ...read, name: "Another" })).rejects.toThrow(/No valid/);
    const header = card.signatures?.[0]?.protected ?? "";
    expect(JSON.parse(new TextDecoder().decode(base64url.decode(header)))).toEqual({
      alg: algorithm,
      kid: "k1",
      typ: "JOSE",
    });
  });

  it("AJ1: one of them stands for the payload by the specification's own rules", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const world = new A2AWorld({
      variables: { CARD_KEY: JSON.stringify(await exportJWK(privateKey)) },
      a2a: { signing: { key: "CARD_KEY", keyId: "k1" } },
    });
    const card = await cardOf(world);
    const payload = canonicalCard(card);
    expect(payload).toContain('"securityRequirements":[{"schemes":{"bearer":{}}}]');
    expect(payload).not.toContain("signatures");
    const results = await Promise.allSettled(
      (card.signatures ?? []).map((signature) =>
        flattenedVerify({ ...signature, payload: base64url.encode(payload) }, publicKey),
      ),
    );
    expect(results.map(({ status }) => status)).toContain("fulfilled");
  });

  it("signs with several keys, and names a missing key", async () => {
    const one = await generateKeyPair("ES256", { extractable: true });
    const variables = {
      ONE: await exportPKCS8(one.privateKey),
      EDGECREW_AUTH: "open-to-everybody",
    };
    const signing = [
      { key: "ONE", keyId: "1" },
      { key: "TWO", keyId: "2" },
    ];
    const missing = await new A2AWorld({ variables, a2a: { signing } }).rest(CARD);
    expect(missing).toMatchObject({ status: 503, text: expect.stringContaining("TWO") });
    const two = await generateKeyPair("ES256", { extractable: true });
    const world = new A2AWorld({
      variables: { ...variables, TWO: await exportPKCS8(two.privateKey) },
      a2a: { signing },
    });
    const { signatures = [] } = await cardOf(world);
    const keys = signatures.map(({ protected: header }) =>
      String(JSON.parse(new TextDecoder().decode(base64url.decode(header)))["kid"]),
    );
    expect([...new Set(keys)]).toEqual(["1", "2"]);
    expect((await world.rest(CARD)).headers.get("etag")).toBe(
      (await world.rest(CARD)).headers.get("etag"),
    );
  });

  it("writes canonical JSON", () => {
    expect(
      canonicalJson({ b: [1, 1e21, -0], a: { "\u20ac": "\n", "\r": true }, c: null, d: undefined }),
    ).toBe('{"a":{"\\r":true,"\u20ac":"\\n"},"b":[1,1e+21,0],"c":null}');
  });
});

it.each([
  [{ versions: [] }, "versions"],
  [{ versions: ["2.0"] }, "versions"],
  [{ root: "crew/none" }, "root"],
  [{ url: "agents.example.com" }, "url"],
  [{ url: "https://agents.example.com/path" }, "url"],
  [{ waitMs: 0 }, "waitMs"],
  [{ extensions: [{ uri: "https://a.b" }, { uri: "https://a.b" }] }, "extensions"],
  [{ extensions: [{ uri: "a b" }] }, "extensions"],
  [{ signing: { key: "", keyId: "" } }, "signing"],
  [{ signing: { key: "A", keyId: "a", algorithm: "none" } }, "algorithm"],
])("refuses invalid options: %j", (options, named) => {
  expect(() => a2a(options as never)).toThrow(named);
});
