import * as z from "zod";
import { camelKeys } from "../../../base/camel-case.ts";
import type { JsonValue } from "../../../base/json.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { credits } from "../base/results.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";
import { FIRECRAWL, FIRECRAWL_KEY } from "./firecrawl-key.ts";
import { firecrawlPage, readPage } from "./firecrawl-page.ts";

const DEFAULTS = {
  maxDiscoveryDepth: 2,
  ignoreSitemap: true,
  limit: 10,
  allowExternalLinks: false,
  allowSubdomains: false,
};
const SCRAPE_DEFAULTS = { formats: ["markdown"], onlyMainContent: true, timeout: 10_000 };
/** Maximum number of response pages, each of at most 10 MB. */
const MAX_ANSWERS = 50;

const crawl = z.looseObject({
  status: z.string(),
  creditsUsed: z.number().optional(),
  next: z.string().nullish(),
  data: z.array(firecrawlPage).default([]),
});

/** Reads the pages of a site through Firecrawl. */
export const firecrawlCrawlWebsite = catalogTool({
  className: "FirecrawlCrawlWebsiteTool",
  displayName: "Firecrawl web crawl tool",
  group: "web",
  service: "Firecrawl",
  effectClass: "R",
  description:
    "Follows the links of a web site from one address on, and gives the pages that it finds as Markdown.",
  input: () => z.object({ url: pageArgument() }),
  options: () => z.object({ config: z.record(z.string(), z.json()).default({}) }),
  fixable: ["url"],
  env: [FIRECRAWL_KEY],
  hosts: ["api.firecrawl.dev"],
  run: async ({ url: page }, { config }, io) => {
    const url = publicAddress(page, io);
    const settings = camelKeys(config, ["headers"]) as { readonly scrapeOptions?: object };
    const scrapeOptions = { ...SCRAPE_DEFAULTS, ...settings.scrapeOptions };
    const { ignoreSitemap, ...body } = { ...DEFAULTS, ...settings, scrapeOptions };
    let ended: z.output<typeof crawl> | undefined;
    const id = await io.poll<string>({
      start: async () => {
        const sitemap = ignoreSitemap ? "skip" : "include";
        const begun = await io.send({ url: `${FIRECRAWL}/crawl`, body: { url, sitemap, ...body } });
        const job = z.looseObject({ success: z.literal(true), id: z.string() });
        const { data } = job.safeParse(begun.body);
        if (data === undefined) throw badResponse("Firecrawl");
        return data.id;
      },
      check: async (job) => {
        const state = await answerOf(io, `${FIRECRAWL}/crawl/${job}`);
        ended = state;
        if (state.status === "completed") return { done: job };
        return ["failed", "cancelled"].includes(state.status)
          ? { failed: `the crawl is ${state.status}` }
          : "running";
      },
      cancel: (job) => ({ method: "DELETE", url: `${FIRECRAWL}/crawl/${job}` }),
      lookAgain: (job) => `GET ${FIRECRAWL}/crawl/${job} tells how it stands`,
    });
    const first = ended ?? (await answerOf(io, `${FIRECRAWL}/crawl/${id}`));
    const pages = [...first.data];
    // Before the crawl has ended, `next` leads to permanently empty responses.
    let { next } = first;
    for (let answers = 1; next && answers < MAX_ANSWERS; answers++) {
      const more = await answerOf(io, next);
      pages.push(...more.data);
      next = more.next;
    }
    if (pages.length === 0)
      throw serviceFailure({ code: "not_found", message: "The crawl has found no pages." });
    return pageResult(
      pages.map((each) => readPage(each, url)),
      { data: { pages } as unknown as JsonValue, cost: credits(first.creditsUsed) },
    );
  },
});

async function answerOf(io: ToolIo, url: string): Promise<z.output<typeof crawl>> {
  const { body } = await io.send({ url, maxBytes: 12 << 20 });
  const { data } = crawl.safeParse(body);
  if (data === undefined) throw badResponse("Firecrawl");
  return data;
}
