import * as z from "zod";

/** Arguments of Brave's endpoints. Each endpoint takes some of them. */
const ARGUMENTS = {
  q: () => z.string().max(400).describe("What to look for"),
  ids: () => z.array(z.string()).min(1).max(20).describe("Ids of places, from a web search"),
  country: () => z.string().regex(/^[A-Z]{2}$/),
  search_lang: () => z.string().regex(/^[a-z]{2}$/),
  ui_lang: () => z.string().regex(/^[a-z]{2}-[A-Z]{2}$/),
  offset: () => z.int().min(0).max(9).describe("Pages to skip"),
  safesearch: () => z.enum(["off", "moderate", "strict"]),
  spellcheck: () => z.boolean(),
  freshness: () =>
    z
      .string()
      .regex(/^(p[dwmy]|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d)$/)
      .describe("pd, pw, pm, py, or YYYY-MM-DDtoYYYY-MM-DD"),
  text_decorations: () => z.boolean(),
  extra_snippets: () => z.boolean(),
  result_filter: () =>
    z.array(
      z.enum([
        "discussions",
        "faq",
        "infobox",
        "news",
        "query",
        "summarizer",
        "videos",
        "web",
        "locations",
      ]),
    ),
  units: () => z.enum(["metric", "imperial"]),
  goggles: () => z.union([z.string(), z.array(z.string())]),
  summary: () => z.boolean(),
  enable_rich_callback: () => z.boolean(),
  include_fetch_metadata: () => z.boolean(),
  operators: () => z.boolean(),
  enable_local: () => z.boolean(),
  maximum_number_of_urls: () => z.int().min(1).max(50),
  maximum_number_of_tokens: () => z.int().min(1).max(32_768),
  maximum_number_of_snippets: () => z.int().min(1).max(100),
  maximum_number_of_tokens_per_url: () => z.int().min(1).max(8192),
  maximum_number_of_snippets_per_url: () => z.int().min(1).max(100),
  context_threshold_mode: () => z.enum(["disabled", "strict", "lenient", "balanced"]),
} as const;

type Name = keyof typeof ARGUMENTS;

/** Arguments of all tools except those for places. */
export const COMMON = ["country", "search_lang"] as const;

/** Further arguments of web, news and video search. */
export const PAGED = [
  ...COMMON,
  "ui_lang",
  "offset",
  "freshness",
  "safesearch",
  "spellcheck",
  "operators",
  "include_fetch_metadata",
] as const;

/** Creates the schema of a tool's arguments. The first is required, the others are optional. */
export function braveInput(
  first: "q" | "ids",
  others: readonly Name[],
  { maxCount }: { readonly maxCount?: number } = {},
): z.ZodObject {
  return z.object({
    [first]: ARGUMENTS[first](),
    ...(maxCount === undefined ? undefined : { count: z.int().min(1).max(maxCount).optional() }),
    ...Object.fromEntries(
      others.map((name) => [name, (ARGUMENTS[name]() as z.ZodType).optional()]),
    ),
  });
}
