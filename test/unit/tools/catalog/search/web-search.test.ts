// Each service answers in the shape that the test of its own tool has: see the folders of the vendors.
import { describe, expect, it } from "vitest";
import { requireEnvVars } from "../../../../../src/tools/env-vars.ts";
import { PROVIDERS } from "../../../../../src/tools/catalog/search/providers.ts";
import { webSearch } from "../../../../../src/tools/catalog/search/web-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const url = "https://tea.example/a";
const SERPER = {
  organic: [{ title: "Tea", link: url, snippet: "All of tea.", date: "2026" }],
  credits: 1,
};

toolContract(webSearch, {
  input: { query: "tea" },
  success: [Response.json(SERPER)],
  requests: [
    { method: "POST", url: "https://google.serper.dev/search", body: { q: "tea", num: 5 } },
  ],
  text: "1. Tea (2026)\n   https://tea.example/a\n   All of tea.",
  data: [{ title: "Tea", url, snippet: "All of tea.", date: "2026" }],
});

const CASES = [
  {
    name: "SERPER_API_KEY",
    answer: SERPER,
    request: {
      headers: { "x-api-key": "key-SERPER_API_KEY" },
      body: { q: "tea (site:a.example OR site:b.example)", num: 3, tbs: "qdr:w" },
    },
  },
  {
    name: "BRAVE_API_KEY",
    answer: {
      web: { results: [{ title: "Tea", url, description: "All of <strong>tea</strong>." }] },
    },
    request: {
      path: "/res/v1/web/search?q=tea+%28site%3Aa.example+OR+site%3Ab.example%29&count=3&result_filter=web&freshness=pw",
      headers: { "x-subscription-token": "key-BRAVE_API_KEY" },
    },
  },
  {
    name: "TAVILY_API_KEY",
    answer: { results: [{ title: "Tea", url, content: "All of tea." }], usage: { credits: 1 } },
    request: {
      headers: { authorization: "Bearer key-TAVILY_API_KEY" },
      body: {
        query: "tea",
        max_results: 3,
        time_range: "week",
        include_domains: ["a.example", "b.example"],
      },
    },
  },
  {
    name: "EXA_API_KEY",
    answer: {
      results: [{ title: "Tea", url, highlights: ["All of tea."] }],
      costDollars: { total: 0.005 },
    },
    request: {
      headers: { "x-api-key": "key-EXA_API_KEY" },
      body: {
        query: "tea",
        numResults: 3,
        startPublishedDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
        includeDomains: ["a.example", "b.example"],
      },
    },
  },
  {
    name: "LINKUP_API_KEY",
    answer: { results: [{ type: "text", name: "Tea", url, content: "All of tea." }] },
    request: {
      headers: { authorization: "Bearer key-LINKUP_API_KEY" },
      body: { q: "tea", maxResults: 3, includeDomains: ["a.example", "b.example"] },
    },
  },
  {
    name: "SERPAPI_API_KEY",
    answer: { organic_results: [{ title: "Tea", link: url, snippet: "All of tea." }] },
    request: {
      path: "/search.json?engine=google&q=tea+%28site%3Aa.example+OR+site%3Ab.example%29&num=3&tbs=qdr%3Aw&api_key=key-SERPAPI_API_KEY",
    },
  },
  {
    name: "FIRECRAWL_API_KEY",
    answer: {
      success: true,
      data: { web: [{ title: "Tea", url, description: "All of tea." }] },
      creditsUsed: 2,
    },
    request: {
      url: "https://api.firecrawl.dev/v2/search",
      headers: { authorization: "Bearer key-FIRECRAWL_API_KEY" },
      body: { query: "tea (site:a.example OR site:b.example)", limit: 3, tbs: "qdr:w" },
    },
  },
] as const;
const keys = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `key-${name}`]));

describe.each(CASES)("with $name", ({ name, answer, request }) => {
  it("asks it, and returns results in the common form", async () => {
    const { requests, data } = await callOf(
      webSearch(),
      { query: "tea", limit: 3, freshness: "week", domains: ["a.example", "b.example"] },
      { answers: [Response.json(answer)], variables: keys([name]) },
    );
    expect(requests).toMatchObject([request]);
    expect(data).toMatchObject([{ title: "Tea", url, snippet: "All of tea." }]);
  });
});

it("asks the first service with a key, and sends it no other key", async () => {
  const names = CASES.map(({ name }) => name);
  expect(PROVIDERS.map(({ key }) => key.name)).toEqual(names);
  for (const [index, { name, answer }] of CASES.entries()) {
    const { requests } = await callOf(
      webSearch(),
      { query: "tea" },
      { answers: [Response.json(answer)], variables: keys(names.slice(index)) },
    );
    expect(new URL(requests[0]?.url ?? "").host).toBe(PROVIDERS[index]?.host);
    const sent = JSON.stringify(requests);
    for (const other of names.filter((each) => each !== name))
      expect(sent).not.toContain(`key-${other}`);
  }
});

it("needs one key of several, before the run begins (T9)", () => {
  expect(() => requireEnvVars([webSearch()], {})).toThrow(
    "one of SERPER_API_KEY, BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, LINKUP_API_KEY, SERPAPI_API_KEY, FIRECRAWL_API_KEY",
  );
  expect(() => requireEnvVars([webSearch()], { EXA_API_KEY: "e" })).not.toThrow();
});

it("reports the cost of a search", async () => {
  const costs = await Promise.all(
    CASES.map(async ({ name, answer }) => {
      const world = { answers: [Response.json(answer)], variables: keys([name]) };
      return (await callOf(webSearch(), { query: "tea" }, world)).extras.cost;
    }),
  );
  expect(costs).toEqual([
    { amount: 1, unit: "credits" },
    undefined,
    { amount: 1, unit: "credits" },
    { amount: 0.005, unit: "usd" },
    undefined,
    undefined,
    { amount: 2, unit: "credits" },
  ]);
});
