import { expect, it } from "vitest";
import { spider } from "../../../../../src/tools/catalog/spider/spider.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const PAGE = {
  url: "https://tea.example/",
  status: 200,
  content: "# Tea\n\nLeaves in hot water.",
  error: null,
  costs: { total_cost: 0.0001 },
};
const variables = { SPIDER_API_KEY: "sk-0123456789" };

toolContract(spider, {
  input: { website_url: "https://tea.example" },
  success: [Response.json([PAGE])],
  requests: [
    {
      method: "POST",
      url: "https://api.spider.cloud/v1/scrape",
      body: {
        url: "https://tea.example",
        request: "smart",
        filter_output_svg: true,
        return_format: "markdown",
      },
    },
  ],
  text: "Leaves in hot water.",
});

it("crawls within a limit, with further parameters, and reports the cost", async () => {
  const { requests, extras, text } = await callOf(
    spider({ mode: "crawl", customParams: { depth: 2 }, config: { DEFAULT_CRAWL_LIMIT: 3 } }),
    { website_url: "https://tea.example" },
    {
      answers: [
        Response.json([PAGE, { ...PAGE, url: "https://tea.example/b", content: "Black." }]),
      ],
      variables,
    },
  );
  expect(requests[0]).toMatchObject({ path: "/v1/crawl", body: { limit: 3, depth: 2 } });
  expect(text).toContain("# https://tea.example/b\n\nBlack.");
  expect(extras).toMatchObject({ cost: { amount: 0.0002, unit: "usd" }, usd: 0.0002 });
});

it("fails when no page could be read", async () => {
  const { failure } = await callOf(
    spider(),
    { website_url: "https://tea.example" },
    {
      answers: [Response.json([{ ...PAGE, status: 525, content: null, error: "no handshake" }])],
      variables,
    },
  );
  expect(failure).toMatchObject({
    code: "failed",
    message: expect.stringContaining("no handshake"),
  });
});
