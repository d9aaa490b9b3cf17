// The request and the answer are those that CrewAI has recorded of firecrawl-py 4.5.0
// (lib/crewai-tools/tests/tools/cassettes/firecrawl_search_tool_test), cut short; `creditsUsed` is of Firecrawl's documentation.
import { expect, it } from "vitest";
import { firecrawlSearch } from "../../../../../src/tools/catalog/firecrawl/firecrawl-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  success: true,
  data: {
    web: [
      {
        url: "https://www.firecrawl.dev/",
        title: "Firecrawl - The Web Data API for AI",
        description: "The web crawling, scraping, and search API for AI.",
        position: 1,
        markdown: "# Turn websites into   LLM-ready data",
      },
    ],
  },
  creditsUsed: 6,
};

toolContract(firecrawlSearch, {
  input: { query: "firecrawl" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://api.firecrawl.dev/v2/search",
      body: {
        query: "firecrawl",
        limit: 5,
        scrapeOptions: { formats: ["markdown"], onlyMainContent: true },
      },
    },
  ],
  text: "1. Firecrawl - The Web Data API for AI\n   https://www.firecrawl.dev/\n   The web crawling, scraping, and search API for AI.\n# Turn websites",
  data: ANSWER,
});

it("takes upstream's settings, in snake_case", async () => {
  const { requests, extras } = await callOf(
    firecrawlSearch({
      config: {
        limit: 2,
        tbs: "qdr:d",
        location: null,
        timeout: null,
        scrape_options: { formats: ["html"], wait_for: 100, headers: { x_own: "1" } },
      },
    }),
    { query: "tea" },
    { answers: [Response.json(ANSWER)], variables: { FIRECRAWL_API_KEY: "fc-0123456789" } },
  );
  expect(requests[0]?.headers["authorization"]).toBe("Bearer fc-0123456789");
  expect(requests[0]?.body).toEqual({
    query: "tea",
    limit: 2,
    tbs: "qdr:d",
    timeout: 60_000,
    scrapeOptions: {
      formats: ["html"],
      onlyMainContent: true,
      waitFor: 100,
      headers: { x_own: "1" },
    },
  });
  expect(extras.cost).toEqual({ amount: 6, unit: "credits" });
});

it("fails when Firecrawl reports no success", async () => {
  const { failure } = await callOf(
    firecrawlSearch(),
    { query: "tea" },
    {
      answers: [Response.json({ success: false, error: "no" })],
      variables: { FIRECRAWL_API_KEY: "fc-0123456789" },
    },
  );
  expect(failure?.code).toBe("bad_response");
});
