import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse } from "../base/service-failure.ts";
import {
  bindingFailure,
  bound,
  type AiSearchInstance,
  type AiSearchNamespace,
} from "./bindings.ts";

const NEED = {
  tool: "ai_search",
  name: "AI_SEARCH",
  settings: '[[ai_search]] binding = "AI_SEARCH" and instance_name',
};

const answer = () =>
  z.looseObject({
    search_query: z.string().optional(),
    chunks: z.array(
      z.looseObject({
        score: z.number(),
        text: z.string().default(""),
        item: z.looseObject({ key: z.string() }),
      }),
    ),
  });

/** Passages of the documents in an instance of Cloudflare's AI Search. */
export const aiSearch = catalogTool({
  className: "AiSearchTool",
  otherNames: ["ai_search"],
  displayName: "ai_search",
  group: "search",
  service: "AI Search",
  effectClass: "R",
  description: "Finds passages in the team's documents.",
  input: () => z.object({ query: z.string().max(4000).describe("What to look for") }),
  options: () =>
    z.object({
      /** Instance in a bound namespace. A binding to one instance needs none. */
      instance: z.string().min(1).optional(),
      maxNumResults: z.int().min(1).max(50).default(10),
      matchThreshold: z.number().min(0).max(1).optional(),
    }),
  takes: { max_num_results: "max_num_results", limit: "max_num_results" },
  bindings: [NEED.name],
  check: (services) => void bound(services.aiSearch, NEED),
  maxChars: 16_000,
  untrusted: true,
  run: async ({ query }, { instance, maxNumResults, matchThreshold }, io) => {
    const service = bound(io.services.aiSearch, NEED);
    const target =
      instance === undefined
        ? (service as AiSearchInstance)
        : (service as AiSearchNamespace).get(instance);
    const found = await target
      .search({
        query,
        ai_search_options: {
          retrieval: {
            max_num_results: maxNumResults,
            ...(matchThreshold === undefined ? undefined : { match_threshold: matchThreshold }),
          },
        },
      })
      .catch((error: unknown) => {
        throw bindingFailure(error, { service: "AI Search" });
      });
    const { data } = answer().safeParse(found);
    if (data === undefined) throw badResponse("AI Search");
    const chunks = data.chunks.map(({ score, text, item }) => ({ score, text, key: item.key }));
    return toolResult({
      text:
        chunks.map(({ key, text }, index) => `${index + 1}. ${key}\n${text}`).join("\n\n") ||
        "Nothing was found.",
      data: { chunks },
    });
  },
});
