import { expect, it } from "vitest";
import { browserbaseLoad } from "../../../../../src/tools/catalog/browserbase/browserbase-load.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  id: "f1",
  statusCode: 200,
  headers: {},
  content: "<h1>Tea</h1>",
  contentType: "text/html",
  encoding: "utf-8",
};

toolContract(browserbaseLoad, {
  input: { url: "https://tea.example" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://api.browserbase.com/v1/fetch",
      body: { url: "https://tea.example", format: "raw", allowRedirects: true },
    },
  ],
  text: "<h1>Tea</h1>",
  data: ANSWER,
});

it("returns Markdown in place of text, and fails as the page does", async () => {
  const options = {
    variables: { BROWSERBASE_API_KEY: "bb-0123456789" },
    answers: [Response.json({ ...ANSWER, statusCode: 404 })],
  };
  const { requests, failure } = await callOf(
    browserbaseLoad({ textContent: true, proxy: true }),
    { url: "https://tea.example" },
    options,
  );
  expect(requests[0]).toMatchObject({
    body: { format: "markdown", proxies: true },
    headers: { "x-bb-api-key": "bb-0123456789" },
  });
  expect(failure).toMatchObject({ code: "not_found", message: /tea\.example/ });
});
