import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { expect, it } from "vitest";
import { console } from "../../../src/entry/console.ts";
import { accessWorld, keyOf } from "../../support/access-world.ts";
import { askingScript, type HttpWorld } from "../../support/http-app.ts";

const TEAM = "https://acme.cloudflareaccess.com";
const pair = await generateKeyPair("RS256", { extractable: true });
const other = await generateKeyPair("RS256");
const wide = await generateKeyPair("RS512");
const wideJwk = { ...(await exportJWK(wide.publicKey)), kid: "k2", alg: "RS512" };
const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "RS256" };

function withAccess(options: { scopes?: readonly ["read", "run"] } = {}): {
  world: HttpWorld;
  fetched: string[];
} {
  const fetched: string[] = [];
  const { scopes = ["read", "run"] } = options;
  const access = {
    team: "acme",
    audience: "app-1",
    tenant: "acme",
    scopes,
    fetch: async (url: Parameters<typeof fetch>[0]) => {
      fetched.push(url instanceof Request ? url.url : url.toString());
      return Response.json({ keys: [jwk, wideJwk, { ...jwk, kid: "k3", use: "enc" }] });
    },
  };
  return { world: accessWorld({ parts: console({ access }), script: askingScript() }), fetched };
}

async function signed(
  world: HttpWorld,
  {
    key = pair.privateKey,
    alg = "RS256",
    audience = "app-1",
    issuer = TEAM,
    inSeconds = 60,
    subject = "kim",
    notBefore,
    header = {},
  }: {
    key?: typeof pair.privateKey | Uint8Array;
    alg?: string;
    audience?: string | string[];
    issuer?: string;
    inSeconds?: number | null;
    subject?: string;
    notBefore?: number;
    header?: Record<string, unknown>;
  } = {},
): Promise<string> {
  const now = Math.floor(world.clock.now() / 1000);
  const token = new SignJWT({ email: "kim@acme.example" })
    .setProtectedHeader({ alg, kid: "k1", ...header })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(now - 120);
  if (inSeconds !== null) token.setExpirationTime(now + inSeconds);
  if (notBefore !== undefined) token.setNotBefore(notBefore);
  return token.sign(key);
}

/** Of somebody else, under the same signature. */
function changed(token: string): string {
  const [head, body = "", signature] = token.split(".");
  const claims = { ...(JSON.parse(atob(body)) as object), email: "eve@acme.example" };
  const forged = btoa(JSON.stringify(claims)).replaceAll("=", "");
  return [head, forged, signature].join(".");
}

function headersOf(token: string): Record<string, string> {
  return { "cf-access-jwt-assertion": token };
}

it("CFA1: lets in people that Access has let in, and names them in the answers to waits (CA5)", async () => {
  const { world, fetched } = withAccess();
  const token = await signed(world);
  expect((await world.ask("/crews", { headers: headersOf(token) })).status).toBe(200);
  expect((await world.ask("/session", { headers: headersOf(token) })).json).toMatchObject({
    authenticated: true,
    via: "access",
    tenant: "acme",
    by: "kim@acme.example",
    methods: ["key", "access"],
  });
  expect((await world.ask("/keys", { headers: headersOf(token) })).status).toBe(403);
  const { key } = await keyOf(world);
  const id = await world.kickoff("briefing", { inputs: { topic: "tea" } }, { key });
  await world.ask(`/runs/${id}/resume`, {
    headers: { ...headersOf(token), origin: "http://localhost" },
    json: { feedback: "fine" },
  });
  const events = await world.ask(`/runs/${id}/events?follow=0&types=wait_settled`, { key });
  expect(events.text).toContain('"by":"kim@acme.example"');
  expect(fetched).toEqual([`${TEAM}/cdn-cgi/access/certs`]);
});

it("CFA1: refuses every other token (CA5)", async () => {
  const { world } = withAccess();
  const publicKey = new TextEncoder().encode(JSON.stringify(jwk));
  const now = Math.floor(world.clock.now() / 1000);
  const bad = {
    audience: await signed(world, { audience: "app-2" }),
    issuer: await signed(world, { issuer: "https://other.cloudflareaccess.com" }),
    expired: await signed(world, { inSeconds: -1 }),
    signature: await signed(world, { key: other.privateKey }),
    symmetric: await signed(world, { key: publicKey, alg: "HS256" }),
    none: new UnsecuredJWT({ email: "kim@acme.example" })
      .setIssuer(TEAM)
      .setAudience("app-1")
      .setExpirationTime(now + 60)
      .encode(),
    text: "nope",
    long: await signed(world, { subject: "k".repeat(20_000) }),
    "no expiry": await signed(world, { inSeconds: null }),
    "not yet": await signed(world, { notBefore: now + 60 }),
    critical: await signed(world, { header: { crit: ["b64"], b64: true } }),
    "no key": await signed(world, { header: { kid: undefined } }),
    "another alg": await signed(world, {
      key: wide.privateKey,
      alg: "RS512",
      header: { kid: "k2" },
    }),
    "a key for encryption": await signed(world, { header: { kid: "k3" } }),
    "a changed claim": changed(await signed(world)),
  };
  for (const [name, token] of Object.entries(bad)) {
    const { status } = await world.ask("/crews", { headers: headersOf(token) });
    expect([name, status]).toEqual([name, 401]);
  }
});

it("CFA1: accepts a token with several intended apps, from its start time on (CA5)", async () => {
  const { world } = withAccess();
  const now = Math.floor(world.clock.now() / 1000);
  const token = await signed(world, { audience: ["app-2", "app-1"], notBefore: now });
  expect((await world.ask("/crews", { headers: headersOf(token) })).status).toBe(200);
});

it("CFA2: keeps the team's keys for ten minutes", async () => {
  const { world, fetched } = withAccess();
  for (const minutes of [0, 9, 2]) {
    await world.clock.advance(minutes * 60_000);
    expect((await world.ask("/crews", { headers: headersOf(await signed(world)) })).status).toBe(
      200,
    );
  }
  expect(fetched).toHaveLength(2);
});

it("CFA3: refuses changes requested by pages of other origins", async () => {
  const { world } = withAccess();
  const kickoff = async (headers: Record<string, string>): Promise<number> =>
    (
      await world.ask("/crews/greeting/kickoff", {
        json: {},
        headers: { ...headersOf(await signed(world)), ...headers },
      })
    ).status;
  expect(await kickoff({ origin: "https://evil.example.com" })).toBe(403);
  expect(await kickoff({ "sec-fetch-site": "same-site" })).toBe(403);
  expect(await kickoff({ origin: "http://localhost" })).toBe(202);
  expect(await kickoff({})).toBe(202);
});

it("gives a key precedence over Access, which is off by default (CA3)", async () => {
  const { world } = withAccess();
  const headers = headersOf(await signed(world));
  expect((await world.ask("/crews", { headers, key: "nope" })).status).toBe(401);
  expect((await accessWorld().ask("/crews", { headers })).status).toBe(401);
  expect(() => console({ access: { team: "https://x", audience: "a", scopes: ["read"] } })).toThrow(
    "team",
  );
});
