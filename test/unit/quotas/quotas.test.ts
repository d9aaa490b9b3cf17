import { describe, expect, it } from "vitest";
import { D1KnowledgeStore } from "../../../src/cloudflare/stores/d1-knowledge-store.ts";
import { D1MemoryRecords } from "../../../src/cloudflare/stores/d1-memory-records.ts";
import { EngineError } from "../../../src/base/error.ts";
import type { MemoryRecord } from "../../../src/memory/memory-record.ts";
import type { Part } from "../../../src/parts/part.ts";
import { quotas, type Quotas } from "../../../src/entry/quotas.ts";
import type { RateLimit } from "../../../src/quotas/request-rate.ts";
import { triggers } from "../../../src/entry/triggers.ts";
import { files } from "../../../src/entry/files.ts";
import { usage } from "../../../src/entry/usage.ts";
import { HttpWorld, textOf, type Answer, type HttpWorldOptions } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const DAY_MS = 86_400_000;

class World extends HttpWorld {
  readonly db: ReturnType<typeof sqliteD1>;

  constructor(limits: Quotas, options: HttpWorldOptions & { limiter?: RateLimit } = {}) {
    const db = sqliteD1();
    const { parts = [], limiter, ...more } = options;
    const env = limiter === undefined ? { DB: db } : { DB: db, REQUEST_LIMITER: limiter };
    super({
      ...more,
      env,
      parts: [usage(), quotas(limits), ...parts],
      auth: { mode: "keys", adminKey: "boss" },
    });
    this.db = db;
  }

  as(tenant: string): Promise<string> {
    return this.ask("/keys", {
      key: "boss",
      json: { tenant, scopes: ["run", "read", "admin"] },
    }).then(({ json }) => textOf(json["key"]));
  }
}

function refusal(answer: Answer): object {
  const { status, json, headers } = answer;
  const { code, quota, limit, used, resetsAt } = json;
  return { status, code, quota, limit, used, resetsAt, retryAfter: headers.get("retry-after") };
}

/** Makes one thing more, and answers the request. */
type Maker = (world: World, key: string, nth: number) => Promise<Answer>;

const kickoff: Maker = async (world, key, nth) => {
  const answer = await world.ask("/crews/greeting/kickoff", { key, json: { id: `run-${nth}` } });
  await world.clock.settle();
  return answer;
};

const KINDS: ReadonlyArray<
  [keyof Quotas, number, Maker, { readonly resets?: string; readonly parts?: Part[] }]
> = [
  ["runsPerDay", 3, kickoff, { resets: "2026-01-02T00:00:00.000Z" }],
  [
    "openRuns",
    3,
    async (world, key, nth) => {
      const json = { id: `run-${nth}`, inputs: { topic: "tea" } };
      const answer = await world.ask("/flows/review/kickoff", { key, json });
      await world.clock.settle();
      return answer;
    },
    {},
  ],
  [
    "definitions",
    3,
    (world, key, nth) =>
      world.ask(`/crews/stored-${nth}`, {
        key,
        method: "PUT",
        json: {
          agents: { a: { role: "A", goal: "G", backstory: "B" } },
          tasks: [{ name: "t", description: "D", expectedOutput: "E", agent: "a" }],
        },
      }),
    {},
  ],
  [
    "schedules",
    3,
    (world, key, nth) =>
      world.ask("/schedules", {
        key,
        json: { id: `s-${nth}`, cron: "0 7 * * *", target: { kind: "crew", name: "greeting" } },
      }),
    { parts: [triggers()] },
  ],
  [
    "requestsPerMinute",
    3,
    (world, key) => world.ask("/runs", { key }),
    { resets: "2026-01-01T00:01:00.000Z" },
  ],
];

