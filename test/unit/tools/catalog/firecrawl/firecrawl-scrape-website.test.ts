import { expect, it } from "vitest";
import { firecrawlScrapeWebsite } from "../../../../../src/tools/catalog/firecrawl/firecrawl-scrape-website.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

/** As recorded from the service, but for its texts. */
const ANSWER = {
  success: true,
  data: {
    markdown: "# Turn leaves into tea\n\nPower your afternoon.",
    metadata: {
      title: "Tea",
      sourceURL: "https://firecrawl.dev",
      url: "https://www.firecrawl.dev/",
      statusCode: 200,
      creditsUsed: 1,
    },
  },
};
const variables = { FIRECRAWL_API_KEY: "fc-0123456789" };

toolContract(firecrawlScrapeWebsite, {
  input: { url: "https://firecrawl.dev" },
  success: [Response.json(ANSWER)],
  requests: [{ method: "POST", url: "https://api.firecrawl.dev/v2/scrape" }],
  text: "# Turn leaves into tea",
  data: ANSWER,
});

it("asks with the defaults, and cites the page by its title (T30)", async () => {
  const { requests, extras } = await callOf(
    firecrawlScrapeWebsite(),
    { url: "https://firecrawl.dev" },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]?.body).toEqual({
    url: "https://firecrawl.dev",
    formats: ["markdown"],
    onlyMainContent: true,
    includeTags: [],
    excludeTags: [],
    maxAge: 172800000,
    headers: {},
    waitFor: 0,
    mobile: false,
    skipTlsVerification: true,
    removeBase64Images: true,
    blockAds: true,
    proxy: "auto",
    storeInCache: true,
  });
  expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer fc-0123456789" });
  expect(extras.sources).toEqual([{ url: "https://firecrawl.dev", title: "Tea" }]);
});

it("takes settings in snake_case over the defaults, and leaves names of headers as they are", async () => {
  const { requests, text } = await callOf(
    firecrawlScrapeWebsite({
      config: { formats: ["html"], only_main_content: false, headers: { x_test_header: "1" } },
    }),
    { url: "firecrawl.dev/x" },
    {
      answers: [Response.json({ success: true, data: { html: "<h1>Tea</h1>", metadata: {} } })],
      variables,
    },
  );
  expect(requests[0]?.body).toMatchObject({
    url: "https://firecrawl.dev/x",
    formats: ["html"],
    onlyMainContent: false,
    headers: { x_test_header: "1" },
    blockAds: true,
  });
  expect(text).toContain("<h1>Tea</h1>");
});
