// Shared code of the tools of SerpApi.
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { httpTool } from "../base/catalog-tool.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { searchResult, type Found } from "../base/results.ts";

export const SERPAPI_KEY: CatalogVariable = {
  name: "SERPAPI_API_KEY",
  description: "the key of serpapi.com",
  send: { query: "api_key" },
  option: "apiKey",
};

type SerpApiSpec = {
  readonly className: string;
  readonly displayName: string;
  readonly description: string;
  readonly engine: string;
  /** Names of omitted fields, at every depth. */
  readonly leftOut: RegExp;
  readonly found: (answer: JsonObject) => readonly Found[];
  readonly before?: (answer: JsonObject) => readonly (string | undefined)[];
};

/** Creates a tool for one of SerpApi's engines. */
export function serpApiTool({ engine, leftOut, found, before, ...spec }: SerpApiSpec) {
  return httpTool({
    ...spec,
    group: "search",
    service: "SerpApi",
    effectClass: "R",
    input: () =>
      z.object({
        search_query: z.string().describe("What to look for"),
        location: z.string().optional().describe("Where to search from, such as a city"),
      }),
    options: () => z.object({}),
    takes: { query: "search_query" },
    env: [SERPAPI_KEY],
    hosts: ["serpapi.com"],
    maxChars: 16_000,
    request: ({ search_query: q, location }) => ({
      url: "https://serpapi.com/search.json",
      query: { engine, q, location },
    }),
    answer: () => z.record(z.string(), z.unknown()),
    result: (answer) => {
      const data = without(answer as JsonObject, leftOut) as JsonObject;
      return searchResult({ found: found(data), before: before?.(data) ?? [], data });
    },
  });
}

/** Returns the objects of a list in a response. */
export function listOf(answer: JsonObject, name: string): readonly JsonObject[] {
  const list = answer[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function without(value: JsonValue, leftOut: RegExp): JsonValue {
  if (Array.isArray(value)) return value.map((each) => without(each, leftOut));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !leftOut.test(name))
      .map(([name, each]) => [name, without(each, leftOut)]),
  );
}
