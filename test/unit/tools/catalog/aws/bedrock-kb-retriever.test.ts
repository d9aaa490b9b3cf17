import { expect, it } from "vitest";
import { bedrockKbRetriever } from "../../../../../src/tools/catalog/aws/bedrock-kb-retriever.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  retrievalResults: [
    {
      content: { text: "Steep for three minutes.", type: "TEXT" },
      location: { type: "S3", s3Location: { uri: "s3://teas/green.md" } },
      score: 0.71,
      metadata: { page: 2 },
    },
    {
      content: { row: [{ columnName: "price", columnValue: "4" }], type: "ROW" },
      location: { type: "SQL", sqlLocation: { query: "SELECT price FROM teas" } },
    },
  ],
  nextToken: "next",
};
const variables = {
  BEDROCK_KB_ID: "KB12345678",
  AWS_REGION: "eu-west-1",
  AWS_DEFAULT_REGION: "us-east-2",
};

toolContract(bedrockKbRetriever, {
  variables,
  input: { query: "How long?" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://bedrock-agent-runtime.eu-west-1.amazonaws.com/knowledgebases/KB12345678/retrieve",
      body: {
        retrievalQuery: { text: "How long?" },
        retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 5 } },
      },
      headers: {
        authorization: expect.stringContaining("/eu-west-1/bedrock/aws4_request"),
      },
    },
  ],
  text: "[s3://teas/green.md]\nSteep for three minutes.",
  data: {
    results: [
      {
        content: "Steep for three minutes.",
        content_type: "text",
        source_type: "S3",
        source_uri: "s3://teas/green.md",
        score: 0.71,
        metadata: { page: 2 },
      },
      {
        content_type: "row",
        source_type: "SQL",
        source_uri: "SELECT price FROM teas",
        row_content: [{ columnName: "price", columnValue: "4" }],
      },
    ],
    nextToken: "next",
  },
});

const keys = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-01234567",
};

it("reports an empty result", async () => {
  const { data, requests } = await callOf(
    bedrockKbRetriever({ knowledgeBaseId: "KB1", numberOfResults: 3 }),
    { query: "How long?" },
    { answers: [Response.json({ retrievalResults: [] })], variables: keys },
  );
  expect(data).toEqual({ message: "No results found for the given query." });
  expect(requests[0]).toMatchObject({
    url: "https://bedrock-agent-runtime.us-east-1.amazonaws.com/knowledgebases/KB1/retrieve",
    body: { retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 3 } } },
  });
});

it("refuses an invalid id, without a request", async () => {
  const { failure, requests } = await callOf(
    bedrockKbRetriever({ knowledgeBaseId: "../agents/x" }),
    { query: "How long?" },
    { variables: keys },
  );
  expect(failure?.code).toBe("bad_request");
  expect(requests).toEqual([]);
});
