import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { searchResult } from "../base/results.ts";
import { EXA_KEY } from "./exa-key.ts";

const EXA_URL = {
  name: "EXA_BASE_URL",
  description: "another address of Exa's API",
  default: "https://api.exa.ai",
  isPlain: true,
  option: "baseUrl",
} as const satisfies CatalogVariable;

const part = () => z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const domains = () => z.array(z.string());

/** Web pages found by Exa, by meaning. */
export const exaSearch = httpTool({
  className: "ExaSearchTool",
  otherNames: ["EXASearchTool", "exa_search"],
  displayName: "ExaSearchTool",
  group: "search",
  service: "Exa",
  effectClass: "R",
  description:
    "Finds web pages with Exa, by meaning rather than words, with the passages that fit.",
  input: () =>
    z.object({
      search_query: z.string().describe("What to look for"),
      start_published_date: z.string().optional().describe("ISO date"),
      end_published_date: z.string().optional().describe("ISO date"),
      include_domains: domains().optional(),
    }),
  options: () =>
    z.object({
      type: z
        .enum(["auto", "neural", "keyword", "fast", "hybrid", "instant", "deep"])
        .default("auto"),
      content: part().default(false),
      highlights: part().default(true),
      summary: part().default(false),
      numResults: z.int().min(1).max(100).optional(),
      excludeDomains: domains().optional(),
      category: z.string().optional(),
    }),
  takes: {
    query: "search_query",
    num_results: "num_results",
    search_type: "type",
    include_text: "content",
    exclude_domains: "exclude_domains",
    category: "category",
  },
  env: [EXA_KEY, EXA_URL],
  hosts: (_, valueOf) => [new URL(valueOf(EXA_URL.name) ?? "").host],
  hostOptions: ["baseUrl"],
  maxChars: 16_000,
  request: (input, options, io) => ({
    method: "POST",
    url: `${io.value(EXA_URL.name)?.replace(/\/$/, "")}/search`,
    body: {
      query: input.search_query,
      type: options.type,
      numResults: options.numResults,
      category: options.category,
      contents: {
        text: options.content || undefined,
        highlights: options.highlights || undefined,
        summary: options.summary || undefined,
      },
      startPublishedDate: input.start_published_date,
      endPublishedDate: input.end_published_date,
      includeDomains: input.include_domains,
      excludeDomains: options.excludeDomains,
    },
  }),
  answer: () =>
    z.looseObject({
      results: z.array(
        z.looseObject({
          title: z.string().nullish(),
          url: z.string(),
          publishedDate: z.string().nullish(),
          text: z.string().nullish(),
          highlights: z.array(z.string()).nullish(),
          summary: z.string().nullish(),
        }),
      ),
      costDollars: z.looseObject({ total: z.number().optional() }).optional(),
    }),
  result: (answer) => {
    const usd = answer.costDollars?.total;
    return searchResult({
      found: answer.results.map(({ title, url, publishedDate, summary, highlights, text }) => ({
        title: title ?? undefined,
        url,
        date: publishedDate ?? undefined,
        snippet: [summary, highlights?.join(" … "), text].filter(Boolean).join("\n   "),
      })),
      data: answer as never,
      cost: usd === undefined ? undefined : { amount: usd, unit: "usd" },
    });
  },
});
