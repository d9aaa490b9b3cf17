import * as z from "zod";
import { BROWSER_HOSTS, BROWSER_VARIABLES } from "./browser.ts";
import { PAGE_OPTIONS } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";
import { readPage } from "./read-page.ts";

/** Reads the text of a page. */
export const scrapeWebsite = pageTool({
  className: "ScrapeWebsiteTool",
  displayName: "Read website content",
  group: "web",
  service: "web",
  effectClass: "R",
  description: "Reads a web page and returns its text.",
  input: () =>
    z.object({ website_url: z.string().min(1).max(4096).describe("Address of the page") }),
  options: () =>
    z.object({
      ...PAGE_OPTIONS,
      /** Reads a script-rendered page with a browser, if one is bound. */
      browser: z.enum(["auto", "never"]).default("never"),
      mainOnly: z.boolean().default(false),
      /** Shows the addresses of links. */
      links: z.boolean().default(false),
    }),
  fixable: ["website_url"],
  env: BROWSER_VARIABLES,
  hosts: BROWSER_HOSTS,
  timeoutMs: 15_000,
  run: async ({ website_url: address }, { browser, mainOnly, links, ...options }, io) => {
    const page = await readPage(io, address, { options, browser, mainOnly, links });
    return pageResult(page.text === "" ? "The page shows no text." : page.text, page);
  },
});
