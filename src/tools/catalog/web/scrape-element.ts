import * as z from "zod";
import { serviceFailure } from "../base/service-failure.ts";
import { PAGE_OPTIONS, elementsInput } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";
import { decoded, fetchPage, isHtml } from "./read-page.ts";
import { selectElements } from "./select-elements.ts";

/** Texts of the elements of a page matching a CSS selector. */
export const scrapeElementFromWebsite = pageTool({
  className: "ScrapeElementFromWebsiteTool",
  displayName: "Read a website content",
  group: "web",
  service: "web",
  effectClass: "R",
  description: "Reads the parts of a web page that a CSS selector names: one line for each.",
  input: elementsInput,
  options: () =>
    z.object({
      ...PAGE_OPTIONS,
      /** Attribute to read from each element, in place of its text: `href`. */
      attribute: z
        .string()
        .regex(/^[^\s"'<>/=]+$/)
        .optional(),
    }),
  fixable: ["website_url", "css_element"],
  timeoutMs: 30_000,
  run: async ({ website_url: address, css_element: selector }, { attribute, ...options }, io) => {
    const page = await fetchPage(io, address, { options, timeoutMs: 30_000 });
    if (!isHtml(page))
      throw serviceFailure({
        code: "bad_request",
        message: `${page.url.href} is no page that has elements, but ${page.mediaType}.`,
      });
    const { texts, isCut } = await selectElements(decoded(page, {}), selector, attribute);
    const lines = isCut ? [...texts, "[cut: there are more elements]"] : texts;
    return pageResult(
      texts.length === 0 ? `No element matches ${selector}.` : lines.join("\n"),
      page,
    );
  },
});
