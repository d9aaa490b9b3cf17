import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../../src/base/sha256.ts";
import { whileKeyIsValid, withKeyHash } from "../../../../src/http/middleware/open-streams.ts";
import { HttpWorld, textOf } from "../../../support/http-app.ts";

const KEYS = { auth: { mode: "keys", adminKey: "boss" } } as const;
const make = (world: HttpWorld, json: object) =>
  world.ask("/keys", { key: "boss", json: { tenant: "acme", scopes: ["read"], ...json } });

describe("a key with expiresAt", () => {
  it("works until then, and is shown with it", async () => {
    const world = new HttpWorld(KEYS);
    const { status, json } = await make(world, { expiresAt: "2026-01-01T02:00:00+01:00" });
    expect([status, json["expiresAt"]]).toEqual([201, "2026-01-01T01:00:00.000Z"]);
    const key = textOf(json["key"]);
    expect((await world.ask("/keys", { key: "boss" })).json["items"]?.[0]).toMatchObject({
      expiresAt: "2026-01-01T01:00:00.000Z",
    });
    await world.clock.advance(3_599_000);
    expect((await world.ask("/crews", { key })).status).toBe(200);
    await world.clock.advance(1_000);
    const { status: refused, json: problem } = await world.ask("/crews", { key });
    expect([refused, problem["detail"]]).toEqual([401, expect.stringContaining("has expired")]);
  });

  it.each(["2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "tomorrow", 5])(
    "is refused for %j",
    async (expiresAt) => {
      const { status, json } = await make(new HttpWorld(KEYS), { expiresAt });
      expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/expiresAt"]);
    },
  );

  it("never expires without the field, and no key in an open Worker is the operator's", async () => {
    const world = new HttpWorld(KEYS);
    const key = textOf((await make(world, {})).json["key"]);
    await world.clock.advance(10 * 365 * 86_400_000);
    expect((await world.ask("/crews", { key })).status).toBe(200);
  });
});

describe("A6: a stream opened with a key", () => {
  function stream() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const send = (text: string) => writer.write(new TextEncoder().encode(text)).catch(() => {});
    const response = new Response(readable, {
      headers: { "content-type": "text/event-stream; charset=utf-8" },
    });
    return { response, send };
  }

  it.each(["deleted", "expired"])("ends within a minute when it is %s", async (how) => {
    const world = new HttpWorld(KEYS);
    const more = how === "expired" ? { expiresAt: "2026-01-01T00:00:20Z" } : {};
    const { json } = await make(world, more);
    const keyHash = sha256Hex(textOf(json["key"]));
    const { response, send } = stream();
    const caller = { tenant: "acme", scopes: [], via: "key" as const, keyHash };
    const reader = whileKeyIsValid(response, caller, world.services).body!.getReader();
    const read = async () => (await reader.read()).done;
    void send("one");
    expect(await read()).toBe(false);
    if (how === "deleted") await world.keys.delete(textOf(json["id"]));
    void send("two");
    expect(await read()).toBe(false);
    await world.clock.advance(31_000);
    void send(": keep-alive");
    expect(await read()).toBe(true);
  });

  it("goes on while the key exists, or without a revocable key", async () => {
    const world = new HttpWorld(KEYS);
    const { json } = await make(world, {});
    const keyHash = sha256Hex(textOf(json["key"]));
    const { response, send } = stream();
    const reader = whileKeyIsValid(
      response,
      { tenant: "acme", scopes: [], via: "key" as const, keyHash },
      world.services,
    ).body!.getReader();
    for (let n = 0; n < 3; n++) {
      await world.clock.advance(31_000);
      void send("more");
      expect((await reader.read()).done).toBe(false);
    }
    const plain = stream().response;
    expect(
      whileKeyIsValid(plain, { tenant: "t", scopes: [], via: "key" as const }, world.services),
    ).toBe(plain);
    const answer = Response.json({});
    expect(
      whileKeyIsValid(
        answer,
        { tenant: "t", scopes: [], via: "key" as const, keyHash },
        world.services,
      ),
    ).toBe(answer);
  });

  it("a client cannot forge the owner of its socket", () => {
    const request = (headers: Record<string, string>) => new Request("http://x", { headers });
    const forged = { "x-edgecrew-key-hash": "forged" };
    expect(withKeyHash(request(forged), undefined).headers.has("x-edgecrew-key-hash")).toBe(false);
    expect(withKeyHash(request(forged), "mine").headers.get("x-edgecrew-key-hash")).toBe("mine");
  });
});
