import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";

const FIELDS = "title,abstract,authors,year,citationCount,url,externalIds";

/** Papers of all sciences, found by Semantic Scholar. */
export const semanticScholarSearch = httpTool({
  className: "SemanticScholarSearchTool",
  otherNames: ["semantic-scholar-search"],
  displayName: "semantic-scholar-search",
  group: "search",
  service: "Semantic Scholar",
  effectClass: "R",
  description: "Finds papers of all sciences: titles, authors, abstracts, years, citations.",
  input: () =>
    z.object({
      query: z.string().max(300).describe("What to look for"),
      limit: z.int().min(1).max(10).optional(),
      year: z
        .string()
        .regex(/^(\d{4}(-(\d{4})?)?|-\d{4})$/)
        .optional()
        .describe("2024, 2020-2024, 2020- or -2020"),
      fields: z
        .string()
        .regex(/^[A-Za-z.,]+$/)
        .optional(),
    }),
  options: () =>
    z.object({
      maxResults: z.int().min(1).max(100).default(10),
      fields: z.string().default(FIELDS),
    }),
  env: [
    {
      name: "SEMANTIC_SCHOLAR_API_KEY",
      description: "a key of Semantic Scholar, for more requests",
      required: false,
      send: { header: "x-api-key" },
      option: "apiKey",
    },
  ],
  hosts: ["api.semanticscholar.org"],
  maxChars: 16_000,
  minIntervalMs: 1000,
  request: ({ query, limit, year, fields }, options) => ({
    url: "https://api.semanticscholar.org/graph/v1/paper/search",
    query: { query, limit: limit ?? options.maxResults, year, fields: fields ?? options.fields },
  }),
  answer: () =>
    z.looseObject({
      total: z.number(),
      data: z
        .array(
          z.looseObject({
            paperId: z.string(),
            title: z.string().nullish(),
            abstract: z.string().nullish(),
            authors: z.array(z.looseObject({ name: z.string().nullish() })).nullish(),
            year: z.number().nullish(),
            citationCount: z.number().nullish(),
            url: z.string().nullish(),
            externalIds: z.record(z.string(), z.unknown()).nullish(),
          }),
        )
        .default([]),
    }),
  result: ({ data: papers }) => {
    const blocks = papers.map((paper) => {
      const ids = Object.entries(paper.externalIds ?? {}).map(
        ([kind, id]) => `${kind}: ${String(id)}`,
      );
      return [
        line("Title", paper.title),
        line("Authors", paper.authors?.flatMap(({ name }) => name ?? []).join(", ")),
        line("Year", paper.year),
        line("Citations", paper.citationCount),
        line("Abstract", paper.abstract),
        line("URL", paper.url),
        line("External IDs", ids.join(", ")),
      ]
        .filter(Boolean)
        .join("\n");
    });
    return toolResult({
      text: blocks.join("\n\n") || "Nothing was found.",
      data: papers as never,
      sources: sourcesOf(
        papers.map(({ url, title, year }) => ({
          url: url ?? undefined,
          title: title ?? undefined,
          date: year ? String(year) : undefined,
        })),
      ),
    });
  },
});

function line(name: string, value: string | number | null | undefined): string {
  return value === undefined || value === null || value === "" ? "" : `${name}: ${value}`;
}
