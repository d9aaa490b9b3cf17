import { describe, expect, it } from "vitest";
import { askingScript, textOf } from "../../support/http-app.ts";
import { accessWorld, ADMIN_KEY, askAsPage, keyOf, signIn } from "../../support/access-world.ts";

it("SSN1: a cookie acts as its key, and ends with it (CA1)", async () => {
  const world = accessWorld();
  const { id, key } = await keyOf(world);
  const answer = await world.ask("/session", { json: { key, by: "Kim" } });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.json).toMatchObject({
    authenticated: true,
    via: "session",
    tenant: "acme",
    by: "Kim",
  });
  expect(answer.headers.get("set-cookie")).toMatch(
    /^__Host-edgecrew=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  const cookie = await signIn(world, { key });
  expect((await world.ask("/crews", { headers: { cookie } })).status).toBe(200);
  expect((await world.ask("/keys", { headers: { cookie } })).status).toBe(403);
  expect((await world.ask(`/keys/${id}`, { method: "DELETE", key: ADMIN_KEY })).status).toBe(204);
  const after = await world.ask("/crews", { headers: { cookie } });
  expect(after.status).toBe(401);
  expect(after.headers.get("set-cookie")).toContain("Max-Age=0");
});

it("a session of the admin key ends when the admin key changes (CA1)", async () => {
  const world = accessWorld();
  const cookie = await signIn(world, { key: ADMIN_KEY });
  expect((await world.ask("/keys", { headers: { cookie } })).status).toBe(200);
  const changed = accessWorld({
    env: world.services.env,
    auth: { mode: "keys", adminKey: "another" },
  });
  expect((await changed.ask("/keys", { headers: { cookie } })).status).toBe(401);
});

it("refuses a bad key, and reports the mode of the Worker", async () => {
  const world = accessWorld();
  expect((await world.ask("/session", { json: { key: "nope" } })).status).toBe(401);
  const { status, json, headers } = await world.ask("/session");
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(json).toEqual({ authenticated: false, mode: "keys", methods: ["key"] });
  const fresh = accessWorld({ auth: { mode: "keys" } });
  expect((await fresh.ask("/session")).json).toMatchObject({ noKeyYet: true });
  const open = accessWorld({ auth: { mode: "open" } });
  expect((await open.ask("/session")).json).toMatchObject({
    authenticated: true,
    via: "open",
    mode: "open",
  });
});

it("refuses to sign in over plain http from another machine (BI1)", async () => {
  const world = accessWorld();
  const answer = await world.ask("http://192.168.1.5/session", { json: { key: ADMIN_KEY } });
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/https.*this machine/);
  const secure = await world.ask("https://crews.example.com/session", { json: { key: ADMIN_KEY } });
  expect(secure.status).toBe(201);
});

