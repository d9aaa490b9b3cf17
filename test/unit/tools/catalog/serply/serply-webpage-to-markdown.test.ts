import { expect, it } from "vitest";
import { serplyWebpageToMarkdown } from "../../../../../src/tools/catalog/serply/serply-webpage-to-markdown.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

toolContract(serplyWebpageToMarkdown, {
  input: { url: "https://tea.example" },
  success: [new Response("# Tea\n\nLeaves in hot water.")],
  requests: [
    {
      method: "POST",
      url: "https://api.serply.io/v1/request",
      body: { url: "https://tea.example", method: "GET", response_type: "markdown" },
    },
  ],
  text: "Leaves in hot water.",
  isText: true,
});

it("asks from the location in the definition", async () => {
  const { requests } = await callOf(
    serplyWebpageToMarkdown({ proxyLocation: "DE" }),
    { url: "https://tea.example" },
    { answers: [new Response("# Tea")], variables: { SERPLY_API_KEY: "serply-0123456789" } },
  );
  expect(requests[0]?.headers).toMatchObject({
    "x-proxy-location": "DE",
    "x-api-key": "serply-0123456789",
  });
});
