import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { credits } from "../base/results.ts";
import { badResponse, isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";

const answer = z.looseObject({
  result: z.looseObject({
    content: z.string().nullish(),
    url: z.string().nullish(),
    success: z.boolean().optional(),
    error: z.looseObject({ message: z.string().optional() }).nullish(),
  }),
  context: z
    .looseObject({ cost: z.looseObject({ total: z.number().optional() }).nullish() })
    .nullish(),
});

/** Reads a page past bot protection, through Scrapfly. */
export const scrapflyScrapeWebsite = catalogTool({
  className: "ScrapflyScrapeWebsiteTool",
  displayName: "Scrapfly web scraping API tool",
  group: "web",
  service: "Scrapfly",
  effectClass: "R",
  description: "Reads a web page and gives it as Markdown, as text, or as it is.",
  input: () =>
    z.object({
      url: pageArgument(),
      scrape_format: z
        .enum(["markdown", "text", "raw"])
        .default("markdown")
        .describe("The form of the page"),
      scrape_config: z
        .record(z.string(), z.json())
        .optional()
        .describe("Settings of Scrapfly, such as { render_js: true }"),
      ignore_scrape_failures: z
        .boolean()
        .default(false)
        .describe("An empty text for a page that cannot be read"),
    }),
  options: () => z.object({}),
  fixable: ["scrape_format", "scrape_config", "ignore_scrape_failures"],
  env: [
    {
      name: "SCRAPFLY_API_KEY",
      description: "the key of scrapfly.io",
      send: { query: "key" },
      option: "apiKey",
    },
  ],
  hosts: ["api.scrapfly.io"],
  timeoutMs: 160_000,
  run: async (input, _, io) => {
    const { scrape_format: format, scrape_config: config = {} } = input;
    const { ignore_scrape_failures: ignoresFailures } = input;
    const url = publicAddress(input.url, io);
    const settings = Object.fromEntries(
      Object.entries(config).map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : value,
      ]),
    );
    try {
      const { body } = await io.send({
        url: "https://api.scrapfly.io/scrape",
        query: { ...settings, url, format },
      });
      const { data } = answer.safeParse(body);
      if (data === undefined) throw badResponse("Scrapfly");
      const { result, context } = data;
      if (result.success === false)
        throw serviceFailure({
          code: "failed",
          message: `Scrapfly could not read the page: ${result.error?.message ?? "no reason"}`,
        });
      const page = { url: result.url ?? url, text: result.content ?? "" };
      return pageResult([page], { data: body, cost: credits(context?.cost?.total) });
    } catch (error) {
      if (!ignoresFailures || !isServiceFailure(error) || !isOfPage(error.failureCode)) throw error;
      return toolResult({ text: `(the page could not be read: ${error.message})`, data: "" });
    }
  },
});

/** True if the page, not the key or the account, may have caused the failure. */
function isOfPage(code: string | undefined): boolean {
  return !["unauthorized", "quota_exceeded", "rate_limited", "refused"].includes(code ?? "");
}
