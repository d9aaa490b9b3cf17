import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import {
  blocksResult,
  proxyLocation,
  SERPLY_HOSTS,
  SERPLY_KEY,
  serplyInput,
  serplyUrl,
} from "./serply-tool.ts";

/** Google results through Serply. */
export const serplyWebSearch = httpTool({
  className: "SerplyWebSearchTool",
  displayName: "Google Search",
  group: "search",
  service: "Serply",
  effectClass: "R",
  description: "Finds web pages through Google: titles, links, descriptions.",
  input: serplyInput,
  options: () =>
    z.object({
      limit: z.int().min(1).max(100).default(10),
      hl: z.string().default("us"),
      deviceType: z.enum(["desktop", "mobile"]).default("desktop"),
      proxyLocation: proxyLocation(),
    }),
  takes: { query: "search_query" },
  env: [SERPLY_KEY],
  hosts: SERPLY_HOSTS,
  maxChars: 16_000,
  request: ({ search_query: q }, { limit: num, hl, deviceType, proxyLocation: gl }) => ({
    url: serplyUrl("search", { num, gl, hl: hl.toLowerCase(), q }),
    headers: { "X-User-Agent": deviceType, "X-Proxy-Location": gl },
  }),
  answer: () =>
    z.looseObject({
      results: z.array(
        z.looseObject({
          title: z.string().optional(),
          link: z.string().optional(),
          description: z.string().nullish(),
        }),
      ),
    }),
  result: (answer) =>
    blocksResult(
      answer.results.map(({ title, link, description }) => ({
        Title: title,
        Link: link,
        Description: description?.trim(),
      })),
      { data: answer as never, title: "Title" },
    ),
});
