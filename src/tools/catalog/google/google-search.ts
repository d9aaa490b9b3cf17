import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult } from "../base/results.ts";

/** Google results through its Custom Search API. */
export const googleSearch = httpTool({
  className: "GoogleSearchTool",
  otherNames: ["google_search"],
  displayName: "google_search",
  group: "search",
  service: "Google",
  effectClass: "R",
  description: "Finds web pages with Google: titles, links, snippets.",
  input: () =>
    z.object({
      query: z.string().max(2048).describe("What to look for"),
      num_results: z.int().min(1).max(10).default(10),
    }),
  options: () => z.object({}),
  env: [
    {
      name: "GOOGLE_API_KEY",
      description: "a key of Google Cloud for the Custom Search API",
      send: { query: "key" },
      option: "searchApiKey",
    },
    {
      name: "GOOGLE_SEARCH_ENGINE_ID",
      description: "the id of a Programmable Search Engine",
      send: { query: "cx" },
      option: "searchEngineId",
      isPlain: true,
    },
  ],
  hosts: ["www.googleapis.com"],
  maxChars: 16_000,
  quota: /per day|daily limit/i,
  request: ({ query: q, num_results: num }) => ({
    url: "https://www.googleapis.com/customsearch/v1",
    query: { q, num },
  }),
  answer: () =>
    z.looseObject({
      kind: z.string().optional(),
      items: z
        .array(
          z.looseObject({
            title: z.string().default(""),
            link: z.string(),
            snippet: z.string().default(""),
          }),
        )
        .default([]),
    }),
  result: ({ items }) =>
    searchResult({
      found: items.map(({ title, link: url, snippet }) => ({ title, url, snippet })),
      data: items.map(({ title, link, snippet }) => ({ title, link, snippet })),
    }),
});
