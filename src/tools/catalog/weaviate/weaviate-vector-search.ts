import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { httpsAddress } from "../base/https-address.ts";
import { badResponse, serviceFailure, wordsOf } from "../base/service-failure.ts";

/** Types of properties with values. Other types are objects or references. */
const VALUES = /^(?:text|string|int|number|boolean|date|uuid)(?:\[\])?$/;

const schema = z.looseObject({
  properties: z.array(z.looseObject({ name: z.string(), dataType: z.array(z.string()) })),
});
const answer = z.looseObject({
  data: z.looseObject({ Get: z.record(z.string(), z.array(z.json()).nullable()) }).nullish(),
  errors: z.json().optional(),
});

/** Objects of a Weaviate collection matching a text, by meaning and by words. */
export const weaviateVectorSearch = catalogTool({
  className: "WeaviateVectorSearchTool",
  displayName: "WeaviateVectorSearchTool",
  group: "databases",
  service: "Weaviate",
  effectClass: "R",
  description:
    "Finds the entries of a collection in Weaviate that fit a query, by meaning and words.",
  input: () => z.object({ query: z.string().min(1).describe("What to look for") }),
  options: () =>
    z.object({
      collectionName: z.string().regex(/^[A-Za-z]\w*$/, "letters, digits and _, a letter first"),
      weaviateClusterUrl: z.string().min(1),
      limit: z.int().min(1).max(100).default(3),
      alpha: z.number().min(0).max(1).default(0.75),
    }),
  hostOptions: ["weaviateClusterUrl"],
  env: [
    {
      name: "WEAVIATE_API_KEY",
      description: "the key of the Weaviate cluster",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "weaviateApiKey",
    },
    {
      name: "OPENAI_API_KEY",
      description: "the key with which the cluster embeds queries, where it does that by OpenAI",
      required: false,
      send: { header: "X-OpenAI-Api-Key" },
    },
  ],
  hosts: ({ weaviateClusterUrl }) => [httpsAddress(weaviateClusterUrl).host],
  run: async ({ query }, { collectionName, weaviateClusterUrl, limit, alpha }, io) => {
    const place = `${httpsAddress(weaviateClusterUrl).href.replace(/\/+$/, "")}/v1`;
    const name = collectionName.charAt(0).toUpperCase() + collectionName.slice(1);
    const described = await io.send({ url: `${place}/schema/${name}` });
    const { data: known } = schema.safeParse(described.body);
    if (known === undefined) throw badResponse("Weaviate");
    const properties = known.properties
      .filter(
        ({ name: property, dataType: [type = ""] }) => VALUES.test(type) && /^\w+$/.test(property),
      )
      .map(({ name: property }) => property);
    const hybrid = `hybrid: {query: ${JSON.stringify(query)}, alpha: ${alpha}}, limit: ${limit}`;
    const fields = [...properties, "_additional { id score }"].join(" ");
    const { body } = await io.send({
      url: `${place}/graphql`,
      body: { query: `{ Get { ${name}(${hybrid}) { ${fields} } } }` },
    });
    const { data: found } = answer.safeParse(body);
    if (found === undefined) throw badResponse("Weaviate");
    if (found.errors !== undefined)
      throw serviceFailure({
        code: "bad_request",
        message: `Weaviate did not accept the query: ${wordsOf(found.errors).slice(0, 500)}`,
      });
    const entries = found.data?.Get[name] ?? [];
    return entries.length === 0
      ? toolResult({ text: "Nothing was found.", data: entries })
      : entries;
  },
});
