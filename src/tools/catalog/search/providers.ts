// Services for web_search, in the order of preference: their requests and the places of their results.
import type { CatalogVariable } from "../base/entry.ts";
import type { ToolRequest } from "../base/request.ts";
import { BRAVE_KEY } from "../brave/brave-tool.ts";
import { EXA_KEY } from "../exa/exa-key.ts";
import { FIRECRAWL, FIRECRAWL_KEY } from "../firecrawl/firecrawl-key.ts";
import { LINKUP_KEY } from "../linkup/linkup-key.ts";
import { SERPAPI_KEY } from "../serpapi/serpapi-tool.ts";
import { SERPER_KEY } from "../serper/serper-key.ts";
import { TAVILY_HOSTS, TAVILY_KEY } from "../tavily/tavily-request.ts";

export type Freshness = "day" | "week" | "month" | "year";

export type Search = {
  readonly query: string;
  readonly limit: number;
  readonly freshness: Freshness | undefined;
  readonly domains: readonly string[] | undefined;
  /** Start date of `freshness`: `2026-01-15`. */
  readonly since: string | undefined;
};

export type Provider = {
  readonly key: CatalogVariable;
  readonly host: string;
  readonly request: (search: Search) => ToolRequest;
  /** Path of the list in a response: the names of fields, from the outside in. */
  readonly list: readonly string[];
  /** Fields of an entry. */
  readonly fields: {
    readonly title: string;
    readonly url: string;
    readonly snippet: string;
    readonly date: string;
  };
};

export const PROVIDERS: readonly Provider[] = [
  {
    key: SERPER_KEY,
    host: "google.serper.dev",
    request: (search) => ({
      url: "https://google.serper.dev/search",
      body: { q: withSites(search), num: search.limit, tbs: qdr(search) },
    }),
    list: ["organic"],
    fields: { title: "title", url: "link", snippet: "snippet", date: "date" },
  },
  {
    key: BRAVE_KEY,
    host: "api.search.brave.com",
    request: (search) => ({
      url: "https://api.search.brave.com/res/v1/web/search",
      query: {
        q: withSites(search),
        count: search.limit,
        result_filter: "web",
        freshness: search.freshness && `p${search.freshness[0]}`,
      },
    }),
    list: ["web", "results"],
    fields: { title: "title", url: "url", snippet: "description", date: "page_age" },
  },
  {
    key: TAVILY_KEY,
    host: TAVILY_HOSTS[0] ?? "",
    request: ({ query, limit, freshness, domains }) => ({
      url: "https://api.tavily.com/search",
      body: {
        query,
        max_results: limit,
        time_range: freshness,
        include_domains: domains,
        include_usage: true,
      },
    }),
    list: ["results"],
    fields: { title: "title", url: "url", snippet: "content", date: "published_date" },
  },
  {
    key: EXA_KEY,
    host: "api.exa.ai",
    request: ({ query, limit, since, domains }) => ({
      url: "https://api.exa.ai/search",
      body: {
        query,
        type: "auto",
        numResults: limit,
        contents: { highlights: true },
        startPublishedDate: since,
        includeDomains: domains,
      },
    }),
    list: ["results"],
    fields: { title: "title", url: "url", snippet: "highlights", date: "publishedDate" },
  },
  {
    key: LINKUP_KEY,
    host: "api.linkup.so",
    request: ({ query: q, limit: maxResults, since: fromDate, domains: includeDomains }) => ({
      url: "https://api.linkup.so/v1/search",
      body: {
        q,
        depth: "standard",
        outputType: "searchResults",
        maxResults,
        fromDate,
        includeDomains,
      },
    }),
    list: ["results"],
    fields: { title: "name", url: "url", snippet: "content", date: "date" },
  },
  {
    key: SERPAPI_KEY,
    host: "serpapi.com",
    request: (search) => ({
      url: "https://serpapi.com/search.json",
      query: { engine: "google", q: withSites(search), num: search.limit, tbs: qdr(search) },
    }),
    list: ["organic_results"],
    fields: { title: "title", url: "link", snippet: "snippet", date: "date" },
  },
  {
    key: FIRECRAWL_KEY,
    host: "api.firecrawl.dev",
    request: (search) => ({
      url: `${FIRECRAWL}/search`,
      body: { query: withSites(search), limit: search.limit, tbs: qdr(search) },
    }),
    list: ["data", "web"],
    fields: { title: "title", url: "url", snippet: "description", date: "date" },
  },
];

/** Adds the site filter to the query, in the syntax of search engines. */
function withSites({ query, domains = [] }: Search): string {
  const sites = domains.map((domain) => `site:${domain}`);
  if (sites.length === 0) return query;
  return `${query} ${sites.length === 1 ? sites[0] : `(${sites.join(" OR ")})`}`;
}

/** Returns Google's code for the maximum age of results. */
function qdr({ freshness }: Search): string | undefined {
  return freshness && `qdr:${freshness[0]}`;
}
