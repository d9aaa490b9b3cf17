import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";

/** Answers of Perplexity, with their citations. */
export const perplexitySearch = httpTool({
  className: "PerplexitySearchTool",
  otherNames: ["perplexity-search", "perplexity_search", "perplexity_answer"],
  displayName: "perplexity-search",
  group: "search",
  service: "Perplexity",
  effectClass: "R",
  description: "Answers a question from the web with Perplexity, and cites its sources.",
  input: () => z.object({ query: z.string().describe("The question") }),
  options: () =>
    z.object({
      model: z.string().min(1).default("sonar"),
      maxTokens: z.int().min(1).default(1000),
      searchDomainFilter: z.array(z.string()).optional(),
      searchContextSize: z.enum(["low", "medium", "high"]).default("high"),
      searchMode: z.enum(["web", "academic", "sec"]).optional(),
      searchRecencyFilter: z.enum(["hour", "day", "week", "month", "year"]).optional(),
    }),
  env: [
    {
      name: "PERPLEXITY_API_KEY",
      description: "the key of Perplexity's API",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "apiKey",
    },
  ],
  hosts: ["api.perplexity.ai"],
  maxChars: 16_000,
  timeoutMs: 120_000,
  request: ({ query }, options) => ({
    url: "https://api.perplexity.ai/chat/completions",
    body: {
      model: options.model,
      max_tokens: options.maxTokens,
      messages: [
        { role: "system", content: "Answer briefly and precisely." },
        { role: "user", content: query },
      ],
      web_search_options: { search_context_size: options.searchContextSize },
      search_domain_filter: options.searchDomainFilter,
      search_mode: options.searchMode,
      search_recency_filter: options.searchRecencyFilter,
    },
  }),
  answer: () =>
    z.looseObject({
      choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
      citations: z.array(z.string()).nullish(),
      search_results: z
        .array(
          z.looseObject({
            title: z.string().nullish(),
            url: z.string(),
            date: z.string().nullish(),
            snippet: z.string().nullish(),
          }),
        )
        .nullish(),
      usage: z
        .looseObject({ cost: z.looseObject({ total_cost: z.number().optional() }).nullish() })
        .nullish(),
    }),
  result: (answer, { input: { query } }) => {
    const content = answer.choices[0]?.message.content ?? "";
    const results = (answer.search_results ?? []).map(({ title, url, date, snippet }) => ({
      title: title ?? undefined,
      url,
      date: date ?? undefined,
      snippet: snippet ?? undefined,
    }));
    const citations = answer.citations ?? results.map(({ url }) => url);
    const usd = answer.usage?.cost?.total_cost;
    const cited = citations.map((url, index) => `[${index + 1}] ${url}`).join("\n");
    return toolResult({
      text: cited === "" ? content : `${content}\n\n${cited}`,
      data: { query, content, citations, search_results: results } as never,
      sources: sourcesOf(results.length > 0 ? results : citations.map((url) => ({ url }))),
      ...(usd === undefined ? undefined : { cost: { amount: usd, unit: "usd" as const } }),
    });
  },
});
