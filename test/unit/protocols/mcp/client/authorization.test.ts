import { describe, expect, it } from "vitest";
import { InMemoryMcpTokens, mcpServer } from "../../../../../src/entry/mcp.ts";
import { D1McpTokens } from "../../../../../src/cloudflare/stores/d1-mcp-tokens.ts";
import { SecretBox } from "../../../../../src/security/secret-box.ts";
import { randomBytes } from "../../../../../src/base/system.ts";
import { crewCalling, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import {
  guardedShop,
  ISSUER,
  URL_OF,
  type GuardedShop,
} from "../../../../support/mcp-guarded-shop.ts";
import { openShop } from "../../../../support/mcp-shop.ts";
import { sqliteD1 } from "../../../../support/sqlite-d1.ts";

const OAUTH = {
  oauth: { clientId: "crew", clientSecret: "a-secret-of-the-crew", scopes: ["buy"] },
};

function ordering({ shop, fetch }: GuardedShop, settings: object = {}, more = {}) {
  const options = { url: URL_OF, name: "shop", auth: OAUTH, max_retries: 0, ...settings };
  const mcps = [mcpServer(options, { fetch, ...more })];
  const { crew } = crewCalling([["shop_order", { article: "cup" }]], { mcps });
  return startMcpRun(crew, shop.underWay);
}

describe("OAuth client credentials", () => {
  it("XO2: gets one token for the whole run, for this resource", async () => {
    const made = guardedShop();
    const run = ordering(made);
    expect(await rawOf(run)).toContain("ordered cup");
    expect(made.tokenRequests).toHaveLength(1);
    const [{ body, authorization, url } = { body: new URLSearchParams() }] = made.tokenRequests;
    expect(url).toBe(`${ISSUER}/token`);
    expect(authorization).toBe(`Basic ${btoa("crew:a-secret-of-the-crew")}`);
    expect(Object.fromEntries(body)).toMatchObject({
      grant_type: "client_credentials",
      scope: "buy",
      resource: URL_OF,
    });
    expect(JSON.stringify(run.events)).not.toContain("token-number-1");
  });

  it("XO2: requests another token when the server refuses the cached one, or it has expired", async () => {
    const made = guardedShop();
    const tokens = new InMemoryMcpTokens();
    await rawOf(ordering(made, {}, { tokens }));
    await rawOf(ordering(made, {}, { tokens }));
    expect(made.tokenRequests).toHaveLength(1);
    made.revoke();
    expect(await rawOf(ordering(made, {}, { tokens }))).toContain("ordered cup");
    expect(made.tokenRequests).toHaveLength(2);
    const short = guardedShop({ expiresIn: 10 });
    await rawOf(ordering(short));
    expect(short.tokenRequests.length).toBeGreaterThan(1);
  });

  it.each([
    ["says another issuer", { issuer: "https://other.example.com" }],
    [
      "is on a private network",
      { authorizationServer: "https://10.0.0.1", issuer: "https://10.0.0.1" },
    ],
    ["has its token endpoint on a private network", { tokenEndpoint: "https://10.0.0.1/token" }],
  ])("XO1: sends no credentials to a server that %s", async (_, options) => {
    const made = guardedShop(options);
    const run = ordering(made);
    expect((await run.settle()).status).toBe("failed");
    expect(made.tokenRequests).toEqual([]);
    expect(run.of("mcp_connection_failed")).toHaveLength(1);
  });

  it("XO1: sends credentials only to the issuer in the settings", async () => {
    const issuer = "https://login.example.com";
    const made = guardedShop();
    const run = ordering(made, { auth: { oauth: { ...OAUTH.oauth, issuer } } });
    expect((await run.settle()).status).toBe("failed");
    expect(made.tokenRequests).toEqual([]);
    const right = guardedShop();
    const fine = ordering(right, { auth: { oauth: { ...OAUTH.oauth, issuer: ISSUER } } });
    expect(await rawOf(fine)).toContain("ordered cup");
  });
});

const PERSON = {
  auth: { oauth: { clientId: "crew", redirectUrl: "https://crew.example.com/back" } },
};

/** The address that a person is sent to after signing in at the one of the wait. */
function signedIn(prompt: string | undefined, code = "the-code"): string {
  const { searchParams } = new URL(/open (\S+)/.exec(prompt ?? "")?.[1] ?? "https://nowhere");
  const back = new URL(searchParams.get("redirect_uri") ?? "https://nowhere");
  back.searchParams.set("code", code);
  back.searchParams.set("state", searchParams.get("state") ?? "");
  return back.href;
}

describe("signing in", () => {
  it("XI1: is waited for, once for all runs", async () => {
    const made = guardedShop();
    const tokens = new InMemoryMcpTokens();
    const run = ordering(made, PERSON, { tokens });
    const { status, waits } = await run.settle();
    expect(status).toBe("waiting");
    const [wait] = waits;
    expect(wait).toMatchObject({ kind: "human", data: { mcp: { mode: "sign-in" } } });
    const asked = new URL(/open (\S+)/.exec(wait?.prompt ?? "")?.[1] ?? "");
    expect(asked.origin).toBe(ISSUER);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: "crew",
      code_challenge_method: "S256",
      resource: URL_OF,
      response_type: "code",
    });
    await run.handle.resume({ key: wait?.key ?? "", value: signedIn(wait?.prompt) });
    expect(await rawOf(run)).toContain("ordered cup");
    const [{ body } = { body: new URLSearchParams() }] = made.tokenRequests;
    expect(body.get("code_verifier")?.length).toBeGreaterThan(40);
    expect(body.get("redirect_uri")).toBe("https://crew.example.com/back");
    const verifier = body.get("code_verifier") ?? "";
    for (const secret of ["token-number", "the-refresh-token", verifier])
      expect(JSON.stringify(run.events)).not.toContain(secret);
    expect(await rawOf(ordering(made, PERSON, { tokens }))).toContain("ordered cup");
    expect(made.tokenRequests).toHaveLength(1);
  });

  it.each([
    ["an address of another sign-in", "https://crew.example.com/back?code=the-code&state=other"],
    ["a code alone", "the-code"],
    ["an error", "error"],
    ["a refused code", "wrong"],
  ])("XI1: is asked again after %s", async (_, answer) => {
    const run = ordering(guardedShop(), PERSON);
    const { waits } = await run.settle();
    const prompt = waits[0]?.prompt;
    const failed = signedIn(prompt).replace("code=the-code", "error=access_denied");
    const bad = { error: failed, wrong: signedIn(prompt, "stolen") }[answer] ?? answer;
    await run.handle.resume({ key: waits[0]?.key ?? "", feedback: bad });
    const again = await run.settle();
    expect(again.waits[0]?.prompt).toContain("The last attempt did not work");
    const { key = "", prompt: second } = again.waits[0] ?? {};
    await run.handle.resume({ key, value: signedIn(second) });
    expect(await rawOf(run)).toContain("ordered cup");
  });

  it("may decline, and the run ends before a model is asked", async () => {
    const run = ordering(guardedShop(), PERSON);
    const { waits } = await run.settle();
    await run.handle.resume({ key: waits[0]?.key ?? "", approve: false });
    const ended = await run.settle();
    expect(ended.error?.message).toContain("no person signed in");
    expect(run.of("llm_call_started")).toEqual([]);
  });

  it("XI2: is requested in the middle of a run with a refused token, and the call is made once", async () => {
    const made = guardedShop();
    const run = ordering(made, { ...PERSON, needs_approval: true });
    const { waits } = await run.settle();
    await run.handle.resume({ key: waits[0]?.key ?? "", value: signedIn(waits[0]?.prompt) });
    const approving = await run.settle();
    made.revoke("for good");
    await run.handle.resume({ key: approving.waits[0]?.key ?? "", approve: true });
    const again = await run.settle();
    expect(again.waits[0]).toMatchObject({ data: { mcp: { mode: "sign-in" } } });
    const { key = "", prompt } = again.waits[0] ?? {};
    await run.handle.resume({ key, value: signedIn(prompt) });
    expect(await rawOf(run)).toContain("ordered cup");
    expect(made.shop.calls).toEqual(['order {"article":"cup"}']);
  });

  it("XI2: is not asked again while the token can be refreshed", async () => {
    const made = guardedShop();
    const tokens = new InMemoryMcpTokens();
    const run = ordering(made, PERSON, { tokens });
    const { waits } = await run.settle();
    await run.handle.resume({ key: waits[0]?.key ?? "", value: signedIn(waits[0]?.prompt) });
    await rawOf(run);
    made.revoke();
    expect(await rawOf(ordering(made, PERSON, { tokens }))).toContain("ordered cup");
    expect(made.tokenRequests.at(-1)?.body.get("grant_type")).toBe("refresh_token");
  });
});

