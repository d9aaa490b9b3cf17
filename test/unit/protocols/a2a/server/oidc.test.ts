// Callers with tokens of an OpenID Connect provider.
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { a2a } from "../../../../../src/entry/a2a.ts";
import { A2AWorld } from "./world.ts";

const ISSUER = "https://login.example.com";
const AUDIENCE = "https://agents.example.com";
const ADMIN = "the-admin-key-of-this-test";

/** A provider with one key, and a deployment that takes its tokens. */
async function open() {
  const provider = { isDown: false, floods: 0, asked: [] as string[], keys: [] as object[] };
  const newKey = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    provider.keys = [{ ...(await exportJWK(publicKey)), kid, alg: "RS256" }];
    return privateKey;
  };
  let key = await newKey("k1");
  let kid = "k1";
  const world = new A2AWorld({
    auth: { mode: "keys", adminKey: ADMIN },
    variables: {},
    a2a: {
      oidc: {
        issuer: ISSUER,
        audience: AUDIENCE,
        tenant: "partners",
        fetch: async (input) => {
          const { href } = new URL(input instanceof Request ? input.url : input);
          provider.asked.push(href);
          if (provider.isDown) return new Response("down", { status: 500 });
          if (provider.floods > 0) return new Response(floodOf(provider));
          return Response.json(
            href.endsWith("openid-configuration")
              ? { jwks_uri: `${ISSUER}/keys` }
              : { keys: provider.keys },
          );
        },
      },
    },
  });
  const nowS = (): number => Math.floor(world.clock.now() / 1000);
  const token = (claims: object = {}, sub = "agent-7"): Promise<string> =>
    new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub, iat: nowS(), exp: nowS() + 600, ...claims })
      .setProtectedHeader({ alg: "RS256", kid })
      .sign(key);
  const rotate = async (): Promise<void> => {
    kid = "k2";
    key = await newKey(kid);
  };
  return { world, provider, token, rotate, nowS };
}

/** An endless body. Counts its pieces. */
function floodOf(provider: { floods: number }): ReadableStream<Uint8Array> {
  const piece = new TextEncoder().encode(" ".repeat(64 * 1024));
  return new ReadableStream({
    pull: (controller) => {
      provider.floods++;
      controller.enqueue(piece);
    },
  });
}

describe("tokens of a provider", () => {
  it("AQ1, A8: act for the tenant the app names, and only in A2A", async () => {
    const { world, token } = await open();
    const key = await token();
    const task = await world.task({ message: world.message("x") }, { key });
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect((await world.result("ListTasks", {}, { key }))["totalSize"]).toBe(1);
    expect((await world.result("ListTasks", {}, { key: ADMIN }))["totalSize"]).toBe(0);
    expect((await world.ask("/runs", { key })).status).toBe(401);
  });

  it.each([
    ["another audience", { aud: "https://other.example.com" }],
    ["another issuer", { iss: "https://other.example.com" }],
    ["a past end", { exp: 1 }],
    ["no end", { exp: undefined }],
    ["no audience", { sub: undefined }],
  ])("AQ1: do not count with %s", async (_, claims) => {
    const { world, token } = await open();
    const answer = await world.rpc("ListTasks", {}, { key: await token(claims) });
    expect(answer).toMatchObject({ status: 401, json: { error: { code: -32011 } } });
    expect(answer.headers.get("www-authenticate")).toContain("invalid_token");
  });

  it("AQ1: are refused with a foreign signature, or without one", async () => {
    const { world, token } = await open();
    const [header, payload] = (await token()).split(".");
    const unsigned = `${btoa('{"alg":"none"}').replaceAll("=", "")}.${payload}.x`;
    for (const key of [`${header}.${payload}.${"A".repeat(342)}`, unsigned, "a.b.c"])
      expect((await world.rpc("ListTasks", {}, { key })).status).toBe(401);
  });

  it("AQ2: are checked with cached keys, fetched again for an unknown one", async () => {
    const { world, provider, token, rotate } = await open();
    await world.rpc("ListTasks", {}, { key: await token() });
    await world.rpc("ListTasks", {}, { key: await token({}, "agent-8") });
    expect(provider.asked).toEqual([
      `${ISSUER}/.well-known/openid-configuration`,
      `${ISSUER}/keys`,
    ]);
    await rotate();
    expect((await world.rpc("ListTasks", {}, { key: await token() })).status).toBe(401);
    await world.clock.advance(61_000);
    expect((await world.rpc("ListTasks", {}, { key: await token() })).status).toBe(200);
    expect(provider.asked).toHaveLength(4);
  });

  it("AQ2: are not refused while the provider is down", async () => {
    const { world, provider, token } = await open();
    provider.isDown = true;
    expect(await world.rest("/tasks", { key: await token() })).toMatchObject({
      status: 503,
      json: { error: { status: "UNAVAILABLE" } },
    });
    expect((await world.rpc("ListTasks", {}, { key: ADMIN })).status).toBe(200);
  });

  it("are not accepted if the provider sends too much, of which the rest is not received", async () => {
    const { world, provider, token } = await open();
    provider.floods = 1;
    await world.result("ListTasks", {}, { key: await token() }).catch(() => undefined);
    expect(provider.floods).toBeGreaterThan(1);
    expect(provider.floods).toBeLessThan(10);
  });

  it("are declared on the card, beside keys", async () => {
    const { world } = await open();
    const { json } = await world.rest("/.well-known/agent-card.json");
    expect(json).toMatchObject({
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } },
        oidc: {
          openIdConnectSecurityScheme: {
            openIdConnectUrl: `${ISSUER}/.well-known/openid-configuration`,
          },
        },
      },
      securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { oidc: {} } }],
    });
  });

  it.each([
    { issuer: "x", audience: "a" },
    { issuer: ISSUER, audience: "" },
    { issuer: ISSUER, audience: "a", algorithms: ["HS256"] },
  ])("refuses invalid options: %j", (oidc) => {
    expect(() => a2a({ oidc })).toThrow("oidc");
  });
});
