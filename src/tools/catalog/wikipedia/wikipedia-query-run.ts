import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";
import { addressOf, pagesOf, textsOf, wikipediaOptions, WIKIPEDIA } from "./wikipedia-api.ts";

/** Number of pages in one request for introductions. */
const AT_ONCE = 20;

/** Introductions of the pages of Wikipedia found by a query. */
export const wikipediaQueryRun = catalogTool({
  ...WIKIPEDIA,
  className: "WikipediaQueryRunTool",
  otherNames: ["wikipedia-query-run"],
  displayName: "wikipedia-query-run",
  description: "Finds articles of Wikipedia, and gives what each says at its beginning.",
  options: wikipediaOptions,
  maxChars: 16_000,
  run: async ({ query }, options, io) => {
    const { language } = options;
    const pages = await pagesOf(query, options, io);
    const summaries: { title: string; url: string; summary: string }[] = [];
    for (let at = 0; at < pages.length; at += AT_ONCE) {
      const some = pages.slice(at, at + AT_ONCE);
      const ids = some.map(({ pageid }) => pageid);
      const texts = await textsOf(ids, { language, isIntro: true }, io);
      for (const { pageid, title } of some) {
        const summary = texts.get(pageid) ?? "";
        if (summary !== "") summaries.push({ title, url: addressOf(pageid, language), summary });
      }
    }
    const lines = summaries.map(({ title, summary }) => `Page: ${title}\nSummary: ${summary}`);
    return toolResult({
      text: lines.join("\n\n") || "Nothing was found.",
      data: lines,
      sources: sourcesOf(summaries),
    });
  },
});