describe("other ways to be authorised", () => {
  it.each([
    ["a token", { token: "plain-token-value" }],
    ["a token of a variable", { token: { secret: "SHOP_TOKEN" } }],
    ["a token of a variable, as upstream names it", { token: { env: "SHOP_TOKEN" } }],
    ["a function", () => Promise.resolve("plain-token-value")],
  ])("sends %s", async (_, auth) => {
    const shop = openShop();
    const mcps = [mcpServer({ url: URL_OF, name: "shop", auth }, { fetch: shop.fetch })];
    const { crew } = crewCalling([["shop_order", { article: "cup" }]], { mcps });
    const services = { variables: { SHOP_TOKEN: "plain-token-value" } };
    await rawOf(startMcpRun(crew, shop.underWay, services));
    const sent = shop.requests.map(({ headers }) => headers.get("authorization"));
    expect(new Set(sent)).toEqual(new Set(["Bearer plain-token-value"]));
  });

  it("fails before a model is asked when a secret is not set", async () => {
    const shop = openShop();
    const headers = { "x-key": { secret: "NOWHERE" } };
    const mcps = [mcpServer({ url: URL_OF, name: "shop", headers }, { fetch: shop.fetch })];
    const { crew, model } = crewCalling([], { mcps });
    const ended = await startMcpRun(crew, shop.underWay, { variables: {} }).settle();
    expect(ended.error?.message).toContain("the secret NOWHERE is not set");
    expect(model.calls).toEqual([]);
    expect(shop.requests).toEqual([]);
  });
});

