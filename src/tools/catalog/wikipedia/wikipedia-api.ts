// Shared code of the tools of Wikipedia.
import * as z from "zod";
import type { ToolRequest } from "../base/request.ts";
import { badResponse } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

/** Properties of every tool. */
export const WIKIPEDIA = {
  group: "search",
  service: "Wikipedia",
  effectClass: "R",
  /** Query within the length limit of the API. */
  input: () => z.object({ query: z.string().max(300).describe("What to look for") }),
  hosts: ["*.wikipedia.org"],
} as const;

export const wikipediaOptions = () =>
  z.object({
    language: z
      .string()
      .regex(/^[a-z]{2,3}(-[a-z]+)*$/)
      .default("en"),
    topK: z.int().min(1).max(100).default(3),
  });

/** Page found by a search. */
export type WikipediaPage = {
  readonly pageid: number;
  readonly title: string;
  readonly size: number;
  readonly wordcount: number;
  readonly timestamp: string;
};

const search = () =>
  z.looseObject({
    query: z.looseObject({
      search: z.array(
        z.looseObject({
          pageid: z.number(),
          title: z.string(),
          size: z.number().default(0),
          wordcount: z.number().default(0),
          timestamp: z.string().default(""),
        }),
      ),
    }),
  });

const extracts = () =>
  z.looseObject({
    query: z.looseObject({
      pages: z.record(z.string(), z.looseObject({ extract: z.string().optional() })),
    }),
  });

/** Returns the pages found by a search. */
export async function pagesOf(
  query: string,
  { language, topK }: z.output<ReturnType<typeof wikipediaOptions>>,
  io: ToolIo,
): Promise<readonly WikipediaPage[]> {
  const answer = search().safeParse(
    await ask(io, language, {
      list: "search",
      srsearch: query,
      srlimit: topK,
      srprop: "size|wordcount|timestamp",
    }),
  );
  if (!answer.success) throw badResponse("Wikipedia");
  return answer.data.query.search;
}

/**
 * Returns texts of pages, by their ids: their introductions, or the whole. Only introductions are available for several
 * pages at once.
 */
export async function textsOf(
  ids: readonly number[],
  { language, isIntro }: { readonly language: string; readonly isIntro: boolean },
  io: ToolIo,
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const answer = extracts().safeParse(
    await ask(io, language, {
      prop: "extracts",
      explaintext: 1,
      exlimit: isIntro ? "max" : 1,
      exintro: isIntro ? 1 : undefined,
      pageids: ids.join("|"),
    }),
  );
  if (!answer.success) throw badResponse("Wikipedia");
  return new Map(
    Object.entries(answer.data.query.pages).map(([id, { extract = "" }]) => [Number(id), extract]),
  );
}

export function addressOf(pageid: number, language: string): string {
  return `https://${language}.wikipedia.org/?curid=${pageid}`;
}

async function ask(
  io: ToolIo,
  language: string,
  query: NonNullable<ToolRequest["query"]>,
): Promise<unknown> {
  const { body } = await io.send({
    url: `https://${language}.wikipedia.org/w/api.php`,
    query: { action: "query", format: "json", ...query },
  });
  return body;
}
