// Answers have the shape of Brave's documentation (api-dashboard.search.brave.com/app/documentation), cut short.
import { expect, it } from "vitest";
import { braveSearch } from "../../../../../src/tools/catalog/brave/brave-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  type: "search",
  query: { original: "x", more_results_available: true },
  web: {
    type: "search",
    results: [
      {
        title: "Tea &amp; more",
        url: "https://tea.example/a",
        description: "All of <strong>tea</strong>.",
        extra_snippets: ["Green.", "Black."],
        page_age: "2026-01-02T00:00:00",
      },
      { title: "Plain", url: "https://tea.example/b" },
    ],
  },
};
const variables = { BRAVE_API_KEY: "key-0123456789" };
const world = { answers: [Response.json(ANSWER)], variables };

toolContract(braveSearch, {
  input: { q: "x" },
  success: [Response.json(ANSWER)],
  requests: [{ method: "GET", path: "/res/v1/web/search?q=x&count=10&result_filter=web" }],
  text: "1. Tea & more\n   https://tea.example/a\n   All of tea.",
  data: [
    {
      title: "Tea &amp; more",
      url: "https://tea.example/a",
      description: "All of <strong>tea</strong>.",
      snippets: ["Green.", "Black."],
    },
    { title: "Plain", url: "https://tea.example/b" },
  ],
});

it("leaves out empty arguments (T20)", async () => {
  const { requests, extras } = await callOf(
    braveSearch({ nResults: 10 }),
    { q: "x", country: "null", freshness: "", goggles: [] },
    world,
  );
  expect(requests[0]?.path).toBe("/res/v1/web/search?q=x&count=10&result_filter=web");
  expect(requests[0]?.headers["x-subscription-token"]).toBe("key-0123456789");
  expect(extras.sources?.map(({ url }) => url)).toEqual([
    "https://tea.example/a",
    "https://tea.example/b",
  ]);
});

it("takes its query under three names, the first one first (T21)", async () => {
  for (const input of [{ query: "x" }, { search_query: "x" }, { q: "x", query: "y" }]) {
    const { requests } = await callOf(braveSearch(), input, world);
    expect(new URL(requests[0]?.url ?? "").searchParams.get("q")).toBe("x");
  }
  const { requests, failure } = await callOf(braveSearch(), { q: "x".repeat(401) }, world);
  expect(requests).toEqual([]);
  expect(failure?.code).toBe("invalid_input");
});

it("tries again after about a second when it was too fast (T22)", async () => {
  const tooFast = Response.json(
    { type: "ErrorResponse", error: { code: "RATE_LIMITED", detail: "Too many requests." } },
    { status: 429 },
  );
  const { requests, failure } = await callOf(
    braveSearch(),
    { q: "x" },
    { ...world, answers: [tooFast, Response.json(ANSWER)] },
  );
  expect(failure).toBeUndefined();
  expect(requests).toHaveLength(2);
  const pauseMs = (requests[1]?.atMs ?? 0) - (requests[0]?.atMs ?? 0);
  expect(pauseMs).toBeGreaterThanOrEqual(1000);
  expect(pauseMs).toBeLessThanOrEqual(1250);
});

it.each(["QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"])(
  "gives up when a plan is used up: %s (T22)",
  async (code) => {
    const spent = Response.json(
      { type: "ErrorResponse", error: { code, detail: "Monthly requests are spent." } },
      { status: 429 },
    );
    const { requests, failure } = await callOf(
      braveSearch(),
      { q: "x" },
      { ...world, answers: [spent] },
    );
    expect(requests).toHaveLength(1);
    expect(failure).toMatchObject({ code: "quota_exceeded", retryable: false });
  },
);

it("takes a country, a host and a file of its options", async () => {
  const { requests, files } = await callOf(
    braveSearch({ country: "DE", searchUrl: "https://search.example/web", saveFile: true }),
    { q: "x", result_filter: ["web", "news"], count: 3 },
    world,
  );
  expect(requests[0]?.url).toBe(
    "https://search.example/web?q=x&count=3&country=DE&result_filter=web%2Cnews",
  );
  expect(files.paths).toHaveLength(1);
});

it("returns an empty list for an empty answer", async () => {
  const { text, data } = await callOf(
    braveSearch(),
    { q: "x" },
    { ...world, answers: [Response.json({ type: "search" })] },
  );
  expect(text).toContain("Nothing was found.");
  expect(data).toEqual([]);
});
