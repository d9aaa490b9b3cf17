import * as z from "zod";
import { camelKeys } from "../../../base/camel-case.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";
import { FIRECRAWL, FIRECRAWL_KEY } from "./firecrawl-key.ts";
import { firecrawlPage, readPage } from "./firecrawl-page.ts";

const DEFAULTS = {
  formats: ["markdown"],
  onlyMainContent: true,
  includeTags: [],
  excludeTags: [],
  maxAge: 172_800_000,
  headers: {},
  waitFor: 0,
  mobile: false,
  skipTlsVerification: true,
  removeBase64Images: true,
  blockAds: true,
  proxy: "auto",
  storeInCache: true,
};

/** Reads a page as Markdown through Firecrawl. */
export const firecrawlScrapeWebsite = catalogTool({
  className: "FirecrawlScrapeWebsiteTool",
  displayName: "Firecrawl web scrape tool",
  group: "web",
  service: "Firecrawl",
  effectClass: "R",
  description: "Reads a web page with a browser and gives its main content as Markdown.",
  input: () => z.object({ url: pageArgument() }),
  options: () => z.object({ config: z.record(z.string(), z.json()).default({}) }),
  fixable: ["url"],
  env: [FIRECRAWL_KEY],
  hosts: ["api.firecrawl.dev"],
  timeoutMs: 60_000,
  run: async ({ url: page }, { config }, io) => {
    const url = publicAddress(page, io);
    const settings = camelKeys(config, ["headers"]) as object;
    const { body } = await io.send({
      url: `${FIRECRAWL}/scrape`,
      body: { url, ...DEFAULTS, ...settings },
    });
    const answer = z.looseObject({ success: z.literal(true), data: firecrawlPage }).safeParse(body);
    if (!answer.success) throw badResponse("Firecrawl");
    return pageResult([readPage(answer.data.data, url)], { data: body });
  },
});
