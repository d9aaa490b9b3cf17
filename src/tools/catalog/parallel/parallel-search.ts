import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult, listAnswer } from "../base/results.ts";
import { serviceFailure } from "../base/service-failure.ts";

const SEARCH_URL = "https://api.parallel.ai/v1beta/search";

/** Passages of web pages, found by Parallel. */
export const parallelSearch = httpTool({
  className: "ParallelSearchTool",
  displayName: "Parallel Web Search Tool",
  group: "search",
  service: "Parallel",
  effectClass: "R",
  description:
    "Finds passages of web pages with Parallel. Needs an objective, search_queries, or both.",
  input: () =>
    z.object({
      objective: z.string().max(5000).optional().describe("What the search is for, in words"),
      search_queries: z.array(z.string().max(200)).min(1).max(5).optional(),
      processor: z.enum(["base", "pro"]).default("base").describe("pro is slower and better"),
      max_results: z.int().min(1).max(40).default(10),
      max_chars_per_result: z.int().min(100).default(6000),
      source_policy: z.record(z.string(), z.unknown()).optional(),
    }),
  options: () => z.object({ searchUrl: z.url().default(SEARCH_URL) }),
  env: [
    {
      name: "PARALLEL_API_KEY",
      description: "the key of parallel.ai",
      send: { header: "x-api-key" },
      option: "apiKey",
    },
  ],
  hosts: ({ searchUrl }) => [new URL(searchUrl).host],
  hostOptions: ["searchUrl"],
  request: (input, { searchUrl }) => {
    if (!input.objective?.trim() && input.search_queries === undefined)
      throw serviceFailure({
        code: "bad_request",
        message: "Say what to look for: objective, search_queries, or both.",
      });
    return {
      url: searchUrl,
      timeoutMs: input.processor === "pro" ? 90_000 : 30_000,
      body: input,
    };
  },
  answer: () =>
    listAnswer("results", {
      url: z.string(),
      title: z.string().nullish(),
      publish_date: z.string().nullish(),
      excerpts: z.array(z.string()).nullish(),
    }),
  result: (answer) =>
    searchResult({
      found: answer.results.map(({ url, title, publish_date: date, excerpts }) => ({
        url,
        title: title ?? undefined,
        date: date ?? undefined,
        snippet: excerpts?.join("\n   "),
      })),
      data: answer as never,
    }),
});