describe("tokens in D1", () => {
  const key = btoa("k".repeat(32));
  const token = { value: '{"access_token":"very-secret"}', expiresAtMs: 99 };

  it("are encrypted, and each tenant has its own", async () => {
    const database = sqliteD1();
    const box = new SecretBox(key, randomBytes);
    const mine = new D1McpTokens(database, "acme", box);
    await mine.put("a", token);
    expect(await mine.get("a")).toEqual(token);
    expect(await new D1McpTokens(database, "other", box).get("a")).toBeUndefined();
    const rows = database.sqlite.prepare("SELECT * FROM mcp_tokens").all();
    expect(JSON.stringify(rows)).not.toContain("very-secret");
    database.sqlite.exec("UPDATE mcp_tokens SET tenant = 'other'");
    expect(await new D1McpTokens(database, "other", box).get("a")).toBeUndefined();
  });

  it("are requested again when they were encrypted with another key", async () => {
    const database = sqliteD1();
    await new D1McpTokens(database, "acme", new SecretBox(key, randomBytes)).put("a", token);
    const other = new SecretBox(btoa("o".repeat(32)), randomBytes);
    expect(await new D1McpTokens(database, "acme", other).get("a")).toBeUndefined();
  });

  it("are forgotten when they are refused", async () => {
    const tokens = new D1McpTokens(sqliteD1(), "acme", new SecretBox(key, randomBytes));
    await tokens.put("a", token);
    await tokens.delete("a");
    expect(await tokens.get("a")).toBeUndefined();
  });
});
