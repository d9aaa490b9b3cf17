import { describe, expect, it } from "vitest";
import { runFeed } from "../../../src/entry/run-feed.ts";
import { searchedTexts } from "../../../src/runtime/run-text.ts";
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
  await start("price-ko", "제품의 가격은 250원, 무게 3kg");
  await start("price-hi", "उत्पाद की क़ीमत १,५०० रुपये");
  await start("price-ja", "ﾌﾟﾘﾝﾀの価格");
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
    expect(await found(http, "briefing")).toHaveLength(7);
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
    expect(await found(http, "가격")).toEqual(["price-ko"]);
    expect(await found(http, "कीमत")).toEqual(["price-hi"]);
    expect(await found(http, "कमत")).toEqual([]);
    expect(await found(http, "プリンタ")).toEqual(["price-ja"]);
  });

  it("RTX1: finds numbers without unit and separators, in the digits of any script", async () => {
    const http = await world();
    expect(await found(http, "250")).toEqual(["price-ko"]);
    expect(await found(http, "２５０")).toEqual(["price-ko"]);
    expect(await found(http, "3")).toEqual(["price-ko"]);
    expect(await found(http, "3kg")).toEqual(["price-ko"]);
    expect(await found(http, "1500")).toEqual(["price-hi"]);
    expect(await found(http, "1,500")).toEqual(["price-hi"]);
    expect(await found(http, "25")).toEqual([]);
  });

  it("RTX3: finds runs whose words are stored in the first form", () => {
    const stored = " run 1 가격은 कमत か 東 京 creme 250원 ".normalize("NFKD");
    const matches = (q: string): boolean =>
      searchedTexts(q)?.every((forms) => forms.some((form) => stored.includes(form))) ?? false;
    const queries = ["가격은", "कीमत", "が", "東京", "crème", "250원", "250*"];
    expect(queries.filter((q) => !matches(q))).toEqual([]);
    expect(matches("京東")).toBe(false);
  });

  it("counts the words of a query, not the characters of its scripts", async () => {
    const http = await world();
    expect(await found(http, "제품의 가격은 얼마입니까 알려주세요 부탁드립니다")).toEqual([]);
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
