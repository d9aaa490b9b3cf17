// Answers have the shape of Exa's documentation (docs.exa.ai/reference/search) and of exa-js.
import { expect, it } from "vitest";
import { exaSearch } from "../../../../../src/tools/catalog/exa/exa-search.ts";
import { runWhole } from "../../../../support/cut-off.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  requestId: "b5947044c4b78efa9552a7c89b306d95",
  resolvedSearchType: "neural",
  results: [
    {
      id: "https://tea.example/a",
      title: "Tea",
      url: "https://tea.example/a",
      publishedDate: "2026-01-15T00:00:00.000Z",
      author: "A. Leaf",
      highlights: ["Green.", "Black."],
      score: 0.42,
    },
    { id: "https://tea.example/b", url: "https://tea.example/b", title: null },
  ],
  costDollars: { total: 0.005, search: { neural: 0.005 } },
};
const variables = { EXA_API_KEY: "exa-0123456789" };

toolContract(exaSearch, {
  input: { search_query: "x" },
  variables: { EXA_BASE_URL: "https://exa.example/api/" },
  success: [Response.json(ANSWER)],
  requests: [{ method: "POST", url: "https://exa.example/api/search" }],
  text: "1. Tea (2026-01-15T00:00:00.000Z)\n   https://tea.example/a\n   Green. … Black.",
  data: ANSWER,
});

it("requests highlights since a date, and counts the cost (T26)", async () => {
  const subject = toolSubject(
    exaSearch(),
    { search_query: "x", start_published_date: "2026-01-01" },
    { answers: [Response.json(ANSWER)], variables },
  );
  const { run } = await runWhole(subject);
  expect(subject.requests).toMatchObject([
    {
      url: "https://api.exa.ai/search",
      headers: { "x-api-key": "exa-0123456789" },
    },
  ]);
  expect(subject.requests[0]?.body).toEqual({
    query: "x",
    type: "auto",
    contents: { highlights: true },
    startPublishedDate: "2026-01-01",
  });
  expect(run.output).toMatchObject({
    extras: { cost: { amount: 0.005, unit: "usd" }, usd: 0.005 },
  });
});

it("asks for texts and summaries by its options", async () => {
  const { requests } = await callOf(
    exaSearch({ content: { maxCharacters: 500 }, highlights: false, summary: true, type: "fast" }),
    { search_query: "x", include_domains: ["tea.example"] },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]?.body).toEqual({
    query: "x",
    type: "fast",
    contents: { text: { maxCharacters: 500 }, summary: true },
    includeDomains: ["tea.example"],
  });
});

it("takes the arguments of AG2's exa_search", async () => {
  const { requests } = await callOf(
    exaSearch(),
    {
      query: "x",
      num_results: 10,
      include_text: true,
      exclude_domains: ["b.example"],
      category: "news",
    },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]?.body).toMatchObject({
    query: "x",
    numResults: 10,
    contents: { text: true },
    excludeDomains: ["b.example"],
    category: "news",
  });
  expect(exaSearch.entry.otherNames).toEqual(["EXASearchTool", "exa_search"]);
});

it("keeps addresses of the service in its texts: they are not secrets", async () => {
  const results = [{ url: "https://api.exa.ai/docs", title: "Docs" }];
  const { text } = await callOf(
    exaSearch(),
    { search_query: "x" },
    { answers: [Response.json({ results })], variables },
  );
  expect(text).toContain("https://api.exa.ai/docs");
});
