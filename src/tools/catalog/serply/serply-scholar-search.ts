import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { blocksResult, proxyLocation, serplyUrl, SERPLY_SEARCH } from "./serply-tool.ts";
import { listAnswer } from "../base/results.ts";

/** Scholarly literature through Serply. */
export const serplyScholarSearch = httpTool({
  ...SERPLY_SEARCH,
  className: "SerplyScholarSearchTool",
  displayName: "Scholar Search",
  description: "Finds scholarly literature: titles, links, authors, how it is cited.",
  options: () => z.object({ hl: z.string().default("us"), proxyLocation: proxyLocation() }),
  request: ({ search_query: q }, { hl, proxyLocation: location }) => ({
    url: serplyUrl("scholar", { hl, q }),
    headers: { "X-Proxy-Location": location },
  }),
  answer: () =>
    listAnswer("articles", {
      title: z.string().optional(),
      link: z.string().nullish(),
      doc: z.looseObject({ link: z.string().optional() }).nullish(),
      description: z.string().nullish(),
      cite: z.unknown(),
      author: z
        .looseObject({
          authors: z.array(z.looseObject({ name: z.string().optional() })).optional(),
        })
        .nullish(),
    }),
  result: (answer) =>
    blocksResult(
      answer.articles.map(({ title, link, doc, description, cite, author }) => ({
        Title: title,
        Link: doc?.link ?? link ?? undefined,
        Description: description ?? undefined,
        Cite: typeof cite === "string" ? cite : cite ? JSON.stringify(cite) : undefined,
        Authors: author?.authors?.flatMap(({ name }) => name ?? []).join(", "),
      })),
      { data: answer as never, title: "Title" },
    ),
});
