import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { credits } from "../base/results.ts";
import { badResponse } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";
import { SERPER_KEY } from "./serper-key.ts";

const answer = z.looseObject({
  text: z.string().optional(),
  markdown: z.string().optional(),
  metadata: z.looseObject({ title: z.string().optional() }).optional(),
  credits: z.number().optional(),
});

/** Reads the text of a page through Serper. */
export const serperScrapeWebsite = catalogTool({
  className: "SerperScrapeWebsiteTool",
  displayName: "serper_scrape_website",
  group: "web",
  service: "Serper",
  effectClass: "R",
  description: "Reads a web page and gives its text, as Markdown if it can.",
  input: () =>
    z.object({
      url: pageArgument(),
      include_markdown: z.boolean().default(true).describe("Markdown in place of plain text"),
    }),
  options: () => z.object({}),
  fixable: ["url", "include_markdown"],
  env: [SERPER_KEY],
  hosts: ["scrape.serper.dev"],
  run: async ({ url: page, include_markdown: includeMarkdown }, _, io) => {
    const url = publicAddress(page, io);
    const { body } = await io.send({
      url: "https://scrape.serper.dev",
      body: { url, includeMarkdown },
    });
    const { data } = answer.safeParse(body);
    if (data === undefined) throw badResponse("Serper");
    const { text = "", markdown, metadata, credits: amount } = data;
    return pageResult([{ url, title: metadata?.title, text: markdown ?? text }], {
      data: body,
      cost: credits(amount),
    });
  },
});
