import { expect, it } from "vitest";
import { scrapflyScrapeWebsite } from "../../../../../src/tools/catalog/scrapfly/scrapfly-scrape-website.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  config: { url: "https://tea.example" },
  context: { cost: { total: 6, details: [] } },
  result: {
    content: "# Tea\n\nLeaves in hot water.",
    format: "markdown",
    status_code: 200,
    success: true,
    url: "https://tea.example/",
  },
};
const variables = { SCRAPFLY_API_KEY: "scp-live-0123456789" };
const input = { url: "https://tea.example" };

toolContract(scrapflyScrapeWebsite, {
  input,
  success: [Response.json(ANSWER)],
  requests: [{ method: "GET", url: expect.stringContaining("https://api.scrapfly.io/scrape?") }],
  text: "Leaves in hot water.",
  data: ANSWER,
});

it("puts the page, its form and further settings into the query, with the key", async () => {
  const { requests, extras } = await callOf(
    scrapflyScrapeWebsite({ scrapeConfig: { render_js: true, headers: { a: "b" } } }),
    { ...input, scrape_format: "text" },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(Object.fromEntries(new URL(requests[0]?.url ?? "").searchParams)).toEqual({
    render_js: "true",
    headers: '{"a":"b"}',
    url: "https://tea.example",
    format: "text",
    key: "scp-live-0123456789",
  });
  expect(extras.cost).toEqual({ amount: 6, unit: "credits" });
});

it("fails for a failed page, and only notes it with the option", async () => {
  const failed = (): Response =>
    Response.json({
      result: { success: false, content: "", error: { message: "the page refused" } },
    });
  const strict = await callOf(scrapflyScrapeWebsite(), input, { answers: [failed()], variables });
  expect(strict.failure).toMatchObject({ code: "failed" });
  const lenient = await callOf(
    scrapflyScrapeWebsite(),
    { ...input, ignore_scrape_failures: true },
    { answers: [failed()], variables },
  );
  expect(lenient.failure).toBeUndefined();
  expect(lenient.text).toContain("the page refused");
  expect(lenient.data).toBe("");
  const refused = await callOf(scrapflyScrapeWebsite({ ignoreScrapeFailures: true }), input, {
    answers: [new Response("no", { status: 401 })],
    variables,
  });
  expect(refused.failure?.code).toBe("unauthorized");
});
