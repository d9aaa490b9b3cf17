import { expect, it } from "vitest";
import { jinaScrapeWebsite } from "../../../../../src/tools/catalog/jina/jina-scrape-website.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const PAGE =
  "Title: Tea\n\nURL Source: https://tea.example/a\n\nMarkdown Content:\n# Tea\n\nLeaves in hot water.\n";

toolContract(jinaScrapeWebsite, {
  input: { website_url: "tea.example/a?b=1" },
  success: [new Response(PAGE, { headers: { "content-type": "text/plain" } })],
  requests: [{ method: "GET", url: "https://r.jina.ai/https://tea.example/a?b=1" }],
  text: "Leaves in hot water.",
  isText: true,
});

it("works without a key, and sends a configured one", async () => {
  const request = { website_url: "https://tea.example/a" };
  const free = await callOf(jinaScrapeWebsite(), request, { answers: [new Response(PAGE)] });
  expect(free.requests[0]?.headers).not.toHaveProperty("authorization");
  expect(free.extras).toMatchObject({
    sources: [{ url: "https://tea.example/a", title: "Tea" }],
    untrusted: ["tea.example"],
  });
  const paid = await callOf(jinaScrapeWebsite({ apiKey: "key-0123456789" }), request, {
    answers: [new Response(PAGE)],
  });
  expect(paid.requests[0]?.headers).toMatchObject({ authorization: "Bearer key-0123456789" });
});

it.each(["http://10.0.0.1/x", "localhost:3000", "file:///etc/passwd", "not an address"])(
  "sends no request for %s",
  async (website_url) => {
    const { failure, requests } = await callOf(jinaScrapeWebsite(), { website_url });
    expect(["refused", "bad_request"]).toContain(failure?.code);
    expect(requests).toEqual([]);
  },
);

it("reports a page without text", async () => {
  const { failure } = await callOf(
    jinaScrapeWebsite(),
    { website_url: "tea.example" },
    { answers: [new Response(" \n")] },
  );
  expect(failure).toMatchObject({ code: "not_found" });
});
