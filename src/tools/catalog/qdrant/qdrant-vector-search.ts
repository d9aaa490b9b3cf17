import * as z from "zod";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { httpsAddress } from "../base/https-address.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { asItIs } from "../documents/search-options.ts";
import { queryVector, type EmbedderSpec } from "./query-vector.ts";

const answer = z.looseObject({
  result: z.looseObject({
    points: z.array(
      z.looseObject({ score: z.number(), payload: z.record(z.string(), z.json()).nullish() }),
    ),
  }),
});

/** Points of a Qdrant collection nearest to a text. */
export const qdrantVectorSearch = catalogTool({
  className: "QdrantVectorSearchTool",
  displayName: "QdrantVectorSearchTool",
  group: "databases",
  service: "Qdrant",
  effectClass: "R",
  description: "Finds the documents of a collection in Qdrant that are most like a query.",
  input: () =>
    z.object({
      query: z.string().min(1).describe("What to look for"),
      filter_by: z.string().optional().describe("A field that documents are filtered by"),
      filter_value: z
        .union([z.string(), z.number(), z.boolean()])
        .optional()
        .describe("The value of that field"),
    }),
  options: () =>
    z.object({
      qdrantUrl: z.string().min(1),
      collectionName: z.string().min(1),
      limit: z.int().min(1).max(100).default(3),
      scoreThreshold: z.number().default(0.35),
      filter: z.record(z.string(), z.json()).optional(),
      embedder: asItIs<EmbedderSpec>(),
    }),
  optionGroups: ["qdrantConfig"],
  hostOptions: ["qdrantUrl"],
  env: [
    {
      name: "QDRANT_API_KEY",
      description: "the key of the Qdrant cluster",
      required: false,
      send: { header: "api-key" },
      option: "qdrantApiKey",
    },
  ],
  hosts: ({ qdrantUrl }) => [httpsAddress(qdrantUrl).host],
  run: async ({ query, filter_by: field, filter_value: value }, options, io) => {
    const { qdrantUrl, collectionName, limit, scoreThreshold, filter = {} } = options;
    if ((field === undefined) !== (value === undefined))
      throw serviceFailure({
        code: "bad_request",
        message: "filter_by and filter_value are used together.",
      });
    const { must = [] } = filter;
    const conditions = [must].flat();
    if (field !== undefined) conditions.push({ key: field, match: { value: value ?? null } });
    const { body } = await io.send({
      url: `${httpsAddress(qdrantUrl).href.replace(/\/+$/, "")}/collections/${encodeURIComponent(collectionName)}/points/query`,
      body: {
        query: await queryVector(io, options.embedder, query),
        limit,
        score_threshold: scoreThreshold,
        with_payload: true,
        filter: conditions.length === 0 ? options.filter : { ...filter, must: conditions },
      },
    });
    const { data } = answer.safeParse(body);
    if (data === undefined) throw badResponse("Qdrant");
    const found = data.result.points.map(({ score, payload }) => ({
      distance: score,
      metadata: objectOr(payload?.["metadata"]),
      context: payload?.["text"] ?? "",
    }));
    return found.length === 0 ? toolResult({ text: "Nothing was found.", data: found }) : found;
  },
});

function objectOr(value: JsonValue | undefined): JsonValue {
  return isJsonObject(value) ? value : {};
}
