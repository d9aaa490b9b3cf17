import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult, listAnswer } from "../base/results.ts";

/** Web pages found by an instance of SearXNG. */
export const searxngSearch = httpTool({
  className: "SearxngSearchTool",
  otherNames: ["searxng_search"],
  displayName: "searxng_search",
  group: "search",
  service: "SearXNG",
  effectClass: "R",
  description: "Finds web pages with several search engines at once: titles, links, snippets.",
  input: () =>
    z.object({
      query: z.string().max(2048).describe("What to look for"),
      max_results: z.int().min(1).max(50).default(5),
      categories: z.array(z.string()).optional().describe("Such as general, news, science"),
      language: z.string().default("en-US"),
    }),
  options: () => z.object({ baseUrl: z.url().default("https://searxng.site/search") }),
  takes: { num_results: "max_results" },
  hosts: ({ baseUrl }) => [new URL(baseUrl).host],
  hostOptions: ["baseUrl"],
  maxChars: 16_000,
  timeoutMs: 10_000,
  request: ({ query: q, categories, language }, { baseUrl }) => ({
    url: baseUrl,
    query: { q, format: "json", language, categories: categories?.join(",") },
  }),
  answer: () =>
    listAnswer("results", {
      title: z.string().default(""),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  result: ({ results }, { input: { max_results: most } }) => {
    const found = results.slice(0, most);
    return searchResult({
      found: found.map(({ title, url, content, publishedDate: date }) => ({
        title,
        url,
        snippet: content ?? undefined,
        date: date ?? undefined,
      })),
      data: found.map(({ title, url: link, content }) => ({ title, link, snippet: content ?? "" })),
    });
  },
});
