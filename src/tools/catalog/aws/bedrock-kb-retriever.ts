import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { AWS_VARIABLES, awsAccess } from "./aws-access.ts";
import { awsSignature } from "./aws-signature.ts";

const content = z.looseObject({
  text: z.string().optional(),
  type: z.string().optional(),
  byteContent: z.string().optional(),
  row: z.json().optional(),
});
const answer = z.looseObject({
  retrievalResults: z.array(
    z.looseObject({
      content: content.optional(),
      location: z.record(z.string(), z.json()).optional(),
      score: z.number().optional(),
      metadata: z.json().optional(),
    }),
  ),
  nextToken: z.string().optional(),
  guardrailAction: z.string().optional(),
});

/** Passages of a knowledge base of Amazon Bedrock. */
export const bedrockKbRetriever = catalogTool({
  className: "BedrockKBRetrieverTool",
  displayName: "Bedrock Knowledge Base Retriever Tool",
  group: "databases",
  service: "Amazon Bedrock",
  effectClass: "R",
  description: "Finds the passages of a knowledge base that fit a question.",
  input: () => z.object({ query: z.string().min(1).max(1000).describe("What to look for") }),
  options: () =>
    z.object({
      numberOfResults: z.int().min(1).max(100).default(5),
      retrievalConfiguration: z.record(z.string(), z.json()).optional(),
      guardrailConfiguration: z.record(z.string(), z.json()).optional(),
      nextToken: z.string().max(2048).optional(),
    }),
  env: [
    {
      name: "BEDROCK_KB_ID",
      description: "the id of the knowledge base",
      option: "knowledgeBaseId",
      isPlain: true,
    },
    ...AWS_VARIABLES,
  ],
  hosts: ["*.amazonaws.com"],
  run: async ({ query }, options, io) => {
    const id = io.value("BEDROCK_KB_ID") ?? "";
    if (!/^[0-9a-zA-Z]{1,10}$/.test(id))
      throw serviceFailure({
        code: "bad_request",
        message: `${id} is no id of a knowledge base: those are 1 to 10 letters and digits.`,
      });
    const access = awsAccess(io);
    const { numberOfResults, retrievalConfiguration, guardrailConfiguration, nextToken } = options;
    const { body } = await io.send({
      url: `https://bedrock-agent-runtime.${access.region}.amazonaws.com/knowledgebases/${id}/retrieve`,
      body: {
        retrievalQuery: { text: query },
        retrievalConfiguration: retrievalConfiguration ?? {
          vectorSearchConfiguration: { numberOfResults },
        },
        guardrailConfiguration,
        nextToken,
      },
      sign: awsSignature(access, "bedrock"),
    });
    const { data } = answer.safeParse(body);
    if (data === undefined) throw badResponse("Amazon Bedrock");
    const { retrievalResults: found, nextToken: next, guardrailAction } = data;
    if (found.length === 0) return { message: "No results found for the given query." };
    const results = found.map(({ content: passage = {}, location, score, metadata }) => {
      const { text, byteContent, row, type } = passage;
      return withoutBlanks({
        content: text,
        content_type: type?.toLowerCase() ?? "text",
        source_type: location?.["type"],
        source_uri: uriOf(location),
        score,
        metadata,
        byte_content: byteContent,
        row_content: row,
      });
    });
    const texts = results.map((each) => {
      const { source_uri: uri, content: text, row_content: row } = each;
      const shown = typeof text === "string" ? text : JSON.stringify(row ?? "(no text)");
      return typeof uri === "string" ? `[${uri}]\n${shown}` : shown;
    });
    const uris = [...new Set(results.flatMap(({ source_uri: uri }) => uri ?? []))];
    return toolResult({
      text: texts.join("\n\n"),
      data: withoutBlanks({ results, nextToken: next, guardrailAction }),
      sources: sourcesOf(
        uris.map((uri) => ({ url: typeof uri === "string" ? uri : JSON.stringify(uri) })),
      ),
    });
  },
});

/** Returns the origin of a passage, from any kind of source of a knowledge base. */
function uriOf(location: JsonObject | undefined): JsonValue | undefined {
  for (const place of Object.values(location ?? {})) {
    if (!isJsonObject(place)) continue;
    return place["uri"] ?? place["url"] ?? place["query"] ?? place["id"];
  }
  return undefined;
}

function withoutBlanks(fields: Record<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
