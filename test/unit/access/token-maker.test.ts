// A token against the key that asks for it.
import { describe, expect, it } from "vitest";
import { createRunToken, verifyRunToken } from "../../../src/entry/tokens.ts";
import { accessWorld, ADMIN_KEY, keyOf, TOKEN_KEY } from "../../support/access-world.ts";
import { textOf, type HttpWorld } from "../../support/http-app.ts";

const DAY = 86_400;

async function open() {
  const world = accessWorld({ webhooks: { allowPrivate: false, hasSecret: true } });
  const { key: owner } = await keyOf(world);
  const { key: runOnly } = await keyOf(world, { scopes: ["run"] });
  const { key: answerOnly } = await keyOf(world, { scopes: ["answer"] });
  const id = await world.kickoff("greeting", { id: "there" }, { key: owner });
  return { world, owner, runOnly, answerOnly, id };
}

/** The signed claims, with other ones in their place. */
async function signed(claims: object): Promise<string> {
  const { token } = await createRunToken({
    key: TOKEN_KEY,
    tenant: "t",
    runs: ["r"],
    scopes: ["read"],
  });
  const [head = "", body = ""] = token.slice(4).split(".");
  const form = (bytes: string): string =>
    btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const given = JSON.parse(atob(body)) as object;
  const text = `${head}.${form(JSON.stringify({ ...given, ...claims }))}`;
  const raw = Uint8Array.from(atob(TOKEN_KEY), (character) => character.charCodeAt(0));
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `ect_${text}.${form(String.fromCharCode(...new Uint8Array(mac)))}`;
}

describe("POST /tokens", () => {
  it.each([
    ["read", {}],
    ["cancel", { detail: "all" }],
  ])("RIG4: refuses %s with %j for a key without read", async (scope, more) => {
    const { world, runOnly, owner, id } = await open();
    const json = { runs: [id], scopes: [scope], ...more };
    const refused = await world.ask("/tokens", { key: runOnly, json });
    expect([refused.status, refused.json["code"]]).toEqual([403, "forbidden"]);
    expect(refused.json["detail"]).toContain('needs a key with the scope "read"');
    expect((await world.ask("/tokens", { key: owner, json })).status).toBe(201);
  });

  it("RIG4: hands out what the key may do itself", async () => {
    const { world, runOnly, id } = await open();
    const asked = { runs: [id], scopes: ["answer", "cancel"] };
    expect((await world.ask("/tokens", { key: runOnly, json: asked })).status).toBe(201);
    const target = { kind: "crew", name: "greeting" };
    const start = { target, scopes: ["kickoff", "file"] };
    expect((await world.ask("/tokens", { key: runOnly, json: start })).status).toBe(201);
  });

  it("RIG4: ends with the key that asks for it", async () => {
    const { world, id } = await open();
    const nowMs = world.clock.now();
    const expiresAt = new Date(nowMs + 120_000).toISOString();
    const grants = { tenant: "acme", scopes: ["run", "read"], expiresAt };
    const { json } = await world.ask("/keys", { key: ADMIN_KEY, json: grants });
    const key = textOf(json["key"]);
    const made = await world.ask("/tokens", { key, json: { runs: [id], scopes: ["read"] } });
    expect(made.json["expiresAt"]).toBe(expiresAt);
    const started = await world.ask("/crews/greeting/kickoff", { key, json: { token: {} } });
    const token = textOf(started.json["token"]);
    expect(await verifyRunToken(token, { key: TOKEN_KEY, nowMs })).toMatchObject({
      exp: (nowMs + 120_000) / 1000,
    });
  });
});

describe("a start with a token, by a key without read", () => {
  const start = (world: HttpWorld, key: string, json: object) =>
    world.ask("/crews/greeting/kickoff", { key, json: { token: {}, ...json } });

  it("RIG2: gets one for the run that it starts", async () => {
    const { world, runOnly } = await open();
    const { json } = await start(world, runOnly, { id: "new", token: { detail: "all" } });
    const read = await world.ask("/runs/new", { key: textOf(json["token"]) });
    expect(read.status).toBe(200);
  });

  it("RIG2: gets none for a run that is there", async () => {
    const { world, runOnly, id } = await open();
    const refused = await start(world, runOnly, { id });
    expect([refused.status, refused.json["token"]]).toEqual([403, undefined]);
  });

  it.each(["fork", "replay"])("RIG3: gets none for a %s, and no webhook", async (way) => {
    const { world, runOnly, owner, id } = await open();
    const ask = (key: string, json: object) =>
      world.ask(`/runs/${id}/${way}`, { key, json: { fromTask: "greet", ...json } });
    const webhooks = [{ url: "https://example.com/", secret: "s".repeat(32) }];
    const refused = [
      await ask(runOnly, { id: "f", token: {} }),
      await ask(runOnly, { id: "f", token: { scopes: ["answer"], detail: "all" } }),
      await ask(runOnly, { id: "f", webhooks }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await world.ask("/runs/f", { key: owner })).status).toBe(404);
    expect((await ask(runOnly, { id: "f", token: { scopes: ["cancel"] } })).status).toBe(202);
    expect((await ask(owner, { id: "g", token: {}, webhooks })).status).toBe(202);
  });
});

describe("the life of a token", () => {
  const iat = Math.floor(Date.now() / 1000);
  it.each([
    ["a day", { iat, exp: iat + DAY }, true],
    ["longer than a day", { iat, exp: iat + DAY + 1 }, false],
    ["ten years", { iat, exp: iat + 3650 * DAY }, false],
    ["no end", { iat, exp: undefined }, false],
    ["no beginning", { iat: undefined, exp: iat + 60 }, false],
    ["a beginning to come", { iat: iat + 3600, exp: iat + 7200 }, false],
    ["an end without measure", { iat, exp: 1e300 }, false],
  ])("RTK4: with %s", async (_, claims, isValid) => {
    const found = await verifyRunToken(await signed(claims), { key: TOKEN_KEY });
    expect(found !== undefined && found !== "expired").toBe(isValid);
  });
});
