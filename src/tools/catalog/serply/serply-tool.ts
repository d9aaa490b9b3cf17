// Shared code of the tools of Serply: the query is part of the path, and results are blocks of lines.
import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { toolResult, type ResultSource, type ToolResult } from "../../tool-result.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { sourcesOf } from "../base/results.ts";

export const SERPLY_KEY: CatalogVariable = {
  name: "SERPLY_API_KEY",
  description: "the key of serply.io",
  send: { header: "X-API-KEY" },
  option: "apiKey",
};

export const SERPLY_HOSTS = ["api.serply.io"];

/** Properties of every search. */
export const SERPLY_SEARCH = {
  group: "search",
  service: "Serply",
  effectClass: "R",
  input: () => z.object({ search_query: z.string().describe("What to look for") }),
  takes: { query: "search_query" },
  env: [SERPLY_KEY],
  hosts: SERPLY_HOSTS,
  maxChars: 16_000,
} as const;

/** Country of Serply's requests. */
export const proxyLocation = () =>
  z
    .enum(["US", "CA", "IE", "GB", "FR", "DE", "SE", "IN", "JP", "KR", "SG", "AU", "BR"])
    .default("US");

/** Returns an address such as `https://api.serply.io/v1/search/num=10&q=tea`. */
export function serplyUrl(path: string, query: Readonly<Record<string, string | number>>): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `https://api.serply.io/v1/${path}/${text}`;
}

/** One entry as lines with a name and a value each. Entries without a title are left out. */
export type Block = Readonly<Record<string, string | undefined>>;

export function blocksResult(
  blocks: readonly Block[],
  { data, title, link = "Link" }: { data: JsonValue; title: string; link?: string },
): ToolResult {
  const shown = blocks.filter((block) => block[title] !== undefined);
  const sources: readonly ResultSource[] = sourcesOf(
    shown.map((block) => ({ title: block[title], url: block[link] })),
  );
  const texts = shown.map((block) =>
    [
      ...Object.entries(block).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}: ${value}`],
      ),
      "---",
    ].join("\n"),
  );
  const text = texts.length === 0 ? "Nothing was found." : `Search results:\n${texts.join("\n")}`;
  return toolResult({ text, data, sources });
}
