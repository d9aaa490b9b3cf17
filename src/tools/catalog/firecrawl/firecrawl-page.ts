import * as z from "zod";
import type { ReadPage } from "../web/page-result.ts";

/** Page in a response of Firecrawl. */
export const firecrawlPage = z.looseObject({
  markdown: z.string().optional(),
  html: z.string().optional(),
  rawHtml: z.string().optional(),
  summary: z.string().optional(),
  json: z.unknown().optional(),
  links: z.array(z.string()).optional(),
  metadata: z
    .looseObject({
      title: z.union([z.string(), z.array(z.string())]).optional(),
      sourceURL: z.string().optional(),
      url: z.string().optional(),
      error: z.string().optional(),
    })
    .optional(),
});

/** Returns the content of a page in the requested form. */
export function readPage(page: z.output<typeof firecrawlPage>, asked = ""): ReadPage {
  const { markdown, html, rawHtml, summary, json, links, metadata } = page;
  const title = [metadata?.title].flat()[0];
  const data = json === undefined || json === null ? undefined : JSON.stringify(json, null, 1);
  return {
    url: metadata?.sourceURL ?? metadata?.url ?? asked,
    title: title === "" ? undefined : title,
    text: markdown ?? summary ?? data ?? html ?? rawHtml ?? links?.join("\n") ?? "",
  };
}
