import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { markupText } from "../base/markup-text.ts";
import { searchResult } from "../base/results.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";

const SAFE = { strict: "1", moderate: "-1", off: "-2" } as const;

/** Web pages from DuckDuckGo, which needs no key and guarantees no results. */
export const duckDuckGoSearch = httpTool({
  className: "DuckDuckGoSearchTool",
  otherNames: ["duckduckgo_search", "DuckDuckSearchTool"],
  displayName: "duckduckgo_search",
  group: "search",
  service: "DuckDuckGo",
  effectClass: "R",
  description: "Finds web pages with DuckDuckGo: titles, links, snippets.",
  input: () =>
    z.object({
      query: z.string().max(500).describe("What to look for"),
      num_results: z.int().min(1).max(30).optional(),
    }),
  options: () =>
    z.object({
      maxResults: z.int().min(1).max(30).default(5),
      region: z.string().default("us-en"),
      safesearch: z.enum(["strict", "moderate", "off"]).default("moderate"),
    }),
  takes: { max_results: "num_results" },
  hosts: ["html.duckduckgo.com"],
  maxChars: 16_000,
  minIntervalMs: 1000,
  request: ({ query: q }, { region: kl, safesearch }) => ({
    url: "https://html.duckduckgo.com/html/",
    body: new URLSearchParams({ q, kl, kp: SAFE[safesearch] }),
    expects: "text",
  }),
  answer: () => z.string(),
  result: (page, { input: { num_results: wanted }, options: { maxResults }, response }) => {
    if (response.status === 202 || /anomaly-modal|challenge-form/.test(page))
      throw serviceFailure({
        code: "unavailable",
        message:
          "DuckDuckGo takes this for a robot and answers nothing. Search with a service that has a key: BraveSearchTool, SerperDevTool, TavilySearchTool.",
      });
    if (!/class="[^"]*(results|no-results)/.test(page)) throw badResponse("DuckDuckGo");
    const found = resultsOf(page).slice(0, wanted ?? maxResults);
    return searchResult({
      found: found.map(({ title, link: url, snippet }) => ({ title, url, snippet })),
      data: found,
    });
  },
});

function resultsOf(page: string): { title: string; link: string; snippet: string }[] {
  const parts = page.split(/class="result__a"/);
  return parts.slice(1).flatMap((part, index) => {
    // The link's other attributes are before or after its class.
    const before = parts[index]?.slice(parts[index].lastIndexOf("<")) ?? "";
    const [attributes = "", rest = ""] = split(part, ">");
    const href = /href="([^"]*)"/.exec(`${before} ${attributes}`)?.[1];
    const link = href === undefined ? undefined : targetOf(markupText(href));
    if (link === undefined) return [];
    const [title = ""] = split(rest, "</a>");
    const [, snippet = ""] = split(split(rest, 'class="result__snippet"')[1] ?? "", ">");
    return [{ title: clean(title), link, snippet: clean(split(snippet, "</a>")[0] ?? "") }];
  });
}

/** Returns the target of DuckDuckGo's own link; undefined for advertisements. */
function targetOf(href: string): string | undefined {
  const base = "https://duckduckgo.com/";
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  if (url.pathname.startsWith("/y.js")) return undefined;
  return url.searchParams.get("uddg") ?? (url.host === "duckduckgo.com" ? undefined : url.href);
}

function split(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + at.length)];
}

function clean(markup: string): string {
  return markupText(markup).replace(/\s+/g, " ").trim();
}
