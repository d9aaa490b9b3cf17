// Answers have the shape of Google's documentation (developers.google.com/custom-search/v1/reference/rest/v1/Search).
import { expect, it } from "vitest";
import { googleSearch } from "../../../../../src/tools/catalog/google/google-search.ts";
import { toolCatalog } from "../../../../../src/tools/catalog/tool-catalog.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  kind: "customsearch#search",
  searchInformation: { totalResults: "1" },
  items: [
    {
      kind: "customsearch#result",
      title: "Tea",
      link: "https://tea.example/a",
      displayLink: "tea.example",
      snippet: "All of tea.",
    },
  ],
};

toolContract(googleSearch, {
  input: { query: "tea" },
  variables: { GOOGLE_SEARCH_ENGINE_ID: "engine-1" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "GET",
      url: "https://www.googleapis.com/customsearch/v1?q=tea&num=10&key=sk-live-0123456789abcdef&cx=engine-1",
    },
  ],
  text: "1. Tea\n   https://tea.example/a\n   All of tea.",
  data: [{ title: "Tea", link: "https://tea.example/a", snippet: "All of tea." }],
});

it("is AG2's google_search (T5)", async () => {
  const named = toolCatalog().make({ name: "google_search", options: {} } as never);
  expect(named).toMatchObject({ tool: { service: "Google", name: "google_search" } });
  const { requests, text } = await callOf(
    googleSearch({ searchApiKey: "key-0123456789", searchEngineId: "mine" }),
    { query: "tea", num_results: 3 },
    { answers: [Response.json({ kind: "customsearch#search" })] },
  );
  expect(requests[0]?.path).toBe("/customsearch/v1?q=tea&num=3&key=key-0123456789&cx=mine");
  expect(text).toContain("Nothing was found.");
});

const variables = { GOOGLE_API_KEY: "key-0123456789", GOOGLE_SEARCH_ENGINE_ID: "e" };
const exceeded = (limit: string): Response =>
  Response.json(
    {
      error: {
        code: 429,
        message: `Quota exceeded for quota metric 'Queries' and limit '${limit}'`,
      },
    },
    { status: 429 },
  );

it("does not ask again when the day's requests are spent", async () => {
  const { failure, requests } = await callOf(
    googleSearch(),
    { query: "tea" },
    { answers: [exceeded("Queries per day")], variables },
  );
  expect(failure?.code).toBe("quota_exceeded");
  expect(requests).toHaveLength(1);
});

it("asks again after a minute's requests are spent", async () => {
  const { failure } = await callOf(
    googleSearch(),
    { query: "tea" },
    { answers: [exceeded("Queries per minute per user"), Response.json(ANSWER)], variables },
  );
  expect(failure).toBeUndefined();
});
