import * as z from "zod";
import { camelKeys } from "../../../base/camel-case.ts";
import type { JsonValue } from "../../../base/json.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult, type ReadPage } from "../web/page-result.ts";

const API = "https://api.hyperbrowser.ai/api";
/** Maximum number of response pages for one crawl. */
const MAX_ANSWERS = 50;

const page = z.looseObject({
  url: z.string().optional(),
  markdown: z.string().nullish(),
  html: z.string().nullish(),
  error: z.string().nullish(),
  metadata: z.looseObject({ title: z.unknown().optional() }).nullish(),
});
const job = z.looseObject({
  error: z.string().nullish(),
  data: z.union([z.array(page), page]).nullish(),
  totalPageBatches: z.number().optional(),
});

/** Reads a page, or the pages of a site, through a browser of Hyperbrowser. */
export const hyperbrowserLoad = catalogTool({
  className: "HyperbrowserLoadTool",
  displayName: "Hyperbrowser web load tool",
  group: "web",
  service: "Hyperbrowser",
  effectClass: "R",
  description: "Reads a web page, or crawls a site, with a browser, and gives Markdown or HTML.",
  input: () =>
    z.object({
      url: pageArgument(),
      operation: z.enum(["scrape", "crawl"]).describe("scrape reads one page, crawl follows links"),
      params: z
        .record(z.string(), z.json())
        .optional()
        .describe("Settings of Hyperbrowser, such as { scrape_options: { formats: ['html'] } }"),
    }),
  options: () => z.object({}),
  fixable: ["operation", "params"],
  env: [
    {
      name: "HYPERBROWSER_API_KEY",
      description: "the key of hyperbrowser.ai",
      send: { header: "x-api-key" },
      option: "apiKey",
    },
  ],
  hosts: ["api.hyperbrowser.ai"],
  run: async ({ url: address, operation, params = {} }, _, io) => {
    const url = publicAddress(address, io);
    const place = `${API}/${operation}`;
    const settings = camelKeys(params) as { readonly scrapeOptions?: object };
    const scrapeOptions = { formats: ["markdown"], ...settings.scrapeOptions };
    const id = await io.poll<string>({
      start: async () => {
        const { body } = await io.send({ url: place, body: { url, ...settings, scrapeOptions } });
        const { data } = z.looseObject({ jobId: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse("Hyperbrowser");
        return data.jobId;
      },
      check: async (jobId) => {
        const { body } = await io.send({ url: `${place}/${jobId}/status` });
        const { data } = z.looseObject({ status: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse("Hyperbrowser");
        if (data.status === "completed") return { done: jobId };
        return ["failed", "stopped"].includes(data.status)
          ? { failed: `it is ${data.status}` }
          : "running";
      },
      lookAgain: (jobId) => `GET ${place}/${jobId}/status tells how it stands`,
    });
    const pages: z.output<typeof page>[] = [];
    for (let number = 1, last = 1; number <= Math.min(last, MAX_ANSWERS); number++) {
      const { body } = await io.send({
        url: `${place}/${id}`,
        query: operation === "crawl" ? { page: number } : {},
        maxBytes: 12 << 20,
      });
      const { data } = job.safeParse(body);
      if (data === undefined) throw badResponse("Hyperbrowser");
      if (data.error)
        throw serviceFailure({ code: "failed", message: `Hyperbrowser: ${data.error}` });
      pages.push(...[data.data ?? []].flat());
      last = data.totalPageBatches ?? 1;
    }
    const read = pages.map((each): ReadPage => ({
      url: each.url ?? url,
      title: typeof each.metadata?.title === "string" ? each.metadata.title : undefined,
      text: each.markdown ?? each.html ?? "",
    }));
    return pageResult(read, { data: { pages } as unknown as JsonValue });
  },
});
