// Answers have the shape of Bright Data's documentation (docs.brightdata.com, SERP API, parsed JSON), cut short.
import { expect, it } from "vitest";
import { requireEnvVars } from "../../../../../src/tools/env-vars.ts";
import { brightDataSearch } from "../../../../../src/tools/catalog/brightdata/brightdata-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  general: { search_engine: "google", query: "a b" },
  organic: [{ link: "https://tea.example/a", title: "Tea", description: "All of tea.", rank: 1 }],
};
const variables = { BRIGHT_DATA_API_KEY: "bd-0123456789", BRIGHT_DATA_ZONE: "serp1" };

toolContract(brightDataSearch, {
  input: { query: "a b" },
  variables: { BRIGHTDATA_API_URL: "https://api.brightdata.com", BRIGHT_DATA_ZONE: "serp1" },
  success: [Response.json(ANSWER)],
  requests: [{ method: "POST", url: "https://api.brightdata.com/request" }],
  text: "1. Tea\n   https://tea.example/a\n   All of tea.",
  data: ANSWER,
});

async function pageOf(options: object, input: object): Promise<string | undefined> {
  const { requests } = await callOf(brightDataSearch(options), input as never, {
    answers: [Response.json(ANSWER)],
    variables,
  });
  return (requests[0]?.body as { readonly url: string } | undefined)?.url;
}

it("asks for the page of an engine (T29)", async () => {
  const { requests } = await callOf(
    brightDataSearch(),
    { query: "a b" },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]).toMatchObject({
    headers: { authorization: "Bearer bd-0123456789" },
    body: {
      zone: "serp1",
      url: "https://www.google.com/search?q=a%20b&gl=us&hl=en&num=10&brd_json=1",
      format: "raw",
    },
  });
  const { BRIGHT_DATA_ZONE: _, ...withoutZone } = variables;
  expect(() => requireEnvVars([brightDataSearch()], withoutZone)).toThrow("BRIGHT_DATA_ZONE");
  expect(() => requireEnvVars([brightDataSearch({ zone: "z" })], withoutZone)).not.toThrow();
});

it("takes engine, country, kind and device from the call, and else from its options", async () => {
  expect(
    await pageOf(
      { searchEngine: "bing", country: "de", deviceType: "ios" },
      { query: "x", language: "de", search_type: "nws", parse_results: true },
    ),
  ).toBe("https://www.bing.com/search?q=x&gl=de&hl=de&num=10&brd_json=1&tbm=nws&brd_mobile=ios");
  expect(
    await pageOf(
      { searchType: "jobs" },
      { query: "x", search_engine: "yandex", device_type: "mobile" },
    ),
  ).toBe(
    "https://yandex.com/search/?text=x&gl=us&hl=en&num=10&brd_json=1&ibp=htl;jobs&brd_mobile=1",
  );
});

it.each(["https://proxy.example", "https://proxy.example/", "https://proxy.example/request"])(
  "asks at %s when the variable is set",
  async (BRIGHTDATA_API_URL) => {
    const { requests } = await callOf(
      brightDataSearch(),
      { query: "x" },
      { answers: [Response.json(ANSWER)], variables: { ...variables, BRIGHTDATA_API_URL } },
    );
    expect(requests[0]?.url).toBe("https://proxy.example/request");
  },
);

it("returns the page itself when it is not to be parsed", async () => {
  const { text, requests } = await callOf(
    brightDataSearch({ parseResults: false }),
    { query: "x" },
    { answers: [new Response("<html>results</html>")], variables },
  );
  expect(text).toContain("<html>results</html>");
  expect(requests[0]?.body).toMatchObject({
    url: "https://www.google.com/search?q=x&gl=us&hl=en&num=10",
  });
});

it("accepts only a country code as country", async () => {
  const { failure } = await callOf(
    brightDataSearch(),
    { query: "x", country: "us&tbm=isch" },
    { variables },
  );
  expect(failure?.code).toBe("invalid_input");
});
