import { expect, it } from "vitest";
import { weaviateVectorSearch } from "../../../../../src/tools/catalog/weaviate/weaviate-vector-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const SCHEMA = {
  class: "Teas",
  properties: [
    { name: "title", dataType: ["text"] },
    { name: "minutes", dataType: ["int[]"] },
    { name: "grownBy", dataType: ["Farm"] },
    { name: "place", dataType: ["geoCoordinates"] },
  ],
};
const FOUND = { title: "Green", minutes: [3], _additional: { id: "u1", score: "0.9" } };
const options = { collectionName: "teas", weaviateClusterUrl: "https://w.example" };

toolContract(weaviateVectorSearch, {
  options,
  input: { query: 'how "long"?' },
  success: [Response.json(SCHEMA), Response.json({ data: { Get: { Teas: [FOUND] } } })],
  requests: [
    { method: "GET", url: "https://w.example/v1/schema/Teas" },
    {
      method: "POST",
      url: "https://w.example/v1/graphql",
      body: {
        query:
          '{ Get { Teas(hybrid: {query: "how \\"long\\"?", alpha: 0.75}, limit: 3) { title minutes _additional { id score } } } }',
      },
    },
  ],
  text: '"title": "Green"',
  data: [FOUND],
});

const variables = { WEAVIATE_API_KEY: "w-0123456789", OPENAI_API_KEY: "sk-0123456789" };

it("sends both keys to the cluster, and reports its errors", async () => {
  const { requests, failure } = await callOf(
    weaviateVectorSearch({ ...options, weaviateClusterUrl: "w.example", limit: 1, alpha: 0 }),
    { query: "x" },
    {
      answers: [Response.json(SCHEMA), Response.json({ errors: [{ message: "no vectorizer" }] })],
      variables,
    },
  );
  expect(requests[0]?.headers).toMatchObject({
    authorization: "Bearer w-0123456789",
    "x-openai-api-key": "sk-0123456789",
  });
  expect(failure).toMatchObject({ code: "bad_request", message: /no vectorizer/ });
});

it("reports an empty result", async () => {
  const { text, data } = await callOf(
    weaviateVectorSearch(options),
    { query: "x" },
    { answers: [Response.json(SCHEMA), Response.json({ data: { Get: { Teas: [] } } })], variables },
  );
  expect(text).toContain("Nothing was found.");
  expect(data).toEqual([]);
});

it("refuses an invalid name of a collection", () => {
  expect(() => weaviateVectorSearch({ ...options, collectionName: "a) { x } #" })).toThrow(
    /collectionName/,
  );
});