it.each([
  ["a foreign origin", { origin: "https://evil.example.com" }, 403],
  [
    "a foreign origin with the header same-origin",
    { origin: "https://evil.example.com", "sec-fetch-site": "same-origin" },
    403,
  ],
  ["another site", { "sec-fetch-site": "cross-site" }, 403],
  ["neither header", {}, 403],
  ["its own origin", { origin: "http://localhost" }, 202],
  ["the same origin, by Sec-Fetch-Site", { "sec-fetch-site": "same-origin" }, 202],
])(
  "SSN2: a change with a cookie from %s (CA2)",
  async (_, headers: Record<string, string>, status) => {
    const world = accessWorld();
    const cookie = await signIn(world, { key: (await keyOf(world)).key });
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => {
          if (status === 403) throw new Error("the body was read");
          controller.enqueue(new TextEncoder().encode("{}"));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await world.request("/crews/greeting/kickoff", {
      body,
      headers: { cookie, "content-type": "application/json", ...headers },
    });
    expect(answer.status).toBe(status);
    const { code } = (await answer.json()) as { code?: string };
    expect(code).toBe(status === 403 ? "csrf" : undefined);
  },
);

it("upgrades to WebSockets are changes, and reading is free, without CORS headers (CA2)", async () => {
  const world = accessWorld();
  const cookie = await signIn(world, { key: (await keyOf(world)).key });
  const foreign = { cookie, origin: "https://evil.example.com" };
  const upgrade = await world.ask("/runs/r/events", {
    headers: { ...foreign, upgrade: "websocket" },
  });
  expect(upgrade.json).toMatchObject({ code: "csrf" });
  const own = { cookie, origin: "http://localhost", upgrade: "websocket" };
  expect((await world.ask("/runs/r/events", { headers: own })).status).toBe(404);
  const read = await world.ask("/crews", { headers: foreign });
  expect(read.status).toBe(200);
  expect(read.headers.get("access-control-allow-origin")).toBeNull();
  expect(read.headers.get("access-control-allow-credentials")).toBeNull();
});

it("A9: a key takes precedence over the cookie, also when it is invalid (CA3)", async () => {
  const world = accessWorld();
  const cookie = await signIn(world, { key: (await keyOf(world)).key });
  const other = await keyOf(world, { tenant: "beta", scopes: ["admin"] });
  const both = await world.ask("/tokens", {
    key: other.key,
    headers: { cookie },
    json: { target: { kind: "crew", name: "greeting" }, scopes: ["kickoff"] },
  });
  const claims = textOf(both.json["token"]).split(".")[1] ?? "";
  expect(JSON.parse(atob(claims))).toMatchObject({ ten: "beta" });
  expect((await world.ask("/crews", { key: "nope", headers: { cookie } })).status).toBe(401);
  for (const header of [{ authorization: "Basic abc" }, { "x-api-key": "nope" }])
    expect((await world.ask("/crews", { headers: { cookie, ...header } })).status).toBe(401);
});

it("SSN3: a session ends by signing out, and by expiry (CA4)", async () => {
  const world = accessWorld();
  const { key } = await keyOf(world);
  const cookie = await signIn(world, { key });
  const other = await signIn(world, { key });
  const out = await askAsPage(world, "/session", { method: "DELETE", cookie });
  expect(out.status).toBe(204);
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  expect((await world.ask("/crews", { headers: { cookie } })).status).toBe(401);
  await world.clock.advance(12 * 3_600_000 - 1000);
  expect((await world.ask("/crews", { headers: { cookie: other } })).status).toBe(200);
  await world.clock.advance(1000);
  expect((await world.ask("/crews", { headers: { cookie: other } })).status).toBe(401);
  expect((await world.ask("/session", { headers: { cookie: other } })).json).toMatchObject({
    authenticated: false,
  });
  await world.bound.get("sessions")?.due?.();
  const rows = await world.services.env.DB.prepare("SELECT count(*) AS n FROM sessions").first();
  expect(rows).toEqual({ n: 0 });
});

it("ends all sessions of a tenant, but of no other tenant", async () => {
  const world = accessWorld();
  const admin = await keyOf(world, { scopes: ["admin"] });
  const mine = await signIn(world, { key: admin.key });
  const theirs = await signIn(world, { key: (await keyOf(world, { tenant: "beta" })).key });
  expect((await askAsPage(world, "/sessions", { method: "DELETE", cookie: theirs })).status).toBe(
    403,
  );
  expect((await askAsPage(world, "/sessions", { method: "DELETE", cookie: mine })).status).toBe(
    204,
  );
  expect((await world.ask("/crews", { headers: { cookie: mine } })).status).toBe(401);
  expect((await world.ask("/crews", { headers: { cookie: theirs } })).status).toBe(200);
});

it("A10: makes keys only soon after signing in", async () => {
  const world = accessWorld();
  const cookie = await signIn(world, { key: ADMIN_KEY });
  const json = { tenant: "acme", scopes: ["answer"] };
  expect((await askAsPage(world, "/keys", { cookie, json })).status).toBe(201);
  await world.clock.advance(10 * 60_000);
  const late = await askAsPage(world, "/keys", { cookie, json });
  expect(late.status).toBe(403);
  expect(late.text).toContain("sign in again");
});

it("limits how often an address may try to sign in", async () => {
  const tried: string[] = [];
  const limit = async ({ key }: { key: string }): Promise<{ success: boolean }> => {
    tried.push(key);
    return { success: tried.length <= 2 };
  };
  const { env } = accessWorld().services;
  const world = accessWorld({ env: Object.assign({}, env, { LOGIN_LIMITER: { limit } }) });
  const login = () =>
    world.ask("/session", { json: { key: "x" }, headers: { "cf-connecting-ip": "1.2.3.4" } });
  expect([(await login()).status, (await login()).status]).toEqual([401, 401]);
  const third = await login();
  expect([third.status, third.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(tried).toEqual(["1.2.3.4", "1.2.3.4", "1.2.3.4"]);
});

it("names the signed-in person in the answer to a wait", async () => {
  const world = accessWorld({ script: askingScript() });
  const { key } = await keyOf(world, { scopes: ["answer", "run", "read"] });
  const cookie = await signIn(world, { key, by: "Kim" });
  const id = await world.kickoff("briefing", { inputs: { topic: "tea" } }, { key });
  const answered = await askAsPage(world, `/runs/${id}/resume`, {
    cookie,
    json: { feedback: "yes", by: "Somebody else" },
  });
  expect(answered.status).toBe(200);
  const events = await world.ask(`/runs/${id}/events?follow=0&types=wait_settled`, { key });
  expect(events.text).toContain('"by":"Kim"');
});

it("limits a key with the scope answer to answers", async () => {
  const world = accessWorld({ script: askingScript() });
  const { key } = await keyOf(world);
  const answering = await keyOf(world, { scopes: ["answer"] });
  const id = await world.kickoff("briefing", { inputs: { topic: "tea" } }, { key });
  expect((await world.ask(`/runs/${id}`, { key: answering.key })).status).toBe(403);
  expect((await world.ask(`/runs/${id}/cancel`, { key: answering.key, json: {} })).status).toBe(
    403,
  );
  const answered = await world.ask(`/runs/${id}/resume`, {
    key: answering.key,
    json: { feedback: "go" },
  });
  expect(answered.status).toBe(200);
});

it("notes the last day of use of a key, once a day", async () => {
  const world = accessWorld();
  const { id, key } = await keyOf(world);
  const shown = async (): Promise<unknown> => {
    const { json } = await world.ask("/keys", { key: ADMIN_KEY });
    return (json["items"] as unknown as { id: string; lastUsedOn?: string }[]).find(
      (each) => each.id === id,
    )?.lastUsedOn;
  };
  expect(await shown()).toBeUndefined();
  await world.ask("/crews", { key });
  expect(await shown()).toBe(new Date(world.clock.now()).toISOString().slice(0, 10));
});

describe("the author of a definition version", () => {
  const BODY = {
    agents: { writer: { role: "Writer", goal: "Write", backstory: "Short." } },
    tasks: [{ name: "draft", description: "Write", expectedOutput: "A page", agent: "writer" }],
  };
  const goal = (text: string) => ({
    ...BODY,
    agents: { writer: { ...BODY.agents.writer, goal: text } },
  });

  it("is the person of the session, or else the name of the key (DV3)", async () => {
    const world = accessWorld();
    const scopes = ["admin"];
    const named = await keyOf(world, { scopes, name: "ci" });
    const unnamed = await keyOf(world, { scopes });
    const put = async (text: string, { key }: { key: string }) =>
      world.ask("/crews/notes", { method: "PUT", json: goal(text), key });
    const putAsPage = async (text: string, login: { key: string; by?: string }) =>
      askAsPage(world, "/crews/notes", {
        method: "PUT",
        json: goal(text),
        cookie: await signIn(world, login),
      });
    await put("1", named);
    await put("2", unnamed);
    await putAsPage("3", { key: named.key });
    await putAsPage("4", { key: named.key, by: "Kim" });
    await world.ask("/crews/notes/versions/1/restore", { method: "POST", key: named.key });
    const { json } = await world.ask("/crews/notes/versions", { key: named.key });
    const versions = json["items"] as unknown as { by?: string }[];
    expect(versions.map(({ by }) => by)).toEqual(["ci", "Kim", "ci", undefined, "ci"]);
    await world.ask("/crews/notes", { method: "PUT", json: goal("6"), key: ADMIN_KEY });
    await askAsPage(world, "/crews/notes", {
      method: "PUT",
      json: goal("7"),
      cookie: await signIn(world, { key: ADMIN_KEY }),
    });
    const own = await world.ask("/crews/notes/versions", { key: ADMIN_KEY });
    expect(own.json["items"]).toEqual([
      expect.objectContaining({ by: "admin key" }),
      expect.objectContaining({ by: "admin key" }),
    ]);
  });

  it("is never the name of a key in answers to waits", async () => {
    const world = accessWorld();
    const { key } = await keyOf(world, { scopes: ["admin"], name: "ci" });
    const token = await world.ask("/tokens", {
      key,
      json: { target: { kind: "crew", name: "briefing" }, scopes: ["kickoff"], by: "Kim" },
    });
    const [, claims = ""] = textOf(token.json["token"]).split(".");
    expect(JSON.parse(atob(claims))).toMatchObject({ by: "Kim" });
  });
});
