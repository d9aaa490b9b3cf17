// Answers have the shape of Tavily's documentation (docs.tavily.com, endpoint/extract).
import { expect, it } from "vitest";
import { tavilyExtractor } from "../../../../../src/tools/catalog/tavily/tavily-extractor.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  results: [{ url: "https://tea.example/a", title: "Tea", raw_content: "All of tea.", images: [] }],
  failed_results: [{ url: "https://gone.example", error: "404 Not Found" }],
  response_time: 0.02,
};

toolContract(tavilyExtractor, {
  input: { urls: "https://tea.example/a" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      url: "https://api.tavily.com/extract",
      body: {
        urls: ["https://tea.example/a"],
        extract_depth: "basic",
        include_images: false,
        include_usage: true,
      },
    },
  ],
  text: "# Tea\nhttps://tea.example/a\nAll of tea.\n\nhttps://gone.example could not be read: 404 Not Found",
  data: ANSWER,
});

it("writes https before an address without a scheme, and has no private one read", async () => {
  const variables = { TAVILY_API_KEY: "tvly-0123456789" };
  const { requests } = await callOf(
    tavilyExtractor(),
    { urls: ["tea.example/a"] },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]?.body).toMatchObject({ urls: ["https://tea.example/a"] });
  for (const [urls, code] of [
    ["http://192.168.0.1/", "refused"],
    ["tea leaves", "bad_request"],
  ] as const) {
    const refused = await callOf(tavilyExtractor(), { urls }, { variables });
    expect([refused.failure?.code, refused.requests]).toEqual([code, []]);
  }
});

it("takes at most 20 addresses", async () => {
  const urls = Array.from({ length: 21 }, (_, index) => `https://tea.example/${index}`);
  const { failure, requests } = await callOf(tavilyExtractor(), { urls });
  expect(failure?.code).toBe("invalid_input");
  expect(requests).toEqual([]);
});
