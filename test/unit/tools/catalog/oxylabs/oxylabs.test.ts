// Answers have the shape of Oxylabs' documentation (developers.oxylabs.io, Web Scraper API, realtime), cut short.
import { expect, it } from "vitest";
import { oxylabsAmazonSearchScraper } from "../../../../../src/tools/catalog/oxylabs/oxylabs-amazon-search-scraper.ts";
import { oxylabsAmazonProductScraper } from "../../../../../src/tools/catalog/oxylabs/oxylabs-amazon-product-scraper.ts";
import { oxylabsUniversalScraper } from "../../../../../src/tools/catalog/oxylabs/oxylabs-universal-scraper.ts";
import { oxylabsGoogleSearchScraper } from "../../../../../src/tools/catalog/oxylabs/oxylabs-google-search-scraper.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const answer = (content: unknown): object => ({
  results: [
    {
      content,
      created_at: "2026-01-15 10:00:00",
      page: 1,
      url: "https://www.google.com/search?q=tea",
      job_id: "7173957294344910849",
      status_code: 200,
    },
  ],
});
const PARSED = { results: { organic: [{ pos: 1, title: "Tea", url: "https://tea.example" }] } };

toolContract(oxylabsGoogleSearchScraper, {
  input: { query: "tea" },
  success: [Response.json(answer("<html>tea</html>"))],
  requests: [
    {
      method: "POST",
      url: "https://realtime.oxylabs.io/v1/queries",
      body: { source: "google_search", query: "tea" },
    },
  ],
  text: "<html>tea</html>",
});
toolContract(oxylabsAmazonSearchScraper, {
  options: { config: { domain: "de", parse: true, startPage: 2 } },
  input: { query: "teapot" },
  success: [Response.json(answer(PARSED))],
  requests: [
    {
      body: { source: "amazon_search", query: "teapot", domain: "de", parse: true, start_page: 2 },
    },
  ],
  text: '"title": "Tea"',
  data: PARSED,
});

it("shows user and password to Oxylabs alone", async () => {
  const variables = { OXYLABS_USERNAME: "tea-user", OXYLABS_PASSWORD: "tea-password" };
  const token = btoa("tea-user:tea-password");
  const { requests, everything } = await callOf(
    oxylabsGoogleSearchScraper(),
    { query: "tea" },
    {
      answers: ({ headers }) =>
        Response.json({ message: headers["authorization"] }, { status: 400 }),
      variables,
    },
  );
  expect(requests[0]?.headers["authorization"]).toBe(`Basic ${token}`);
  expect(everything).toContain("Oxylabs did not accept the request (400): Basic ***");
  expect(everything).not.toContain(token);
});

toolContract(oxylabsUniversalScraper, {
  input: { url: "tea.example/a" },
  success: [Response.json(answer("<html>tea</html>"))],
  requests: [{ body: { source: "universal", url: "https://tea.example/a" } }],
  text: "<html>tea</html>",
});
toolContract(oxylabsAmazonProductScraper, {
  input: { query: "B0TEAPOT01" },
  success: [Response.json(answer(PARSED))],
  requests: [{ body: { source: "amazon_product", query: "B0TEAPOT01" } }],
  text: '"title": "Tea"',
});

it("has no private address read", async () => {
  const { failure, requests } = await callOf(
    oxylabsUniversalScraper(),
    { url: "http://10.0.0.1/" },
    { variables: { OXYLABS_USERNAME: "tea-user", OXYLABS_PASSWORD: "tea-password" } },
  );
  expect(failure?.code).toBe("refused");
  expect(requests).toEqual([]);
});
