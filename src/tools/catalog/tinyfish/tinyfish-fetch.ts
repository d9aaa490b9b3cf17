import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";
import { publicAddress } from "../web/page-argument.ts";
import { TINYFISH_KEY } from "./tinyfish-key.ts";

/** Content of pages, read by TinyFish's browsers. */
export const tinyfishFetch = httpTool({
  className: "TinyFishFetchTool",
  otherNames: ["tinyfish_fetch"],
  displayName: "tinyfish_fetch",
  group: "web",
  service: "TinyFish",
  effectClass: "R",
  description: "Reads web pages with a browser, up to 10 at once, and gives their content.",
  input: () =>
    z.object({
      urls: z.array(z.string()).min(1).max(10).describe("Addresses of pages"),
      format: z.enum(["markdown", "html", "json"]).optional(),
      links: z.boolean().optional().describe("Also lists links"),
      image_links: z.boolean().optional(),
    }),
  options: () => z.object({}),
  env: [TINYFISH_KEY],
  hosts: ["api.fetch.tinyfish.ai"],
  timeoutMs: 120_000,
  request: (body, _, io) => {
    const urls = body.urls.map((url) => publicAddress(url, io));
    return { url: "https://api.fetch.tinyfish.ai/", body: { ...body, urls } };
  },
  answer: () =>
    z.looseObject({
      results: z.array(
        z.looseObject({
          url: z.string(),
          final_url: z.string().nullish(),
          title: z.string().nullish(),
          published_date: z.string().nullish(),
          text: z.json().optional(),
        }),
      ),
      errors: z.array(z.looseObject({ url: z.string(), error: z.string().nullish() })).default([]),
    }),
  result: (answer) => {
    const pages = answer.results.map(({ url, final_url: last, title, text = "", ...rest }) => ({
      url: last ?? url,
      title: title ?? undefined,
      date: rest.published_date ?? undefined,
      content: typeof text === "string" ? text : JSON.stringify(text, null, 1),
    }));
    return toolResult({
      text:
        [
          ...pages.map(({ url, title, content }) =>
            [title && `# ${title}`, url, content].filter(Boolean).join("\n"),
          ),
          ...answer.errors.map(
            ({ url, error }) => `${url} could not be read: ${error ?? "unknown"}`,
          ),
        ].join("\n\n") || "Nothing was read.",
      data: answer as never,
      sources: sourcesOf(pages),
    });
  },
});
