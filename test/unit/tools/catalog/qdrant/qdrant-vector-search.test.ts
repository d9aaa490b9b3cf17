import { expect, it } from "vitest";
import { qdrantVectorSearch } from "../../../../../src/tools/catalog/qdrant/qdrant-vector-search.ts";
import { NamedTools } from "../../../../../src/tools/catalog/tool-catalog.ts";
import { callOf, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const POINTS = {
  result: {
    points: [
      {
        id: 1,
        score: 0.82,
        payload: { text: "Steep for three minutes.", metadata: { page: 2 }, kind: "green" },
      },
      { id: "x", score: 0.4, payload: null },
    ],
  },
  status: "ok",
  time: 0.001,
};
const embedder = async (texts: readonly string[]): Promise<number[][]> =>
  texts.map((text) => [text.length, 1]);
const options = { qdrantUrl: "https://q.example:6333", collectionName: "teas", embedder };

toolContract(qdrantVectorSearch, {
  options,
  input: { query: "how long?" },
  success: [Response.json(POINTS)],
  requests: [
    {
      method: "POST",
      url: "https://q.example:6333/collections/teas/points/query",
      body: { query: [9, 1], limit: 3, score_threshold: 0.35, with_payload: true },
      headers: { "api-key": "sk-live-0123456789abcdef" },
    },
  ],
  text: "Steep for three minutes.",
  data: [
    { distance: 0.82, metadata: { page: 2 }, context: "Steep for three minutes." },
    { distance: 0.4, metadata: {}, context: "" },
  ],
});

it("reads CrewAI's form of its options, and adds the call's filters", async () => {
  const made = qdrantVectorSearch.entry.make({
    qdrant_config: {
      qdrant_url: "q.example",
      qdrant_api_key: "key-0123456789",
      collection_name: "my teas",
      limit: 5,
      filter: { must: [{ key: "year", match: { value: 2026 } }] },
    },
    embedder,
  });
  const { requests } = await callOf(
    made.tool,
    { query: "how long?", filter_by: "kind", filter_value: "green" },
    { answers: [Response.json({ result: { points: [] } })] },
  );
  expect(made.warnings).toEqual([]);
  expect(requests[0]).toMatchObject({
    url: "https://q.example/collections/my%20teas/points/query",
    headers: { "api-key": "key-0123456789" },
    body: {
      limit: 5,
      filter: {
        must: [
          { key: "year", match: { value: 2026 } },
          { key: "kind", match: { value: "green" } },
        ],
      },
    },
  });
});

it("embeds the query with CrewAI's default model", async () => {
  const answers = ({ url }: SeenRequest): Response =>
    url.includes("openai.com")
      ? Response.json({ data: [{ index: 0, embedding: [0.25, 0.5] }], usage: {} })
      : Response.json({ result: { points: [] } });
  const { requests, text } = await callOf(
    qdrantVectorSearch({ qdrantUrl: "https://q.example", collectionName: "teas" }),
    { query: "how long?" },
    { answers, variables: { OPENAI_API_KEY: "sk-0123456789" } },
  );
  expect(requests[0]).toMatchObject({
    url: "https://api.openai.com/v1/embeddings",
    body: { model: "text-embedding-3-large" },
  });
  expect(requests[1]?.body).toMatchObject({ query: [0.25, 0.5] });
  expect(text).toContain("Nothing was found.");
});

it("wants a field and its value together", async () => {
  const { failure, requests } = await callOf(
    qdrantVectorSearch(options),
    { query: "how long?", filter_by: "kind" },
    {},
  );
  expect(failure?.code).toBe("bad_request");
  expect(requests).toEqual([]);
});

it("TCO4: keeps stored definitions from naming hosts and holding keys in a group of options", () => {
  const catalog = new NamedTools([qdrantVectorSearch.entry], { hosts: ["q.example"] });
  const make = (config: Record<string, string | object>): unknown =>
    catalog.make({
      name: "QdrantVectorSearchTool",
      options: { qdrant_config: { collection_name: "teas", ...config } },
      fromData: true,
      asksNobody: false,
    });
  expect(make({ qdrant_url: "https://q.example" })).toHaveProperty("tool");
  expect(make({ qdrant_url: "https://evil.example" })).toMatchObject({ refused: /hosts/ });
  expect(make({ qdrant_url: "q.example", qdrant_api_key: "sk-1" })).toMatchObject({
    refused: /holds no secret/,
  });
});
