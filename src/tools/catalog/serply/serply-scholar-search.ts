import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import {
  blocksResult,
  proxyLocation,
  SERPLY_HOSTS,
  SERPLY_KEY,
  serplyInput,
  serplyUrl,
} from "./serply-tool.ts";

/** Scholarly literature through Serply. */
export const serplyScholarSearch = httpTool({
  className: "SerplyScholarSearchTool",
  displayName: "Scholar Search",
  group: "search",
  service: "Serply",
  effectClass: "R",
  description: "Finds scholarly literature: titles, links, authors, how it is cited.",
  input: serplyInput,
  options: () => z.object({ hl: z.string().default("us"), proxyLocation: proxyLocation() }),
  takes: { query: "search_query" },
  env: [SERPLY_KEY],
  hosts: SERPLY_HOSTS,
  maxChars: 16_000,
  request: ({ search_query: q }, { hl, proxyLocation: location }) => ({
    url: serplyUrl("scholar", { hl, q }),
    headers: { "X-Proxy-Location": location },
  }),
  answer: () =>
    z.looseObject({
      articles: z.array(
        z.looseObject({
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
      ),
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