describe("a quota", () => {
  it.each(KINDS)(
    "QUO1: %s: the last that fits is let through, the next is refused, another tenant's is let through (OP4)",
    async (...kind) => {
      const [quota, limit, make, { resets, parts = [] }] = kind;
      const world = new World({ [quota]: limit }, { parts });
      const [acme, other] = [await world.as("acme"), await world.as("other")];
      for (let nth = 0; nth < limit; nth++)
        expect((await make(world, acme, nth)).status).toBeLessThan(300);
      const refused = await make(world, acme, limit);
      expect(refusal(refused)).toEqual({
        status: 429,
        code: "quota_exceeded",
        quota,
        limit,
        used: limit,
        resetsAt: resets,
        retryAfter: expect.stringMatching(/^[1-9]\d*$/),
      });
      expect((await make(world, other, 100)).status).toBeLessThan(300);
      if (resets === undefined) return;
      await world.clock.advance(Date.parse(resets) - world.clock.now());
      expect((await make(world, acme, limit)).status).toBeLessThan(300);
    },
  );

  it("QUO1: lets existing runs and definitions be repeated and replaced (OP4)", async () => {
    const world = new World({ runsPerDay: 1, definitions: 1 });
    const key = await world.as("acme");
    await kickoff(world, key, 0);
    expect((await kickoff(world, key, 0)).status).toBe(202);
    expect((await kickoff(world, key, 1)).status).toBe(429);
    const [, , define] = KINDS[2]!;
    expect((await define(world, key, 0)).status).toBe(201);
    expect((await define(world, key, 0)).status).toBe(200);
  });

  it("QUO1: openRuns: an ended run makes room, after ten seconds at most", async () => {
    const world = new World({ openRuns: 1 });
    const key = await world.as("acme");
    const start = (id: string): Promise<Answer> =>
      world.ask("/flows/review/kickoff", { key, json: { id, inputs: { topic: "tea" } } });
    await start("a");
    await world.clock.settle();
    expect((await start("b")).status).toBe(429);
    await world.ask("/runs/a/cancel", { key, json: {} });
    await world.clock.advance(10_001);
    expect((await start("b")).status).toBe(202);
  });

  it("QUO1: memoryRecords and knowledgeChunks count additions in every place (OP4)", async () => {
    const world = new World({ memoryRecords: 2, knowledgeChunks: 2 });
    const gate = world.services.placeOf("acme").services.quotas;
    const at = new Date(world.clock.now()).toISOString();
    const record = (id: string): MemoryRecord => ({
      id,
      scope: "/",
      content: "tea",
      categories: [],
      metadata: {},
      importance: 0.5,
      private: false,
      createdAt: at,
      lastAccessed: at,
    });
    const records = new D1MemoryRecords(world.db, "acme", gate);
    const save = (op: string, ...ids: string[]): Promise<unknown> =>
      records.apply({ op, atMs: 0, inserts: ids.map(record) });
    await save("one", "a", "b");
    await save("again", "a", "b");
    await expect(save("two", "c")).rejects.toMatchObject({ code: "quota_exceeded" });
    const chunk = (id: string) => ({
      id,
      document: "d",
      ordinal: 0,
      text: "tea",
      start: 0,
      end: 3,
    });
    const store = new D1KnowledgeStore(world.db, "acme", gate);
    await store.putChunks("c", [chunk("a"), chunk("b")]);
    await store.putChunks("c", [chunk("b")]);
    await expect(store.putChunks("c", [chunk("c")])).rejects.toMatchObject({
      code: "quota_exceeded",
      facts: { quota: "knowledgeChunks", limit: 2, used: 2 },
    });
    expect(await new D1MemoryRecords(world.db, "acme").count({})).toBe(2);
  });

  it("QUO1: fileBytes: a body with an excessive length is refused unread (OP4)", async () => {
    const world = new World({ fileBytes: 10 }, { parts: [files({ store: "d1" })] });
    const key = await world.as("acme");
    const put = (bytes: number, size = String(bytes)): Promise<Answer> =>
      world.ask("/files?name=a.txt", {
        key,
        method: "POST",
        body: "x".repeat(bytes),
        headers: { "content-type": "text/plain", "content-length": size },
      });
    expect((await put(6)).status).toBe(201);
    await world.clock.advance(10_001);
    expect(refusal(await put(5))).toMatchObject({ status: 429, quota: "fileBytes", used: 6 });
    expect((await put(4)).status).toBe(201);
    await world.clock.advance(10_001);
    expect((await put(1, "0")).status).toBe(429);
  });

  it("QUO2: a run may consume the rest of the day's tokens, and only then stops (OP4)", async () => {
    const day = new World({ tokensPerDay: 1_000 });
    const key = await day.as("acme");
    const insert = day.db.sqlite.prepare(
      "INSERT INTO usage_days VALUES ('acme', 20454, 'crew', 'x', 'm', 1, ?, 0, 0)",
    );
    insert.run(999);
    const { json } = await day.ask("/crews/briefing/kickoff", {
      key,
      json: { id: "run-1", inputs: { topic: "tea" } },
    });
    expect(json["id"]).toBe("run-1");
    await day.clock.advance(1_000);
    // Its first call is begun with one token left; the second is not.
    const run = await day.ask("/runs/run-1", { key });
    expect(run.json).toMatchObject({
      status: "failed",
      error: { code: "budget_exceeded", message: expect.stringContaining("of at most 1 tokens") },
    });
    expect(run.json["usage"]).toMatchObject({ requests: 1 });
    await day.clock.advance(10_001);
    const refused = await day.ask("/crews/greeting/kickoff", { key, json: {} });
    expect(refusal(refused)).toMatchObject({ status: 429, quota: "tokensPerDay", limit: 1_000 });
    await day.clock.advance(DAY_MS);
    expect((await day.ask("/crews/greeting/kickoff", { key, json: {} })).status).toBe(202);
  });

  it.each([
    ["costUsdPerDay", "2026-01-02T00:00:00.000Z"],
    ["costUsdPerMonth", "2026-02-01T00:00:00.000Z"],
    ["tokensPerMonth", "2026-02-01T00:00:00.000Z"],
  ] as const)(
    "QUO1: %s is counted from the beginning of its time (OP4)",
    async (quota, resetsAt) => {
      const world = new World({ [quota]: 5 });
      const key = await world.as("acme");
      await kickoff(world, key, 0);
      world.db.sqlite.exec(
        `INSERT INTO usage_days VALUES ('acme', 20454, 'crew', 'x', 'm', 1, 5, 0, 5)`,
      );
      await world.clock.advance(10_001);
      expect(refusal(await kickoff(world, key, 1))).toMatchObject({ status: 429, quota, resetsAt });
      await world.clock.advance(Date.parse(resetsAt) - world.clock.now());
      expect((await kickoff(world, key, 1)).status).toBe(202);
    },
  );

  it("asks the rate-limiting binding, when it is bound, for the tenant and the key", async () => {
    const asked: string[] = [];
    const limiter: RateLimit = {
      limit: async ({ key }) => {
        asked.push(key);
        return { success: asked.length < 4 };
      },
    };
    const world = new World({}, { limiter });
    expect((await world.ask("/runs", { key: "boss" })).status).toBe(200);
    const acme = await world.as("acme");
    const { status, json, headers } = await world.ask("/runs", { key: acme });
    expect([status, json["quota"], headers.get("retry-after")]).toEqual([
      429,
      "requestsPerMinute",
      "60",
    ]);
    expect(asked).toEqual([
      "tenant:default",
      "tenant:default",
      "tenant:acme",
      expect.stringMatching(/^key:[0-9a-f]{64}$/),
    ]);
    expect((await world.ask("/healthz")).status).toBe(200);
  });
});

