import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { credits, searchResult } from "../base/results.ts";
import { savedResult } from "../base/save-results.ts";
import { SERPER_KEY } from "./serper-key.ts";

const link = z.looseObject({ title: z.string(), link: z.string() });
const entries = z.array(z.unknown()).optional();

/** Google results through Serper. */
export const serperDev = httpTool({
  className: "SerperDevTool",
  displayName: "Search the internet with Serper",
  group: "search",
  service: "Serper",
  effectClass: "R",
  description:
    "Finds web pages, or news, through Google: titles, links, snippets, and what Google knows at a glance.",
  input: () => z.object({ search_query: z.string().max(2048).describe("What to look for") }),
  options: () =>
    z.object({
      nResults: z.int().min(1).max(100).default(10),
      searchType: z.enum(["search", "news"]).default("search"),
      country: z.string().optional(),
      location: z.string().optional(),
      locale: z.string().optional(),
      baseUrl: z.url().default("https://google.serper.dev"),
      saveFile: z.boolean().default(false),
    }),
  env: [SERPER_KEY],
  hosts: ({ baseUrl }) => [new URL(baseUrl).host],
  hostOptions: ["baseUrl"],
  timeoutMs: 10_000,
  maxChars: 16_000,
  request: (
    { search_query: q },
    { nResults: num, searchType, country: gl, location, ...rest },
  ) => ({
    method: "POST",
    url: `${rest.baseUrl}/${searchType}`,
    body: { q, num, gl, location, hl: rest.locale },
  }),
  answer: () =>
    z.looseObject({
      organic: entries,
      news: entries,
      knowledgeGraph: z.record(z.string(), z.unknown()).optional(),
      peopleAlsoAsk: z.array(z.looseObject({ question: z.string() })).optional(),
      relatedSearches: z.array(z.looseObject({ query: z.string() })).optional(),
      credits: z.number().optional(),
    }),
  result: (answer, { options: { nResults, saveFile }, io }) => {
    const top = (list: readonly unknown[] = []): z.output<typeof link>[] =>
      list.flatMap((each) => link.safeParse(each).data ?? []).slice(0, nResults);
    const organic = top(answer.organic);
    const news = top(answer.news);
    const { knowledgeGraph: graph, peopleAlsoAsk = [], relatedSearches = [] } = answer;
    const questions = peopleAlsoAsk.slice(0, nResults);
    const shown = [...organic, ...news].map(({ title, link: url, snippet, date }) => ({
      title,
      url,
      snippet: text(snippet),
      date: text(date),
    }));
    const result = searchResult({
      found: shown,
      before: [
        graph === undefined
          ? undefined
          : [text(graph["title"]), text(graph["type"]), text(graph["description"])]
              .filter(Boolean)
              .join(": "),
      ],
      after: [
        questions.length === 0
          ? undefined
          : `People also ask:\n${questions.map(({ question, snippet }) => `- ${question}${text(snippet) ? ` ${text(snippet)}` : ""}`).join("\n")}`,
        relatedSearches.length === 0
          ? undefined
          : `Related: ${relatedSearches
              .slice(0, nResults)
              .map(({ query }) => query)
              .join("; ")}`,
      ],
      data: { ...answer, organic, ...(answer.news === undefined ? undefined : { news }) } as never,
      cost: credits(answer.credits),
    });
    return saveFile ? savedResult(result, io) : result;
  },
});

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
