import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { blocksResult, proxyLocation, serplyUrl, SERPLY_SEARCH } from "./serply-tool.ts";
import { listAnswer } from "../base/results.ts";

/** Google results through Serply. */
export const serplyWebSearch = httpTool({
  ...SERPLY_SEARCH,
  className: "SerplyWebSearchTool",
  displayName: "Google Search",
  description: "Finds web pages through Google: titles, links, descriptions.",
  options: () =>
    z.object({
      limit: z.int().min(1).max(100).default(10),
      hl: z.string().default("us"),
      deviceType: z.enum(["desktop", "mobile"]).default("desktop"),
      proxyLocation: proxyLocation(),
    }),
  request: ({ search_query: q }, { limit: num, hl, deviceType, proxyLocation: gl }) => ({
    url: serplyUrl("search", { num, gl, hl: hl.toLowerCase(), q }),
    headers: { "X-User-Agent": deviceType, "X-Proxy-Location": gl },
  }),
  answer: () =>
    listAnswer("results", {
      title: z.string().optional(),
      link: z.string().optional(),
      description: z.string().nullish(),
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
