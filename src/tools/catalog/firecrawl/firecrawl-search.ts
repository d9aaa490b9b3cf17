import * as z from "zod";
import { camelKeys } from "../../../base/camel-case.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { credits, searchResult } from "../base/results.ts";
import { FIRECRAWL, FIRECRAWL_KEY } from "./firecrawl-key.ts";

const SCRAPE_DEFAULTS = { formats: ["markdown"], onlyMainContent: true };
const DEFAULT_TIMEOUT_MS = 60_000;
/** Extra time for the response of a search that used its whole timeout. */
const GRACE_MS = 10_000;

const found = () =>
  z
    .array(
      z.looseObject({
        url: z.string().optional(),
        title: z.string().nullish(),
        description: z.string().nullish(),
        snippet: z.string().nullish(),
        markdown: z.string().nullish(),
        date: z.string().nullish(),
      }),
    )
    .optional();

/** Web pages with their content, found by Firecrawl. */
export const firecrawlSearch = httpTool({
  className: "FirecrawlSearchTool",
  displayName: "Firecrawl web search tool",
  group: "search",
  service: "Firecrawl",
  effectClass: "R",
  description: "Finds web pages with Firecrawl and gives their content as Markdown.",
  input: () => z.object({ query: z.string().describe("What to look for") }),
  options: () => z.object({ config: z.record(z.string(), z.json()).default({}) }),
  env: [FIRECRAWL_KEY],
  hosts: ["api.firecrawl.dev"],
  request: ({ query }, { config }) => {
    const settings = camelKeys(config, ["headers"]) as {
      readonly timeout?: number | null;
      readonly scrapeOptions?: object;
    };
    const timeout = settings.timeout ?? DEFAULT_TIMEOUT_MS;
    return {
      url: `${FIRECRAWL}/search`,
      timeoutMs: timeout + GRACE_MS,
      body: {
        query,
        limit: 5,
        ...settings,
        timeout,
        scrapeOptions: { ...SCRAPE_DEFAULTS, ...settings.scrapeOptions },
      },
    };
  },
  answer: () =>
    z.looseObject({
      success: z.literal(true),
      data: z.looseObject({ web: found(), news: found(), images: found() }),
      creditsUsed: z.number().optional(),
    }),
  result: (answer) => {
    const { web = [], news = [], images = [] } = answer.data;
    return searchResult({
      found: [...web, ...news, ...images].map(
        ({ url, title, description, snippet, markdown, date }) => ({
          url,
          title: title ?? undefined,
          date: date ?? undefined,
          snippet: [description ?? snippet, markdown].filter(Boolean).join("\n"),
        }),
      ),
      data: answer as never,
      cost: credits(answer.creditsUsed),
    });
  },
});
