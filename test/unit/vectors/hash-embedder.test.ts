import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/base/sha256.ts";
import { hashEmbedder } from "../../../src/vectors/hash-embedder.ts";
import { cosine } from "../../support/vector-store.suite.ts";

const { signal } = new AbortController();

async function embed(...texts: readonly string[]): Promise<readonly Float32Array[]> {
  return hashEmbedder().embed(texts, { signal });
}

async function likeness(one: string, other: string): Promise<number> {
  const [a = new Float32Array(), b = new Float32Array()] = await embed(one, other);
  return cosine(a, b);
}

describe("the offline embedder", () => {
  it("makes unit vectors of 384 dimensions, always the same", async () => {
    const texts = ["The edge of the network", "", "!!!", "日本語のテキスト", "a ".repeat(10_000)];
    const vectors = await embed(...texts);
    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(384);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    expect(await embed(...texts)).toEqual(vectors);
    const [first = new Float32Array()] = vectors;
    expect([...first].filter((value) => value !== 0).length).toBeGreaterThan(10);
  });

  it("treats a text as equal in any case, accents and punctuation", async () => {
    expect(await likeness("Café Zürich", "cafe, ZURICH!")).toBeCloseTo(1, 5);
  });

  it.each([
    ["The customer prefers invoices by email", "Customers preferring emailed invoices"],
    ["Deploying the worker failed on Tuesday", "The deployment of workers fails on Tuesdays"],
    ["Our database runs on SQLite", "What do our databases run on?"],
    ["The release is planned for the 3rd of May 2026", "When is the release planned? May 2026"],
  ])("puts %j nearer to %j than to other texts", async (one, paraphrase) => {
    const near = await likeness(one, paraphrase);
    expect(near).toBeGreaterThan(0.45);
    for (const other of [
      "The cat sleeps on the sofa in the sun",
      "Prices of coffee rose by a tenth last year",
      "She plays the violin in an orchestra",
    ]) {
      expect(await likeness(one, other)).toBeLessThan(near / 2);
    }
  });

  it("HE1: never changes the vector of a document", async () => {
    const [vector = new Float32Array()] = await embed("Acme pays by invoice, within 30 days.");
    expect(sha256Hex(Array.from(vector, (value) => value.toFixed(5)).join(" "))).toBe(
      "3aaea5e64eb4272c89b7ee7d2a115e8d06dbc735bc05eb1f9ac3a084c8df77a5",
    );
  });

  it("HE1: keeps the features of words in scripts with spaces, also beside numbers and signs", async () => {
    const texts = ["Don't pay €1,500.25 for SKU-1400 (v1.2.3)!", "Überraschung für Ἀθήνα и Ёлка"];
    const vectors = await embed(...texts);
    expect(
      vectors.map((vector) =>
        sha256Hex(Array.from(vector, (value) => value.toFixed(5)).join(" ")).slice(0, 16),
      ),
    ).toEqual(["8e5d5a029c3d9eff", "e6d9f7c08db1ba5d"]);
  });

  it.each([
    ["返品", "返品は三十日以内に限ります。"],
    ["返品は何日以内ですか", "返品は三十日以内に限ります。"],
    ["价格", "产品价格为二百五十元。"],
    ["产品的价格是多少", "产品价格为二百五十元。"],
    ["退货", "退货须在三十天内进行。"],
    ["คืนสินค้า", "สามารถคืนสินค้าได้ภายในสามสิบวัน"],
    ["가격", "제품의 가격은 오천원입니다."],
    ["반품 기간", "반품은 삼십일 이내에 가능합니다."],
    ["मूल्य क्या है", "उत्पाद का मूल्य दो सौ रुपये है"],
    ["ما هو سعر المنتج؟", "سعرُ المُنتَجِ مئتا ريال"],
    ["250", "ab 250円"],
    ["Was ist der Preis?", "Der Preis beträgt dreißig Euro."],
  ])("finds %s in %s, and in no other language", async (question, text) => {
    const embedder = hashEmbedder();
    const { compare, similarity } = embedder;
    const others = [
      "The cat sleeps on the sofa",
      "配送には五営業日かかります。",
      "配送需要五个工作日。",
      "จัดส่งภายในห้าวันทำการ",
      "배송은 다섯 영업일이 걸립니다.",
    ];
    const [near = 0, ...far] = compare?.(question, [text, ...others]) ?? [];
    expect(near).toBeGreaterThan(similarity?.related ?? 1);
    for (const each of far) expect(each).toBeLessThan(near / 2);
    const [asked = new Float32Array()] = await embedder.embed([question], {
      signal,
      purpose: "query",
    });
    const [found = new Float32Array()] = await embed(text);
    expect(cosine(asked, found)).toBeGreaterThan(similarity?.related ?? 1);
  });

  it("HE2: in a question rare words say more than common ones", async () => {
    const { compare } = hashEmbedder();
    const question = "Which company makes samovars?";
    const [rare = 0, common = 0] =
      compare?.(question, ["samovars of silver", "company of tin"]) ?? [];
    expect(rare).toBeGreaterThan(1.5 * common);
    const [asked = new Float32Array()] = await hashEmbedder().embed([question], {
      signal,
      purpose: "query",
    });
    const [one = new Float32Array(), other = new Float32Array()] = await embed(
      "samovars of silver",
      "company of tin",
    );
    expect(cosine(asked, one)).toBeGreaterThan(1.2 * cosine(asked, other));
  });

  it("HE3: compares unrelated texts as 0, and a text with itself as near", async () => {
    const { compare } = hashEmbedder();
    const texts = ["quick brown foxes", "Zürich", "!!!"];
    const [none = 1, ...others] = compare?.("invoices by mail", texts) ?? [];
    expect(none).toBe(0);
    expect(others).toEqual([0, 0]);
    expect(compare?.("Zurich", ["ZÜRICH"])[0]).toBeGreaterThan(0.9);
    expect(compare?.("", [""])[0]).toBeCloseTo(1, 5);
  });

  it("gives little weight to frequent words", async () => {
    expect(await likeness("it is in the of and", "the cat is in the garden")).toBeLessThan(0.35);
    expect(await likeness("the cat is in the garden", "cat, garden")).toBeGreaterThan(0.7);
  });

  it("stops when its signal is aborted", async () => {
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(hashEmbedder().embed(["a"], { signal: aborted })).rejects.toThrow("enough");
  });
});
