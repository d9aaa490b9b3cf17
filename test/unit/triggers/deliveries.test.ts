import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import type { WebhookScheme } from "../../../src/triggers/webhook-store.ts";
import { textOf, type Answer } from "../../support/http-app.ts";
import { SIGN } from "../../support/signed-deliveries.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";

const key = "boss";
const SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0MTI=";
const GREET = { kind: "crew", name: "greeting" } as const;
const NOW = Date.UTC(2026, 0, 1) / 1000;

async function worldWith(webhook: object = {}): Promise<TriggerWorld> {
  const world = new TriggerWorld();
  const json = { scheme: "github", secret: SECRET, target: GREET, ...webhook };
  const { status, text } = await world.ask("/hooks/in", { key, method: "PUT", json });
  if (status !== 201) throw new Error(text);
  return world;
}

function deliver(
  world: TriggerWorld,
  more: { body?: string; id?: string; secret?: string; at?: number } = {},
  { path = "/hooks/in", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const sign = SIGN.github;
  if (sign === undefined) throw new Error("github");
  const signed = sign({ secret: SECRET, body: '{"issue":{"title":"Rain"}}', at: NOW, ...more });
  return world.ask(path, {
    method: "POST",
    ...signed,
    headers: { ...signed.headers, ...headers },
  });
}

async function list(world: TriggerWorld, query = ""): Promise<readonly JsonObject[]> {
  await settled();
  const { json } = await world.ask(`/hooks/in/deliveries${query}`, { key });
  return (json as unknown as { items: JsonObject[] }).items;
}

/** Deliveries are noted after their answer. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe("received deliveries of a webhook", () => {
  it("is listed by outcome: started, repeated, handshake, refused (CA26)", async () => {
    const world = await worldWith({ inputs: { topic: "/issue/title" } });
    const first = await deliver(world, { id: "a" });
    await settled();
    await world.clock.advance(1000);
    await deliver(world, { id: "a" });
    await settled();
    await world.clock.advance(1000);
    await deliver(world, { id: "b", body: "{}" }, { headers: { "x-github-event": "ping" } });
    await settled();
    await world.clock.advance(1000);
    await deliver(world, { id: "c", body: "{" });
    const items = await list(world);
    const runId = first.json["id"];
    expect(items).toMatchObject([
      { outcome: "refused", status: 400, reason: expect.stringContaining("JSON"), count: 1 },
      { outcome: "handshake", status: 200, event: "ping" },
      { outcome: "repeated", status: 202, runId },
      { outcome: "started", status: 202, runId, bytes: 26, at: "2026-01-01T00:00:00.000Z" },
    ]);
    expect(await list(world, "?outcome=refused")).toHaveLength(1);
    const page = await world.ask("/hooks/in/deliveries?limit=3", { key });
    const cursor = textOf(page.json["nextCursor"]);
    expect(await list(world, `?cursor=${encodeURIComponent(cursor)}`)).toHaveLength(1);
    expect((await world.ask("/hooks/in/deliveries?outcome=lost", { key })).status).toBe(400);
  });

  it("HDN2: 100 deliveries in a minute with a wrong signature are one row with a count (CA26)", async () => {
    const world = await worldWith();
    for (let index = 0; index < 100; index++) {
      const { status } = await deliver(world, { id: `x${index}`, secret: "another secret here" });
      expect(status).toBe(401);
    }
    await world.clock.advance(60_000);
    await deliver(world, { id: "next", secret: "another secret here" });
    const items = await list(world);
    expect(items.map(({ reason, count, outcome }) => [reason, count, outcome])).toEqual([
      ["signature", 1, "refused"],
      ["signature", 100, "refused"],
    ]);
  });

  it("HDN3: a delivery to an unknown name is not stored (CA26)", async () => {
    const world = await worldWith();
    expect((await deliver(world, {}, { path: "/hooks/other" })).status).toBe(401);
    await settled();
    const rows = await world.database.prepare("SELECT * FROM hook_deliveries").all();
    expect(rows.results).toEqual([]);
    expect((await world.ask("/hooks/other/deliveries", { key })).status).toBe(404);
  });

  it("HDN4: has its body with `keepBodies` alone, cut at 64 KiB, for `admin` keys", async () => {
    for (const keepBodies of [true, false]) {
      const world = await worldWith({ keepBodies });
      await deliver(world, { id: "a" });
      const [delivery] = await list(world);
      expect(delivery).not.toHaveProperty("body");
      const path = `/hooks/in/deliveries/${delivery?.["id"] as string}`;
      const { json } = await world.ask(path, { key });
      expect(json["body"]).toBe(keepBodies ? '{"issue":{"title":"Rain"}}' : undefined);
      const made = await world.ask("/keys", {
        key,
        method: "POST",
        json: { tenant: "default", scopes: ["read"] },
      });
      const reader = { key: textOf(made.json["key"]) };
      expect((await world.ask(path, reader)).status).toBe(403);
      expect((await world.ask("/hooks/in/deliveries", reader)).status).toBe(200);
      expect((await world.ask("/hooks/in/deliveries/nope", { key })).status).toBe(404);
    }
  });

  it("HDN1: a delivery is answered while its note fails", async () => {
    const world = await worldWith();
    await world.database.prepare("DROP TABLE hook_deliveries").run();
    expect((await deliver(world, { id: "a" })).status).toBe(202);
    await vi.waitFor(() => expect(world.reported).toHaveLength(1));
  });

  it("keeps the newest 100 for 30 days, and deletes them with their webhook", async () => {
    const world = await worldWith();
    const count = async (): Promise<number> => {
      const rows = await world.database.prepare("SELECT id FROM hook_deliveries").all();
      return rows.results.length;
    };
    for (let index = 0; index < 103; index++) {
      await deliver(world, { id: `a${index}`, body: "{" });
      await world.clock.advance(1);
    }
    await settled();
    expect(await count()).toBe(100);
    await world.clock.advance(30 * 86_400_000);
    expect(await list(world)).toEqual([]);
    await world.ask("/hooks/in", { key, method: "DELETE" });
    expect(await count()).toBe(0);
  });
});

describe("trying a webhook", () => {
  const test = (world: TriggerWorld, json: object): Promise<Answer> =>
    world.ask("/hooks/in/test", { key, method: "POST", json });

  it.each<WebhookScheme>(["github", "stripe", "slack", "standard", "hmac"])(
    "of scheme %s signs like the sender, and reports the stages (CA26)",
    async (scheme) => {
      const world = await worldWith({
        scheme,
        inputs: { topic: "/title" },
        ...(scheme === "hmac" ? { timestampHeader: "x-time", idHeader: "x-id" } : undefined),
      });
      const { status, json } = await test(world, { payload: { title: "Rain" } });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        ok: true,
        signature: { ok: true },
        body: { ok: true, bytes: 16, handshake: false },
        inputs: { ok: true, values: { topic: "Rain" } },
        run: { ok: true, links: { self: expect.stringMatching(/^\/runs\/hook-/) } },
      });
      expect(await list(world)).toMatchObject([{ outcome: "started" }]);
    },
  );

  it("names the failed stage, without later ones (CA26)", async () => {
    const schema = { type: "object", required: ["title"] };
    const world = await worldWith({ inputs: { topic: "/title" }, schema });
    const { json } = await test(world, { payload: { other: 1 } });
    expect(json).toMatchObject({
      ok: false,
      signature: { ok: true },
      body: { ok: true },
      inputs: { ok: false, error: { code: "invalid_input" } },
    });
    expect(json).not.toHaveProperty("run");
    const ping = await test(world, { payload: {}, event: "ping" });
    expect(ping.json).toMatchObject({ ok: true, body: { event: "ping", handshake: true } });
    expect(ping.json).not.toHaveProperty("inputs");
    expect(
      (await world.ask("/hooks/other/test", { key, method: "POST", json: { payload: {} } })).status,
    ).toBe(404);
  });
});
