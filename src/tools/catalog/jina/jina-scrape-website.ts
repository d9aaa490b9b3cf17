import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";

/** Reads a page as Markdown through Jina's reader. */
export const jinaScrapeWebsite = catalogTool({
  className: "JinaScrapeWebsiteTool",
  displayName: "JinaScrapeWebsiteTool",
  group: "web",
  service: "Jina",
  effectClass: "R",
  description:
    "Reads a web page and gives its text as Markdown. It renders pages that need scripts.",
  input: () => z.object({ website_url: pageArgument() }),
  options: () => z.object({ customHeaders: z.record(z.string(), z.string()).default({}) }),
  fixable: ["website_url"],
  env: [
    {
      name: "JINA_API_KEY",
      description: "the key of jina.ai, for more requests than without one",
      required: false,
      send: { header: "Authorization", prefix: "Bearer " },
      option: "apiKey",
    },
  ],
  hosts: ["r.jina.ai"],
  timeoutMs: 15_000,
  run: async ({ website_url: page }, { customHeaders }, io) => {
    const url = publicAddress(page, io);
    const { body } = await io.send({
      url: `https://r.jina.ai/${url}`,
      headers: { accept: "text/plain", ...customHeaders },
      expects: "text",
    });
    const text = typeof body === "string" ? body : "";
    return pageResult([{ url, title: /^Title: (.+)$/m.exec(text)?.[1], text }]);
  },
});
