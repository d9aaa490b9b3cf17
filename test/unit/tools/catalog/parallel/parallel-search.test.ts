// Answers have the shape of Parallel's documentation (docs.parallel.ai, api-reference/legacy/search-beta).
import { expect, it } from "vitest";
import { parallelSearch } from "../../../../../src/tools/catalog/parallel/parallel-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  search_id: "search_1",
  results: [
    {
      url: "https://tea.example/a",
      title: "Tea",
      publish_date: "2026-01-15",
      excerpts: ["Green.", "Black."],
    },
  ],
};

toolContract(parallelSearch, {
  input: { objective: "Sorts of tea", search_queries: ["tea sorts"] },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://api.parallel.ai/v1beta/search",
      body: {
        objective: "Sorts of tea",
        search_queries: ["tea sorts"],
        processor: "base",
        max_results: 10,
        max_chars_per_result: 6000,
      },
    },
  ],
  text: "1. Tea (2026-01-15)\n   https://tea.example/a\n   Green.\n   Black.",
  data: ANSWER,
});

it("sends no request without an objective or queries", async () => {
  const { failure, requests } = await callOf(
    parallelSearch(),
    { objective: " " },
    { variables: { PARALLEL_API_KEY: "p-0123456789" } },
  );
  expect(failure?.code).toBe("bad_request");
  expect(requests).toEqual([]);
});
