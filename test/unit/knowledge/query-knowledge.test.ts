import { describe, expect, it } from "vitest";
import { indexDocument } from "../../../src/knowledge/index-document.ts";
import type { KnowledgeQuery } from "../../../src/knowledge/knowledge-query.ts";
import { queryKnowledge } from "../../../src/knowledge/query-knowledge.ts";
import { countingEmbedder, inRun, knowledgeService } from "../../support/knowledge-world.ts";

const MANUAL = `# Kettle KX-4410

## Cleaning
Descale the kettle with vinegar every month.

## Warranty
The warranty lasts two years from the day of purchase.

## Spare parts
Order number 99-1874-B is the lid.
`;

async function world(options: Parameters<typeof knowledgeService>[0] = {}) {
  const service = knowledgeService(options);
  const source = { name: "manual.md", text: MANUAL };
  await inRun((scope) => indexDocument(scope, service, { collection: "c", source }));
  const ask = (query: string | readonly string[], more: Partial<KnowledgeQuery> = {}) =>
    queryKnowledge(
      service,
      { collection: "c", queries: typeof query === "string" ? [query] : query, ...more },
      new AbortController().signal,
    );
  return { service, ask };
}

describe("queryKnowledge", () => {
  it("KQ3: returns snippets with their place", async () => {
    const { ask } = await world();
    const { snippets } = await ask("descale the kettle with vinegar", { scoreThreshold: 0.3 });
    expect(snippets[0]).toMatchObject({
      text: expect.stringContaining("Descale"),
      document: { name: "manual.md" },
      heading: "Kettle KX-4410 > Cleaning",
      score: expect.any(Number),
      matched: ["meaning", "words"],
    });
    const { start, end, text } = snippets[0] ?? { start: 0, end: 0, text: "" };
    expect(MANUAL.slice(start, end)).toBe(text);
  });

  it("KQ1: finds numbers and names by their words, when meaning misses them", async () => {
    const { ask } = await world();
    const { snippets } = await ask("99-1874-B", { scoreThreshold: 0.6 });
    expect(snippets).toMatchObject([
      { text: expect.stringContaining("99-1874-B"), score: null, matched: ["words"] },
    ]);
    expect((await ask("99-1874-B", { scoreThreshold: 0.6, hybrid: false })).snippets).toEqual([]);
  });

  it("KQ1: finds a passage whose words are in the one before it", async () => {
    const text = `${"The kettle KX-4410 came to market in spring. ".repeat(4)}\n\nIt weighs 900 grams.`;
    const service = knowledgeService();
    const source = { name: "k.txt", text, chunking: { rule: "blocks", size: 200, overlap: 0 } };
    await inRun((scope) =>
      indexDocument(scope, service, { collection: "c", source } as Parameters<
        typeof indexDocument
      >[2]),
    );
    const { snippets } = await queryKnowledge(
      service,
      { collection: "c", queries: ["kettle grams weigh"], scoreThreshold: 1 },
      new AbortController().signal,
    );
    expect(snippets.map((snippet) => snippet.text).join("\n")).toContain("900 grams");
  });

  it("KQ1: leaves out chunks with only a few words of the question", async () => {
    const { ask } = await world();
    expect(
      (await ask("How long does the parcel from Lisbon to Porto take in warranty?")).snippets,
    ).toEqual([]);
  });

  it("keeps to the limit and the threshold, and takes several phrasings", async () => {
    const { ask } = await world();
    expect((await ask("warranty", { scoreThreshold: 0, limit: 2 })).snippets).toHaveLength(2);
    expect((await ask("kettle", { scoreThreshold: 1, hybrid: false })).snippets).toEqual([]);
    const both = await ask(["order the lid", "how long the warranty lasts"], {
      scoreThreshold: 0.2,
    });
    expect(both.snippets.map(({ heading }) => heading)).toEqual(
      expect.arrayContaining(["Kettle KX-4410 > Warranty", "Kettle KX-4410 > Spare parts"]),
    );
  });

  it("returns an empty list for empty questions and empty collections", async () => {
    const { ask } = await world();
    expect(await ask([])).toEqual({ snippets: [] });
    expect(await ask("  ")).toEqual({ snippets: [] });
    expect((await ask("tea", { collection: "empty" })).snippets).toEqual([]);
  });

  it("KQ2: searches by words alone when the index fails, and reports it", async () => {
    const { service, ask } = await world();
    const open = service.vectors.open.bind(service.vectors);
    Object.assign(service.vectors, {
      open: (collection: Parameters<typeof open>[0]) => {
        const store = open(collection);
        store.query = () => Promise.reject(new Error("index is away"));
        return store;
      },
    });
    const { snippets, degraded } = await ask("descale with vinegar");
    expect(degraded).toBe("index is away");
    expect(snippets).toMatchObject([{ matched: ["words"], score: null }]);
  });

  it("KQ2: searches another model's collection by words, with the reason", async () => {
    const { ask } = await world();
    const embedder = countingEmbedder({ model: "other" });
    const { snippets, degraded } = await ask("descale with vinegar", { embedder });
    expect(degraded).toContain("were made with");
    expect(snippets).toMatchObject([{ matched: ["words"] }]);
  });

  it.each([
    [{ limit: 0 }, /limit must be an integer from 1 to 50, got 0/],
    [{ limit: 51 }, /got 51/],
    [{ scoreThreshold: 1.2 }, /scoreThreshold must be a number from 0 to 1, got 1.2/],
    [{ queries: Array.from({ length: 11 }, () => "x") }, /at most 10 texts, got 11/],
  ])("refuses %j", async (more, message) => {
    const { ask } = await world();
    await expect(ask("x", more)).rejects.toThrow(message);
  });
});
