import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult } from "../base/results.ts";
import { tavilyCost, tavilyRequest, usage, TAVILY_READ } from "./tavily-request.ts";

/** Web pages from Tavily, with extracts of their content. */
export const tavilySearch = httpTool({
  ...TAVILY_READ,
  className: "TavilySearchTool",
  otherNames: ["tavily_search"],
  displayName: "Tavily Search",
  group: "search",
  description: "Finds web pages with Tavily, with the passages that answer a question.",
  input: () => z.object({ query: z.string().describe("What to look for") }),
  options: () =>
    z.object({
      searchDepth: z.enum(["basic", "advanced"]).default("basic"),
      topic: z.enum(["general", "news", "finance"]).default("general"),
      timeRange: z.enum(["day", "week", "month", "year"]).optional(),
      days: z.int().min(1).default(7),
      maxResults: z.int().min(1).max(20).default(5),
      includeDomains: z.array(z.string()).optional(),
      excludeDomains: z.array(z.string()).optional(),
      includeAnswer: z.union([z.boolean(), z.enum(["basic", "advanced"])]).default(false),
      includeRawContent: z.boolean().default(false),
      includeImages: z.boolean().default(false),
      timeout: z.number().positive().default(60),
      maxContentLengthPerResult: z.int().min(1).default(1000),
    }),
  takes: {
    num_results: "max_results",
    search_depth: "search_depth",
    topic: "topic",
    include_answer: "include_answer",
    include_raw_content: "include_raw_content",
    include_domains: "include_domains",
  },
  maxChars: 16_000,
  request: ({ query }, options, io) =>
    tavilyRequest(
      "search",
      {
        query,
        search_depth: options.searchDepth,
        topic: options.topic,
        time_range: options.timeRange,
        days: options.topic === "news" ? options.days : undefined,
        max_results: options.maxResults,
        include_domains: options.includeDomains,
        exclude_domains: options.excludeDomains,
        include_answer: options.includeAnswer,
        include_raw_content: options.includeRawContent,
        include_images: options.includeImages,
        timeout: options.timeout,
      },
      io,
    ),
  answer: () =>
    z.looseObject({
      answer: z.string().nullish(),
      results: z.array(
        z.looseObject({
          title: z.string().nullish(),
          url: z.string(),
          content: z.string().nullish(),
          published_date: z.string().nullish(),
        }),
      ),
      usage: usage(),
    }),
  result: (answer, { options: { maxContentLengthPerResult: most } }) => {
    const results = answer.results.map(({ content, ...rest }) => ({
      ...rest,
      content: content && content.length > most ? `${content.slice(0, most)}...` : content,
    }));
    return searchResult({
      before: [answer.answer ?? undefined],
      found: results.map(({ title, url, content, published_date: date }) => ({
        title: title ?? undefined,
        url,
        snippet: content ?? undefined,
        date: date ?? undefined,
      })),
      data: { ...answer, results } as never,
      cost: tavilyCost(answer.usage),
    });
  },
});
