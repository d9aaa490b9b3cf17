import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult, listAnswer } from "../base/results.ts";
import { TINYFISH_KEY } from "./tinyfish-key.ts";

/** Web pages found by TinyFish. */
export const tinyfishSearch = httpTool({
  className: "TinyFishSearchTool",
  otherNames: ["tinyfish_search"],
  displayName: "tinyfish_search",
  group: "search",
  service: "TinyFish",
  effectClass: "R",
  description: "Finds web pages with TinyFish: titles, links, snippets.",
  input: () =>
    z.object({
      query: z.string().describe("What to look for"),
      location: z.string().optional().describe("Country"),
      language: z.string().optional().describe("Language code"),
    }),
  options: () => z.object({}),
  env: [TINYFISH_KEY],
  hosts: ["api.search.tinyfish.ai"],
  maxChars: 16_000,
  request: (query) => ({ url: "https://api.search.tinyfish.ai/", query }),
  answer: () =>
    listAnswer("results", {
      title: z.string().nullish(),
      url: z.string(),
      snippet: z.string().nullish(),
    }),
  result: (answer) =>
    searchResult({
      found: answer.results.map(({ title, url, snippet }) => ({
        title: title ?? undefined,
        url,
        snippet: snippet ?? undefined,
      })),
      data: answer as never,
    }),
});
