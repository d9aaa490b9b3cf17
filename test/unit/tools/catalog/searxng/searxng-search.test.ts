// Answers have the shape of SearXNG's documentation (docs.searxng.org/dev/search_api).
import { expect, it } from "vitest";
import { searxngSearch } from "../../../../../src/tools/catalog/searxng/searxng-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const page = (index: number): object => ({
  title: `Tea ${index}`,
  url: `https://tea.example/${index}`,
  content: "All of tea.",
  engine: "brave",
  score: 1,
});
const ANSWER = { query: "tea", number_of_results: 0, results: [1, 2, 3, 4, 5, 6].map(page) };

toolContract(searxngSearch, {
  input: { query: "tea", categories: ["general", "news"] },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "GET",
      url: "https://searxng.site/search?q=tea&format=json&language=en-US&categories=general%2Cnews",
    },
  ],
  text: "1. Tea 1\n   https://tea.example/1\n   All of tea.",
  data: [{ title: "Tea 1", link: "https://tea.example/1", snippet: "All of tea." }, {}, {}, {}, {}],
  keyless: true,
});

it("asks the instance of its option", async () => {
  const { requests, data } = await callOf(
    searxngSearch({ baseUrl: "https://search.example/search" }),
    { query: "tea", max_results: 2, language: "de" },
    { answers: [Response.json(ANSWER)] },
  );
  expect(requests[0]?.url).toBe("https://search.example/search?q=tea&format=json&language=de");
  expect(data).toHaveLength(2);
  expect(searxngSearch.entry.hostOptions).toEqual(["baseUrl"]);
});
