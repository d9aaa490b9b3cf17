// Shared code of the tools of Brave Search.
import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { httpTool } from "../base/catalog-tool.ts";
import type { ToolSpec } from "../base/tool-spec.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { markupText } from "../base/markup-text.ts";
import { searchResult, type Found } from "../base/results.ts";
import { savedResult } from "../base/save-results.ts";

export const BRAVE_KEY: CatalogVariable = {
  name: "BRAVE_API_KEY",
  description: "the key of Brave Search",
  send: { header: "X-Subscription-Token" },
  option: "apiKey",
};

/** Brave's codes for the exhausted requests of a plan. */
export const BRAVE_QUOTA = /QUOTA_LIMITED|USAGE_LIMIT_EXCEEDED/;

const BASE = "https://api.search.brave.com/res/v1/";

const entries = () =>
  z
    .array(
      z.looseObject({
        title: z.string().nullish(),
        url: z.string().nullish(),
        description: z.string().nullish(),
        extra_snippets: z.array(z.string()).nullish(),
      }),
    )
    .optional();

const answer = () =>
  z.looseObject({ web: z.looseObject({ results: entries() }).optional(), results: entries() });

type BraveAnswer = z.output<ReturnType<typeof answer>>;

/** One entry of a response, with the fields shown by the tools. */
export type BraveEntry = {
  readonly title?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly description?: string | null | undefined;
};

/** Entries for the model, and the data, of which the model gets only the entries. */
export type BraveResult = { readonly found: readonly Found[]; readonly data: unknown };

type BraveSpec = Pick<ToolSpec<z.ZodObject, z.ZodObject>, "className" | "displayName" | "input"> & {
  readonly description: string;
  /** Path below `res/v1`: `web/search`. */
  readonly path: string;
  /** Maximum count of entries; absent for endpoints without a count. */
  readonly maxCount?: number;
  /** Default query parameters, overridden by the call. */
  readonly query?: Readonly<Record<string, string>>;
  readonly result: (answer: BraveAnswer) => BraveResult;
};

const options = () =>
  z.object({
    nResults: z.int().min(1).max(200).default(10),
    searchUrl: z.url().optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .optional(),
    raw: z.boolean().default(false),
    saveFile: z.boolean().default(false),
  });

/** Creates a tool for one of Brave's endpoints. */
export function braveTool(spec: BraveSpec) {
  const { path, maxCount, query, result: resultOf, ...rest } = spec;
  return httpTool({
    ...rest,
    group: "search",
    service: "Brave Search",
    effectClass: "R",
    options,
    takes: { query: "q", search_query: "q" },
    env: [BRAVE_KEY],
    hosts: ({ searchUrl = BASE }) => [new URL(searchUrl).host],
    hostOptions: ["searchUrl"],
    maxChars: 16_000,
    minIntervalMs: 1000,
    quota: BRAVE_QUOTA,
    request: ({ result_filter: filter, ...input }, { searchUrl, nResults, country }) => ({
      url: searchUrl ?? `${BASE}${path}`,
      query: {
        ...(input as Record<string, string>),
        ...(maxCount === undefined
          ? undefined
          : { count: (input["count"] as number | undefined) ?? Math.min(nResults, maxCount) }),
        ...(country !== undefined && "country" in rest.input().shape
          ? { country: (input["country"] as string | undefined) ?? country }
          : undefined),
        ...query,
        ...(Array.isArray(filter) ? { result_filter: filter.join(",") } : undefined),
      },
    }),
    answer,
    result: async (body, { options: { raw, saveFile }, io }) => {
      const { found, data } = resultOf(body);
      const result = searchResult({ found, data: (raw ? body : data) as JsonValue });
      return saveFile ? savedResult(result, io) : result;
    },
  });
}

/** Returns an entry in the form for models. */
export function shown(
  { title, url, description }: BraveEntry,
  snippets?: readonly string[],
): Found {
  const snippet = markupText((snippets ?? [description ?? ""]).join(" … "));
  return { title: markupText(title ?? ""), url: url ?? undefined, snippet };
}

/** Returns entries of news and videos. */
export function withDescriptions({ results = [] }: BraveAnswer): BraveResult {
  return {
    found: results.map((each) => shown(each)),
    data: results.map(({ url, title, description }) => ({ url, title, description })),
  };
}
