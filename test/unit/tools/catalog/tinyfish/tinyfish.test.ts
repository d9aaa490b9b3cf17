// Answers have the fields of TinyFish's SDKs and of AG2's tools on them (docs.tinyfish.ai: search-api, fetch-api, agent).
import { describe, expect, it } from "vitest";
import { tinyfishFetch } from "../../../../../src/tools/catalog/tinyfish/tinyfish-fetch.ts";
import { tinyfishScrape } from "../../../../../src/tools/catalog/tinyfish/tinyfish-scrape.ts";
import { tinyfishSearch } from "../../../../../src/tools/catalog/tinyfish/tinyfish-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { TINYFISH_API_KEY: "tf-0123456789" };
const FOUND = {
  query: "tea",
  total_results: 1,
  results: [
    {
      position: 1,
      site_name: "tea.example",
      title: "Tea",
      snippet: "All of tea.",
      url: "https://tea.example/a",
    },
  ],
};
toolContract(tinyfishSearch, {
  input: { query: "tea", location: "DE" },
  success: [Response.json(FOUND)],
  requests: [{ method: "GET", url: "https://api.search.tinyfish.ai/?query=tea&location=DE" }],
  text: "1. Tea\n   https://tea.example/a\n   All of tea.",
  data: FOUND,
});

const PAGES = {
  results: [
    {
      url: "https://tea.example",
      final_url: "https://tea.example/",
      title: "Tea",
      text: "All.",
      format: "markdown",
    },
    { url: "https://tea.example/j", title: null, text: { sort: "green" } },
  ],
  errors: [{ url: "https://gone.example", error: "not found" }],
};
toolContract(tinyfishFetch, {
  input: { urls: ["https://tea.example", "https://gone.example"], format: "markdown" },
  success: [Response.json(PAGES)],
  requests: [
    {
      method: "POST",
      url: "https://api.fetch.tinyfish.ai/",
      body: { urls: ["https://tea.example", "https://gone.example"], format: "markdown" },
    },
  ],
  text: "# Tea\nhttps://tea.example/\nAll.",
  data: PAGES,
});

it("has no pages of private networks read", async () => {
  for (const url of ["http://169.254.169.254/", "file:///etc/passwd"]) {
    const fetched = await callOf(tinyfishFetch(), { urls: [url] }, { variables });
    const scraped = await callOf(tinyfishScrape(), { url, goal: "Read" }, { variables });
    expect([fetched.failure?.code, scraped.failure?.code]).toEqual(["refused", "refused"]);
    expect([...fetched.requests, ...scraped.requests]).toEqual([]);
  }
});

describe("an agent", () => {
  const BEGUN = { run_id: "run-1", error: null };
  const DONE = { run_id: "run-1", status: "COMPLETED", result: { price: "12" }, error: null };
  const input = { url: "https://shop.example", goal: "Find the price" };
  toolContract(tinyfishScrape, {
    input,
    success: [Response.json(BEGUN), Response.json(DONE)],
    requests: [
      {
        method: "POST",
        url: "https://agent.tinyfish.ai/v1/automation/run-async",
        body: input,
      },
      { method: "GET", url: "https://agent.tinyfish.ai/v1/runs/run-1" },
    ],
    text: '"price": "12"',
    data: { ...input, data: { price: "12" } },
    repeats: false,
  });

  it("acts outside, so a person approves it", () => {
    expect(tinyfishScrape().needsApproval).toBe(true);
  });

  it("reports the reason of a failure", async () => {
    const { failure } = await callOf(tinyfishScrape(), input, {
      answers: [
        Response.json(BEGUN),
        Response.json({ status: "RUNNING" }),
        Response.json({ status: "FAILED", error: { message: "blocked" } }),
      ],
      variables,
    });
    expect(failure).toMatchObject({ code: "failed" });
    expect(failure?.message).toContain("blocked");
  });
});
