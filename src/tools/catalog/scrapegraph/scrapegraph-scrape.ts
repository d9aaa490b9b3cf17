import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";

/** Data extracted from a page by a prompt, through ScrapeGraphAI. */
export const scrapegraphScrape = httpTool({
  className: "ScrapegraphScrapeTool",
  displayName: "Scrapegraph website scraper",
  group: "web",
  service: "ScrapeGraphAI",
  effectClass: "R",
  description: "Reads a web page and extracts what a prompt asks for, as data.",
  input: () =>
    z.object({
      website_url: pageArgument(),
      user_prompt: z
        .string()
        .min(1)
        .default("Extract the main content of the webpage")
        .describe("What to extract"),
    }),
  options: () => z.object({}),
  fixable: ["website_url", "user_prompt"],
  env: [
    {
      name: "SCRAPEGRAPH_API_KEY",
      description: "the key of scrapegraphai.com",
      send: { header: "SGAI-APIKEY" },
      option: "apiKey",
    },
  ],
  hosts: ["v2-api.scrapegraphai.com"],
  timeoutMs: 120_000,
  request: ({ website_url: page, user_prompt: prompt }, _, io) => ({
    url: "https://v2-api.scrapegraphai.com/api/extract",
    body: { url: publicAddress(page, io), prompt },
  }),
  answer: () => z.looseObject({ json: z.json().optional(), result: z.json().optional() }),
  result: ({ json, result }, { input }) => {
    const data: JsonValue = json ?? result ?? null;
    const text = typeof data === "string" ? data : JSON.stringify(data, null, 1);
    return pageResult([{ url: input.website_url, text: data === null ? "" : text }], { data });
  },
});
