import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";

/** Reads a page, or the pages of a site, through Spider. */
export const spider = httpTool({
  className: "SpiderTool",
  displayName: "SpiderTool",
  group: "web",
  service: "Spider",
  effectClass: "R",
  description: "Reads a web page, or crawls a site from one address on, and gives Markdown.",
  input: () =>
    z.object({
      website_url: pageArgument(),
      mode: z
        .enum(["scrape", "crawl"])
        .default("scrape")
        .describe("scrape reads one page, crawl follows links"),
    }),
  options: () =>
    z.object({
      customParams: z.record(z.string(), z.json()).default({}),
      config: z
        .looseObject({
          DEFAULT_CRAWL_LIMIT: z.int().min(1).default(5),
          DEFAULT_RETURN_FORMAT: z.string().default("markdown"),
          DEFAULT_REQUEST_MODE: z.string().default("smart"),
          FILTER_SVG: z.boolean().default(true),
        })
        .prefault({}),
      logFailures: z.boolean().default(true),
    }),
  fixable: ["website_url", "mode"],
  env: [
    {
      name: "SPIDER_API_KEY",
      description: "the key of spider.cloud",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "apiKey",
    },
  ],
  hosts: ["api.spider.cloud"],
  timeoutMs: 90_000,
  request: ({ website_url: page, mode }, { config, customParams }, io) => ({
    url: `https://api.spider.cloud/v1/${mode}`,
    body: {
      url: publicAddress(page, io),
      request: config.DEFAULT_REQUEST_MODE,
      filter_output_svg: config.FILTER_SVG,
      return_format: config.DEFAULT_RETURN_FORMAT,
      limit: mode === "crawl" ? config.DEFAULT_CRAWL_LIMIT : undefined,
      ...customParams,
    },
  }),
  answer: () =>
    z.array(
      z.looseObject({
        url: z.string().nullish(),
        status: z.number().optional(),
        content: z.unknown().optional(),
        error: z.string().nullish(),
        costs: z.looseObject({ total_cost: z.number().optional() }).nullish(),
      }),
    ),
  result: (pages, { input, response }) => {
    const wrong = pages.find(({ error, content }) => error && !content);
    const read = pages.flatMap(({ url, content }) => {
      const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
      return content ? [{ url: url ?? input.website_url, text }] : [];
    });
    if (read.length === 0 && wrong !== undefined)
      throw serviceFailure({
        code: "failed",
        message: `Spider could not read ${input.website_url}: ${wrong.error ?? ""}`,
      });
    const amount = pages.reduce((sum, { costs }) => sum + (costs?.total_cost ?? 0), 0);
    return pageResult(read, {
      data: response.body,
      ...(amount === 0 ? undefined : { cost: { amount, unit: "usd" } }),
    });
  },
});
