// Answers have the shape of Tavily's documentation (docs.tavily.com, endpoint/search) and of @tavily/core.
import { expect, it } from "vitest";
import { tavilySearch } from "../../../../../src/tools/catalog/tavily/tavily-search.ts";
import { toolCatalog } from "../../../../../src/tools/catalog/tool-catalog.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  query: "x",
  follow_up_questions: null,
  answer: "Tea is a drink.",
  images: [],
  results: [
    {
      title: "Tea",
      url: "https://tea.example/a",
      content: "c".repeat(1500),
      score: 0.98,
      raw_content: null,
    },
  ],
  response_time: 1.67,
  usage: { credits: 1 },
  request_id: "123e4567",
};
const variables = { TAVILY_API_KEY: "tvly-0123456789" };

toolContract(tavilySearch, {
  input: { query: "x" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://api.tavily.com/search",
      body: {
        query: "x",
        search_depth: "basic",
        topic: "general",
        max_results: 5,
        include_answer: false,
        include_raw_content: false,
        include_images: false,
        include_usage: true,
      },
    },
  ],
  text: "Tea is a drink.\n\n1. Tea\n   https://tea.example/a\n   ccc",
});

it("truncates a page's content (T23)", async () => {
  const { data, extras } = await callOf(
    tavilySearch(),
    { query: "x" },
    { answers: [Response.json(ANSWER)], variables },
  );
  const { results } = data as { readonly results: readonly { readonly content: string }[] };
  expect(results[0]?.content).toBe(`${"c".repeat(1000)}...`);
  expect(extras.cost).toEqual({ amount: 1, unit: "credits" });
});

it("works without a key, in keyless mode (T24)", async () => {
  const { requests } = await callOf(
    tavilySearch(),
    { query: "x" },
    { answers: [Response.json(ANSWER)] },
  );
  expect(requests[0]?.headers["x-tavily-access-mode"]).toBe("keyless");
  expect(requests[0]?.headers).not.toHaveProperty("authorization");
  expect(requests[0]?.body).not.toHaveProperty("include_usage");
});

it("has its key in a header, from the variable or the option", async () => {
  const keyed = { answers: [Response.json(ANSWER)], variables };
  for (const [tool, key] of [
    [tavilySearch(), "tvly-0123456789"],
    [tavilySearch({ apiKey: "tvly-9876543210" }), "tvly-9876543210"],
  ] as const) {
    const { requests } = await callOf(tool, { query: "x" }, keyed);
    expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
    expect(requests[0]?.headers).not.toHaveProperty("x-tavily-access-mode");
  }
});

it("does not wait for an hour when the searches without a key are spent (T25)", async () => {
  const spent = Response.json(
    { error: { code: "keyless_limit", message: "Come back later.", retry_after_seconds: 3600 } },
    { status: 429 },
  );
  const { requests, failure } = await callOf(tavilySearch(), { query: "x" }, { answers: [spent] });
  expect(requests).toHaveLength(1);
  expect(failure).toMatchObject({
    code: "rate_limited",
    retryable: true,
    retryAfterMs: 3_600_000,
  });
});

it("takes the arguments of AG2's tavily_search, and hides them (T5)", async () => {
  const tool = tavilySearch();
  const { requests } = await callOf(
    tool,
    { query: "x", num_results: 3, search_depth: "advanced", include_domains: ["tea.example"] },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]?.body).toMatchObject({
    max_results: 3,
    search_depth: "advanced",
    include_domains: ["tea.example"],
  });
  const named = toolCatalog().make({ name: "tavily_search", options: {} } as never);
  expect(named).toMatchObject({ tool: { service: "Tavily", name: "Tavily Search" } });
  expect(Object.keys(tool.parameters["properties"] as object)).toEqual(["query"]);
});

it("asks for days of news alone", async () => {
  const { requests } = await callOf(
    tavilySearch({ topic: "news", days: 3, timeRange: "week" }),
    { query: "x" },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]?.body).toMatchObject({ topic: "news", days: 3, time_range: "week" });
});
