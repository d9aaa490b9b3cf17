import * as z from "zod";
import { badResponse } from "../base/service-failure.ts";
import { browse, BROWSER_HOSTS, BROWSER_VARIABLES } from "./browser.ts";
import { pageAddress } from "./page-address.ts";
import { PAGE_OPTIONS, elementsInput } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";

const matches = z.array(
  z.looseObject({
    results: z.array(z.looseObject({ text: z.string().default(""), html: z.string().default("") })),
  }),
);

/** Texts of the elements of a page after its scripts have run. */
export const seleniumScraping = pageTool({
  className: "SeleniumScrapingTool",
  displayName: "Read a website content",
  group: "web",
  service: "Browser Run",
  effectClass: "R",
  description:
    "Opens a web page in a browser, lets its scripts run, and reads the parts that a CSS selector names.",
  input: elementsInput,
  options: () =>
    z.object({
      ...PAGE_OPTIONS,
      /** Cookie with its value. */
      cookie: z.object({ name: z.string().min(1), value: z.string() }).optional(),
      /** Delay in seconds, after the page has loaded. */
      waitTime: z.number().min(0).max(120).default(3),
      returnHtml: z.boolean().default(false),
    }),
  fixable: ["website_url", "css_element"],
  codeOptions: ["cookie"],
  env: BROWSER_VARIABLES,
  hosts: BROWSER_HOSTS,
  bindings: ["BROWSER"],
  timeoutMs: 60_000,
  run: async ({ website_url: address, css_element: selector }, settings, io) => {
    const { waitTime, returnHtml, cookie, ...options } = settings;
    const url = pageAddress(address);
    const answer = await browse(io, "scrape", {
      address: url,
      page: options,
      tool: "SeleniumScrapingTool",
      options: {
        elements: [{ selector }],
        waitForTimeout: Math.round(waitTime * 1000),
        ...(cookie === undefined ? undefined : { cookies: [{ ...cookie, url }] }),
      },
    });
    const parsed = matches.safeParse(answer.result);
    if (!parsed.success) throw badResponse("Browser Run");
    const found = parsed.data.flatMap(({ results }) => results);
    const lines = found.map(({ text, html }) =>
      returnHtml ? html : text.replaceAll(/\s+/g, " ").trim(),
    );
    return pageResult(
      found.length === 0 ? `No element matches ${selector}.` : lines.join("\n"),
      answer,
    );
  },
});