describe("the operator", () => {
  it("QUO3: sets a tenant's quotas over the code's, one by one, and sees the usage", async () => {
    const world = new World({ runsPerDay: 1, definitions: 7 });
    const acme = await world.as("acme");
    await kickoff(world, acme, 0);
    const put = (quotaSet: object, key = "boss"): Promise<Answer> =>
      world.ask("/tenants/acme", { key, method: "PUT", json: { quotas: quotaSet } });
    expect((await put({ runsPerDay: 2 })).json).toEqual({
      tenant: "acme",
      quotas: { runsPerDay: 2, definitions: 7 },
      used: { runsPerDay: 1, definitions: 0 },
    });
    expect((await kickoff(world, acme, 1)).status).toBe(202);
    expect((await kickoff(world, acme, 2)).status).toBe(429);
    expect((await put({ runsPerDay: null })).json["quotas"]).toEqual({ definitions: 7 });
    expect((await kickoff(world, acme, 2)).status).toBe(202);
    expect((await put({ runsPerDay: 9 }, acme)).status).toBe(403);
    expect((await world.ask("/tenants/acme", { key: acme })).status).toBe(403);
    for (const wrong of [{ runsPerDay: -1 }, { runsPerDay: 1.5 }, { runs: 1 }, { fileBytes: "1" }])
      expect((await put(wrong)).status).toBe(400);
    expect((await world.ask("/tenants/a%20b", { key: "boss" })).status).toBe(404);
  });

  it("gets an error for invalid quotas", () => {
    expect(() => quotas({ runsPerDay: -1 })).toThrow(
      "runsPerDay must be a whole number >= 0, got -1",
    );
    expect(() => quotas({ tokensPerDay: 0.5 })).toThrow(EngineError);
    expect(() => quotas({ runs: 1 } as never)).toThrow("runs");
    expect(() => new HttpWorld({ parts: [quotas()] })).toThrow("add it to the parts");
  });
});
