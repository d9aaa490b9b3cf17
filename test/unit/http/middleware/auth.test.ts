import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import type { Operation } from "../../../../src/parts/operation.ts";
import { HttpWorld, textOf } from "../../../support/http-app.ts";

const ADMIN = "the-admin-key";

const { operations } = new HttpWorld().api;
const SCOPES = ["run", "read", "answer", "admin"] as const;

function suffices(scope: (typeof SCOPES)[number], operation: Operation): boolean {
  if (scope === "run" && operation.scope === "answer") return true;
  return scope === "admin" || operation.scope === "key" || operation.scope === scope;
}

function locked(): HttpWorld {
  return new HttpWorld({ auth: { mode: "keys", adminKey: ADMIN } });
}

async function keyOf(
  world: HttpWorld,
  scopes: readonly string[],
  tenant = "default",
): Promise<string> {
  const { status, json } = await world.ask("/keys", { key: ADMIN, json: { tenant, scopes } });
  expect(status).toBe(201);
  return textOf(json["key"]);
}

function ask(world: HttpWorld, { method, path }: Operation, key?: string) {
  const url = path.replace("{name}", "nobody").replace("{id}", "nobody");
  return world.ask(url, {
    method: method.toUpperCase(),
    ...(key === undefined ? undefined : { key }),
  });
}

describe("keys mode", () => {
  const guarded = operations.filter(({ scope }) => scope !== "none");

  it.each(guarded.map((operation) => [operation.id, operation] as const))(
    "refuses %s without a key, with a wrong one, and in another scheme",
    async (_, operation) => {
      const world = locked();
      for (const headers of [
        {},
        { authorization: "Bearer wrong" },
        { authorization: `Basic ${btoa(`user:${ADMIN}`)}` },
        { authorization: ADMIN },
        { authorization: "Bearer " },
        { "x-api-key": "wrong" },
        { "x-api-key": " ", "api-key": "" },
        { authorization: "Bearer wrong", "x-api-key": ADMIN },
        { authorization: `Basic ${btoa(`user:${ADMIN}`)}`, "x-api-key": ADMIN },
        { "x-api-key": "wrong", "api-key": ADMIN },
      ]) {
        const {
          status,
          json,
          headers: answered,
        } = await world.ask(operation.path, { method: operation.method.toUpperCase(), headers });
        expect([status, json["code"] ?? json["error"]]).toEqual([401, "unauthorized"]);
        expect(answered.get("www-authenticate")).toContain('Bearer realm="edgecrew"');
      }
    },
  );

  it.each(
    guarded.flatMap((operation) =>
      SCOPES.filter((scope) => suffices(scope, operation)).map(
        (scope) => [operation.id, scope, operation] as const,
      ),
    ),
  )("lets %s pass with the scope %s", async (_, scope, operation) => {
    const world = locked();
    const { status } = await ask(world, operation, await keyOf(world, [scope]));
    expect([401, 403]).not.toContain(status);
  });

  it.each(
    guarded.flatMap((operation) =>
      SCOPES.filter((scope) => !suffices(scope, operation)).map(
        (scope) => [operation.id, scope, operation] as const,
      ),
    ),
  )("A1: refuses %s with the scope %s, and names the one it lacks", async (_, scope, operation) => {
    const world = locked();
    const { status, json, headers } = await ask(world, operation, await keyOf(world, [scope]));
    expect([status, json["code"] ?? json["error"]]).toEqual([403, "forbidden"]);
    expect(json["detail"] ?? json["message"]).toBe(
      `this needs a key with the scope "${operation.scope}"; this one has "${scope}"`,
    );
    expect(headers.get("www-authenticate")).toContain(`scope="${operation.scope}"`);
  });

  it.each<[string, Record<string, string>]>([
    ["Authorization", { authorization: `Bearer  ${ADMIN} ` }],
    ["X-API-Key", { "x-api-key": ADMIN }],
    ["api-key, as clients for Azure send it", { "api-key": ADMIN }],
    ["the first of them", { authorization: `Bearer ${ADMIN}`, "api-key": "wrong" }],
    ["the next one after an empty one", { authorization: "", "x-api-key": " ", "api-key": ADMIN }],
  ])("A7, CRD1: takes a key from %s on every path", async (_, headers) => {
    const world = locked();
    for (const path of ["/crews", "/keys", "/about"])
      expect((await world.ask(path, { headers })).status).toBe(200);
    expect((await world.ask(`/crews?api_key=${ADMIN}&api-key=${ADMIN}`)).status).toBe(401);
  });

  it("A1: answers /healthz without a key", async () => {
    const { status, json } = await locked().ask("/healthz");
    expect([status, json]).toEqual([200, { status: "ok" }]);
  });

  it("shows the health of the database to all callers on request", async () => {
    expect((await locked().ask("/healthz?ready=1")).status).toBe(200);
    const { keys } = new HttpWorld();
    vi.spyOn(keys, "any").mockRejectedValue(new EngineError("unavailable", "run the migrations"));
    const { status, json } = await new HttpWorld({ keys }).ask("/healthz?ready=1");
    expect([status, json["detail"]]).toEqual([503, "run the migrations"]);
  });

  it("hides unknown routes from callers without a key", async () => {
    expect((await locked().ask("/nowhere")).status).toBe(401);
  });

  it("A3: explains the first key to a deployment without keys", async () => {
    const world = new HttpWorld({ auth: { mode: "keys" } });
    const { status, json } = await world.ask("/crews", { key: "guess" });
    expect(status).toBe(401);
    expect(json["detail"]).toContain("wrangler secret put EDGECREW_ADMIN_KEY");
    expect((await world.ask("/healthz")).status).toBe(200);
  });

  it("treats an empty admin key as unset", async () => {
    const world = new HttpWorld({ auth: { mode: "keys", adminKey: "" } });
    expect((await world.ask("/crews", { headers: { authorization: "Bearer " } })).status).toBe(401);
  });
});

