import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { searchResult } from "../base/results.ts";
import { BRIGHT_DATA_ZONE, brightDataApi, BRIGHT_DATA } from "./brightdata-keys.ts";

/** Addresses up to the query. */
const ENGINES = {
  google: "https://www.google.com/search?q=",
  bing: "https://www.bing.com/search?q=",
  yandex: "https://yandex.com/search/?text=",
} as const;
const DEVICES = { desktop: undefined, mobile: "1", ios: "ios", android: "android" } as const;

const shape = () => ({
  search_engine: z.enum(["google", "bing", "yandex"]),
  country: z.string().regex(/^[A-Za-z]{2}$/),
  language: z.string().regex(/^[A-Za-z-]{2,5}$/),
  search_type: z
    .string()
    .regex(/^[a-z]+$/)
    .describe("jobs, nws (news), isch (images), …"),
  device_type: z.enum(["desktop", "mobile", "ios", "android"]),
  parse_results: z.boolean().describe("false gives the page itself"),
});

const organic = () =>
  z
    .array(
      z.looseObject({
        title: z.string().nullish(),
        link: z.string().nullish(),
        description: z.string().nullish(),
      }),
    )
    .optional();

/** Results of Google, Bing or Yandex, through Bright Data. */
export const brightDataSearch = httpTool({
  ...BRIGHT_DATA,
  className: "BrightDataSearchTool",
  displayName: "Bright Data SERP Search",
  group: "search",
  description: "Finds web pages with Google, Bing or Yandex, as seen from a country.",
  input: () =>
    z.object({
      query: z.string().describe("What to look for"),
      ...z.object(shape()).partial().shape,
    }),
  options: () => {
    const { search_engine, country, language, search_type, device_type, parse_results } = shape();
    return z.object({
      searchEngine: search_engine.default("google"),
      country: country.default("us"),
      language: language.default("en"),
      searchType: search_type.optional(),
      deviceType: device_type.default("desktop"),
      parseResults: parse_results.default(true),
    });
  },
  maxChars: 16_000,
  timeoutMs: 60_000,
  request: (input, options, io) => {
    const type = input.search_type ?? options.searchType;
    const mobile = DEVICES[input.device_type ?? options.deviceType];
    const isParsed = input.parse_results ?? options.parseResults;
    const parts = [
      `gl=${input.country ?? options.country}`,
      `hl=${input.language ?? options.language}`,
      "num=10",
      isParsed ? "brd_json=1" : undefined,
      type === "jobs" ? "ibp=htl;jobs" : type && `tbm=${type}`,
      mobile && `brd_mobile=${mobile}`,
    ].filter(Boolean);
    const page = ENGINES[input.search_engine ?? options.searchEngine];
    return {
      url: `${brightDataApi(io)}/request`,
      expects: isParsed ? "json" : "text",
      body: {
        zone: io.value(BRIGHT_DATA_ZONE.name),
        url: `${page}${encodeURIComponent(input.query)}&${parts.join("&")}`,
        format: "raw",
      },
    };
  },
  answer: () => z.union([z.string(), z.looseObject({ organic: organic() })]),
  result: (answer) =>
    typeof answer === "string" || answer.organic === undefined
      ? answer
      : searchResult({
          found: answer.organic.map(({ title, link, description }) => ({
            title: title ?? undefined,
            url: link ?? undefined,
            snippet: description ?? undefined,
          })),
          data: answer as never,
        }),
});
