import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";
import { addressOf, pagesOf, textsOf, wikipediaOptions, WIKIPEDIA } from "./wikipedia-api.ts";

/** Pages of Wikipedia found by a query, with their metadata. */
export const wikipediaPageLoad = catalogTool({
  ...WIKIPEDIA,
  className: "WikipediaPageLoadTool",
  otherNames: ["wikipedia-page-load"],
  displayName: "wikipedia-page-load",
  description: "Finds articles of Wikipedia, and gives their texts.",
  options: () => wikipediaOptions().extend({ truncate: z.int().min(1).max(10_000).default(4000) }),
  run: async ({ query }, { truncate, ...options }, io) => {
    const { language } = options;
    const documents = [];
    for (const { pageid, title, ...rest } of await pagesOf(query, options, io)) {
      const texts = await textsOf([pageid], { language, isIntro: false }, io);
      const content = (texts.get(pageid) ?? "").slice(0, truncate);
      const { timestamp, wordcount, size } = rest;
      const source = addressOf(pageid, language);
      if (content !== "")
        documents.push({
          page_content: content,
          metadata: {
            source,
            title,
            pageid: String(pageid),
            timestamp,
            wordcount: String(wordcount),
            size: String(size),
          },
        });
    }
    return toolResult({
      text:
        documents
          .map(
            ({ page_content: content, metadata }) =>
              `# ${metadata.title}\n${metadata.source} (changed ${metadata.timestamp})\n\n${content}`,
          )
          .join("\n\n") || "Nothing was found.",
      data: documents,
      sources: sourcesOf(
        documents.map(({ metadata: { source: url, title, timestamp: date } }) => ({
          url,
          title,
          date,
        })),
      ),
    });
  },
});