describe("open mode", () => {
  it("A2: needs no key, and takes no harm from an unknown one", async () => {
    const world = new HttpWorld();
    expect((await world.ask("/keys")).status).toBe(200);
    expect((await world.ask("/keys", { key: "from-some-sdk" })).status).toBe(200);
  });

  it("A2: lets a known key act as itself", async () => {
    const world = new HttpWorld();
    const { json } = await world.ask("/keys", { json: { tenant: "acme", scopes: ["read"] } });
    expect(
      (await world.ask("/crews/greeting/kickoff", { key: textOf(json["key"]), json: {} })).status,
    ).toBe(403);
  });
});

describe("keys", () => {
  it("A4: are shown once, stored as a hash, listed without it and refused once deleted", async () => {
    const world = locked();
    const created = await world.ask("/keys", {
      key: ADMIN,
      json: { tenant: "acme", scopes: ["read", "run", "read"], name: "frontend" },
    });
    expect(created.status).toBe(201);
    expect(created.headers.get("cache-control")).toBe("no-store");
    const { id, key } = created.json as unknown as { id: string; key: string };
    expect(created.json).toEqual({
      id,
      key,
      tenant: "acme",
      scopes: ["read", "run"],
      name: "frontend",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect(key).toMatch(/^ec_/);

    const listed = await world.ask("/keys", { key: ADMIN });
    expect(listed.json).toEqual({
      items: [
        {
          id,
          tenant: "acme",
          scopes: ["read", "run"],
          name: "frontend",
          createdAt: "2026-01-01T00:00:00.000Z",
        },
      ],
    });
    expect((await world.ask("/crews", { key })).status).toBe(200);
    expect((await world.ask(`/keys/${id}`, { key: ADMIN, method: "DELETE" })).status).toBe(204);
    expect((await world.ask(`/keys/${id}`, { key: ADMIN, method: "DELETE" })).status).toBe(404);
    expect((await world.ask("/crews", { key })).status).toBe(401);
  });

  it("page", async () => {
    const world = locked();
    for (let count = 0; count < 3; count++) await keyOf(world, ["read"]);
    const first = await world.ask("/keys?limit=2", { key: ADMIN });
    expect(first.json["items"]).toHaveLength(2);
    const second = await world.ask(`/keys?limit=2&cursor=${textOf(first.json["nextCursor"])}`, {
      key: ADMIN,
    });
    expect(second.json["items"]).toHaveLength(1);
    expect(second.json).not.toHaveProperty("nextCursor");
  });

  it("of all tenants are not for the admin of one", async () => {
    const world = locked();
    const key = await keyOf(world, ["admin"], "acme");
    expect((await world.ask("/crews", { key })).status).toBe(200);
    expect((await world.ask("/keys", { key })).status).toBe(403);
    expect(
      (await world.ask("/keys", { key, json: { tenant: "default", scopes: ["admin"] } })).status,
    ).toBe(403);
    expect((await world.ask("/keys/any", { key, method: "DELETE" })).status).toBe(403);
  });
});

describe("tenants", () => {
  it("never see each other", async () => {
    const world = locked();
    const [ours, theirs] = [
      await keyOf(world, ["admin"], "acme"),
      await keyOf(world, ["admin"], "other"),
    ];
    const definition = {
      agents: { a: { role: "A", goal: "g", backstory: "b" } },
      tasks: [{ name: "greet", description: "d", expectedOutput: "x", agent: "a" }],
    };
    await world.ask("/crews/secret", { method: "PUT", key: ours, json: definition });
    const id = await world.kickoff("secret", { id: "shared" }, { key: ours });

    expect((await world.ask("/crews/secret", { key: theirs })).status).toBe(404);
    expect((await world.ask("/crews/secret/kickoff", { key: theirs, json: {} })).status).toBe(404);
    expect((await world.ask("/crews/secret", { key: theirs, method: "DELETE" })).status).toBe(404);
    expect((await world.ask("/crews", { key: theirs })).text).not.toContain("secret");
    expect((await world.ask("/runs", { key: theirs })).json["items"]).toEqual([]);
    expect((await world.ask("/admin/reindex", { key: theirs, json: { ids: [id] } })).json).toEqual({
      reindexed: 0,
    });
    for (const path of ["", "/events", "/journal"])
      expect((await world.ask(`/runs/${id}${path}`, { key: theirs })).status).toBe(404);
    for (const [path, json] of Object.entries({
      cancel: {},
      pause: {},
      unpause: {},
      resume: { value: 1 },
      fork: { fromTask: "greet" },
      replay: { fromTask: "greet" },
    })) {
      expect((await world.ask(`/runs/${id}/${path}`, { key: theirs, json })).status).toBe(404);
    }
    expect((await world.ask(`/runs/${id}`, { key: theirs })).text).toBe(
      (await world.ask(`/runs/${id}`, { key: ADMIN })).text,
    );

    expect(
      (await world.ask("/crews/greeting/kickoff", { key: theirs, json: { id } })).json["status"],
    ).toBe("queued");
    expect((await world.ask(`/runs/${id}`, { key: ours })).json["name"]).toBe("secret");
    expect((await world.ask(`/runs/${id}`, { key: theirs })).json["name"]).toBe("greeting");
  });
});
