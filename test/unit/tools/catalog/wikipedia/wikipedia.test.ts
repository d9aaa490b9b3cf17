// Answers have the shape of MediaWiki's documentation (mediawiki.org/wiki/API:Search, Extension:TextExtracts).
import { expect, it } from "vitest";
import { wikipediaPageLoad } from "../../../../../src/tools/catalog/wikipedia/wikipedia-page-load.ts";
import { wikipediaQueryRun } from "../../../../../src/tools/catalog/wikipedia/wikipedia-query-run.ts";
import { callOf, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const hit = (pageid: number, title: string): object => ({
  ns: 0,
  title,
  pageid,
  size: 1000,
  wordcount: 150,
  timestamp: "2026-01-15T10:00:00Z",
});
const FOUND = { batchcomplete: "", query: { search: [hit(1, "Tea"), hit(2, "Empty")] } };
const extract = (pageid: number, text: string): object => ({
  [pageid]: { pageid, ns: 0, title: "T", extract: text },
});
const INTROS = { query: { pages: { ...extract(2, ""), ...extract(1, "Tea is a drink.") } } };

toolContract(wikipediaQueryRun, {
  input: { query: "tea" },
  success: [Response.json(FOUND), Response.json(INTROS)],
  requests: [
    {
      url: "https://en.wikipedia.org/w/api.php?action=query&format=json&list=search&srsearch=tea&srlimit=3&srprop=size%7Cwordcount%7Ctimestamp",
    },
    {
      url: "https://en.wikipedia.org/w/api.php?action=query&format=json&prop=extracts&explaintext=1&exlimit=max&exintro=1&pageids=1%7C2",
    },
  ],
  text: "Page: Tea\nSummary: Tea is a drink.",
  data: ["Page: Tea\nSummary: Tea is a drink."],
  keyless: true,
});

toolContract(wikipediaPageLoad, {
  options: { truncate: 3, top_k: 2 },
  input: { query: "tea" },
  success: [
    Response.json(FOUND),
    Response.json({ query: { pages: extract(1, "Tea is a drink.") } }),
    Response.json({ query: { pages: extract(2, "") } }),
  ],
  requests: [
    { path: expect.stringContaining("srlimit=2") as string },
    { path: expect.stringContaining("exlimit=1&pageids=1") as string },
    { path: expect.stringContaining("exlimit=1&pageids=2") as string },
  ],
  text: "# Tea\nhttps://en.wikipedia.org/?curid=1 (changed 2026-01-15T10:00:00Z)\n\nTea",
  data: [
    {
      page_content: "Tea",
      metadata: {
        source: "https://en.wikipedia.org/?curid=1",
        title: "Tea",
        pageid: "1",
        timestamp: "2026-01-15T10:00:00Z",
        wordcount: "150",
        size: "1000",
      },
    },
  ],
  keyless: true,
});

it("reads the Wikipedia of a language, and no other host", async () => {
  const answers = ({ path }: SeenRequest): Response =>
    Response.json(path.includes("list=search") ? FOUND : INTROS);
  const { requests } = await callOf(
    wikipediaQueryRun({ language: "de" }),
    { query: "Tee" },
    { answers },
  );
  expect(requests.map(({ url }) => new URL(url).host)).toEqual([
    "de.wikipedia.org",
    "de.wikipedia.org",
  ]);
  expect(() => wikipediaQueryRun({ language: "evil.example/" })).toThrow(
    "WikipediaQueryRunTool.language",
  );
});

it("asks for introductions of at most 20 pages at once", async () => {
  const many = Array.from({ length: 45 }, (_, index) => hit(index + 1, `Tea ${index}`));
  const { requests } = await callOf(
    wikipediaQueryRun({ topK: 45 }),
    { query: "tea" },
    {
      answers: ({ path }) =>
        Response.json(path.includes("list=search") ? { query: { search: many } } : INTROS),
    },
  );
  expect(requests).toHaveLength(4);
});

it("reports an empty result", async () => {
  const { text } = await callOf(
    wikipediaPageLoad(),
    { query: "tea" },
    { answers: [Response.json({ query: { search: [] } })] },
  );
  expect(text).toContain("Nothing was found.");
});
