import { describe, expect, it } from "vitest";
import { runFeed } from "../../../src/entry/run-feed.ts";
import { HttpWorld, textOf, type JsonAnswer } from "../../support/http-app.ts";

async function found(http: HttpWorld, q: string, key?: string): Promise<readonly string[]> {
  const { status, json } = await http.ask(`/runs?q=${encodeURIComponent(q)}`, {
    ...(key === undefined ? undefined : { key }),
  });
  expect(status).toBe(200);
  const items = json["items"] as unknown as readonly JsonAnswer[];
  return items.map((item) => textOf(item["id"])).toSorted();
}

async function world(): Promise<HttpWorld> {
  const http = new HttpWorld({
    script: ({ messages }) => {
      if (JSON.stringify(messages).includes("volcano")) throw new Error("the crater is closed");
      return JSON.stringify(messages).includes("tea") ? "Darjeeling grows high" : "A fine answer";
    },
    parts: [runFeed()],
  });
  const start = (id: string, topic: string, tags: readonly string[] = []): Promise<string> =>
    http.kickoff("briefing", { id, inputs: { topic }, tags });
  await start("order-4711", "green tea OR coffee", ["customer:42"]);
  await start("dessert", "Crème brûlée, near Paris");
  await start("tokyo", "東京の天気");
  await start("lava", "a volcano");
  await http.clock.advance(600_000);
  return http;
}

describe("GET /runs?q=", () => {
  it("finds by words, phrase and prefix, in id, name, tags, inputs, output and error (CA12)", async () => {
    const http = await world();
    expect(await found(http, "coffee")).toEqual(["order-4711"]);
    expect(await found(http, "COFFEE green")).toEqual(["order-4711"]);
    expect(await found(http, "coffee volcano")).toEqual([]);
    expect(await found(http, '"green tea"')).toEqual(["order-4711"]);
    expect(await found(http, '"tea green"')).toEqual([]);
    expect(await found(http, "cof*")).toEqual(["order-4711"]);
    expect(await found(http, "cof")).toEqual([]);
    expect(await found(http, "briefing")).toHaveLength(4);
    expect(await found(http, "customer:42")).toEqual(["order-4711"]);
    expect(await found(http, "darjeeling")).toEqual(["order-4711"]);
    expect(await found(http, "crater")).toEqual(["lava"]);
    expect(await found(http, "topic")).toEqual([]); // a key is no word
  });

  it("RTX1: compares without case and accents, and each character when words have no spaces", async () => {
    const http = await world();
    expect(await found(http, "creme BRULEE")).toEqual(["dessert"]);
    expect(await found(http, "京の")).toEqual(["tokyo"]);
    expect(await found(http, "京天")).toEqual([]);
  });

  it("finds by the beginning of an id of six characters and more (CA12)", async () => {
    const http = await world();
    expect(await found(http, "order-4")).toEqual(["order-4711"]);
    expect(await found(http, "order-9")).toEqual([]);
    expect(await found(http, "toky")).toEqual([]);
  });

  it.each(['"', "*", "NEAR(", "-", '""', "(", "'", "%", "\\"])(
    "RTX2: takes %s as a word, and finds no run without one (CA12)",
    async (q) => {
      expect(await found(await world(), q)).toEqual(q === "NEAR(" ? ["dessert"] : []);
    },
  );

  it("RTX2: OR is a word", async () => {
    const http = await world();
    expect(await found(http, "OR")).toEqual(["order-4711"]);
    expect(await found(http, "volcano OR coffee")).toEqual([]);
  });

  it("finds no run of another tenant (CA12)", async () => {
    const http = await world();
    const { json } = await http.ask("/keys", { json: { tenant: "other", scopes: ["read"] } });
    expect(await found(http, "coffee", textOf(json["key"]))).toEqual([]);
    expect(await found(http, "order-4711", textOf(json["key"]))).toEqual([]);
  });

  it("refuses more than 200 characters and more than ten words", async () => {
    const http = await world();
    for (const q of ["x".repeat(201), "a b c d e f g h i j k"]) {
      const { status, json } = await http.ask(`/runs?q=${encodeURIComponent(q)}`);
      expect(status).toBe(400);
      expect(json["errors"]).toMatchObject([{ path: "/q" }]);
    }
  });

  it("is refused without the part, and no words are stored", async () => {
    const http = new HttpWorld();
    await http.kickoff("briefing", { id: "run-1", inputs: { topic: "tea" } });
    const { status, json } = await http.ask("/runs?q=tea");
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([
      { path: "/q", message: expect.stringContaining("runFeed()") },
    ]);
  });
});
