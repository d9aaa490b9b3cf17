import { expect, it } from "vitest";
import { scrapegraphScrape } from "../../../../../src/tools/catalog/scrapegraph/scrapegraph-scrape.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

toolContract(scrapegraphScrape, {
  input: { website_url: "https://tea.example", user_prompt: "Which teas?" },
  success: [Response.json({ id: "r1", json: { teas: ["green", "black"] }, raw: null })],
  requests: [
    {
      method: "POST",
      url: "https://v2-api.scrapegraphai.com/api/extract",
      body: { url: "https://tea.example", prompt: "Which teas?" },
    },
  ],
  text: '"green"',
  data: { teas: ["green", "black"] },
});

it("reads the older field of answers, and reports an empty one", async () => {
  const variables = { SCRAPEGRAPH_API_KEY: "sgai-0123456789" };
  const input = { website_url: "https://tea.example" };
  const older = await callOf(scrapegraphScrape(), input, {
    answers: [Response.json({ result: { teas: 2 } })],
    variables,
  });
  expect(older.data).toEqual({ teas: 2 });
  expect(older.requests[0]?.headers).toMatchObject({ "sgai-apikey": "sgai-0123456789" });
  const none = await callOf(scrapegraphScrape(), input, {
    answers: [Response.json({ id: "r1", json: null })],
    variables,
  });
  expect(none.failure?.code).toBe("not_found");
});
