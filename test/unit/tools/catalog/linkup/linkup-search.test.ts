// Answers have the shape of Linkup's documentation (docs.linkup.so, endpoint /search) and of linkup-sdk.
import { expect, it } from "vitest";
import { linkupSearch } from "../../../../../src/tools/catalog/linkup/linkup-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const RESULTS = {
  results: [
    { type: "text", name: "Tea", url: "https://tea.example/a", content: "All of tea." },
    { type: "image", name: "A cup", url: "https://tea.example/cup.jpg" },
  ],
};
const variables = { LINKUP_API_KEY: "linkup-0123456789" };

toolContract(linkupSearch, {
  input: { query: "x", depth: "deep" },
  success: [Response.json(RESULTS)],
  requests: [
    {
      method: "POST",
      url: "https://api.linkup.so/v1/search",
      body: { q: "x", depth: "deep", outputType: "searchResults" },
    },
  ],
  text: "1. Tea\n   https://tea.example/a\n   All of tea.",
  data: {
    success: true,
    results: [
      { name: "Tea", url: "https://tea.example/a", content: "All of tea." },
      { name: "A cup", url: "https://tea.example/cup.jpg", content: null },
    ],
  },
});

it("gives an answer and its sources", async () => {
  const answer = {
    answer: "Tea is a drink.",
    sources: [{ name: "Tea", url: "https://tea.example/a", snippet: "A drink." }],
  };
  const { text, data, extras, requests } = await callOf(
    linkupSearch(),
    { query: "x", output_type: "sourcedAnswer" },
    { answers: [Response.json(answer)], variables },
  );
  expect(requests[0]?.headers["authorization"]).toBe("Bearer linkup-0123456789");
  expect(text).toContain("Tea is a drink.\n\n1. Tea\n   https://tea.example/a\n   A drink.");
  expect(data).toEqual(answer);
  expect(extras.sources).toHaveLength(1);
});

it("needs a schema for structured answers", async () => {
  const input = { query: "x", output_type: "structured" };
  const without = await callOf(linkupSearch(), input, { variables });
  expect(without.failure?.code).toBe("bad_request");
  expect(without.requests).toEqual([]);
  const schema = { type: "object", properties: { sort: { type: "string" } } };
  const { requests, data } = await callOf(linkupSearch({ structuredOutputSchema: schema }), input, {
    answers: [Response.json({ sort: "green" })],
    variables,
  });
  expect(requests[0]?.body).toMatchObject({ structuredOutputSchema: JSON.stringify(schema) });
  expect(data).toEqual({ sort: "green" });
});

it("fails when the original returns success: false in its result", async () => {
  const { failure } = await callOf(
    linkupSearch(),
    { query: "x" },
    {
      answers: [
        Response.json(
          {
            statusCode: 400,
            error: { code: "VALIDATION_ERROR", message: "q is too long", details: [] },
          },
          { status: 400 },
        ),
      ],
      variables,
    },
  );
  expect(failure).toMatchObject({
    code: "bad_request",
    message: "Linkup did not accept the request (400): q is too long (VALIDATION_ERROR)",
  });
});
