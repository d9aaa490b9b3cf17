import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult } from "../base/results.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { LINKUP_KEY } from "./linkup-key.ts";

const source = () =>
  z.looseObject({
    name: z.string().nullish(),
    url: z.string(),
    content: z.string().nullish(),
    snippet: z.string().nullish(),
  });

/** Web pages from Linkup, or an answer with its sources. */
export const linkupSearch = httpTool({
  className: "LinkupSearchTool",
  displayName: "Linkup Search Tool",
  group: "search",
  service: "Linkup",
  effectClass: "R",
  description: "Finds what web pages say of a question with Linkup, or an answer with its sources.",
  input: () =>
    z.object({
      query: z.string().describe("What to look for"),
      depth: z.enum(["standard", "deep"]).default("standard"),
      output_type: z
        .enum(["searchResults", "sourcedAnswer", "structured"])
        .default("searchResults"),
    }),
  options: () => z.object({ structuredOutputSchema: z.record(z.string(), z.unknown()).optional() }),
  env: [LINKUP_KEY],
  hosts: ["api.linkup.so"],
  maxChars: 16_000,
  timeoutMs: 90_000,
  request: ({ query, depth, output_type: type }, { structuredOutputSchema: schema }) => {
    if (type === "structured" && schema === undefined)
      throw serviceFailure({
        code: "bad_request",
        message: "structured needs the option structuredOutputSchema: ask for searchResults.",
      });
    return {
      url: "https://api.linkup.so/v1/search",
      body: {
        q: query,
        depth,
        outputType: type,
        structuredOutputSchema: type === "structured" ? JSON.stringify(schema) : undefined,
      },
    };
  },
  answer: () =>
    z.looseObject({
      answer: z.string().optional(),
      results: z.array(source()).optional(),
      sources: z.array(source()).optional(),
    }),
  result: (answer, { input: { output_type: type } }) => {
    const { results = [], sources = [], answer: words } = answer;
    const pages = [...results, ...sources];
    if (type === "structured") return answer;
    return searchResult({
      before: [words],
      found: pages.map(({ name, url, content, snippet }) => ({
        title: name ?? undefined,
        url,
        snippet: content ?? snippet ?? undefined,
      })),
      data:
        type === "sourcedAnswer"
          ? (answer as never)
          : {
              success: true,
              results: results.map(({ name = null, url, content = null }) => ({
                name,
                url,
                content,
              })),
            },
    });
  },
});
