import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { publicAddress } from "../web/page-argument.ts";
import { tavilyCost, tavilyRequest, usage, TAVILY_READ } from "./tavily-request.ts";

/** Content of pages, read by Tavily. */
export const tavilyExtractor = httpTool({
  ...TAVILY_READ,
  className: "TavilyExtractorTool",
  displayName: "TavilyExtractorTool",
  group: "web",
  description: "Reads web pages with Tavily, up to 20 at once, and gives their content.",
  input: () =>
    z.object({
      urls: z
        .union([z.string(), z.array(z.string()).min(1).max(20)])
        .describe("An address, or up to 20"),
    }),
  options: () =>
    z.object({
      extractDepth: z.enum(["basic", "advanced"]).default("basic"),
      includeImages: z.boolean().default(false),
      timeout: z.number().positive().default(60),
    }),
  request: ({ urls }, { extractDepth, includeImages, timeout }, io) =>
    tavilyRequest(
      "extract",
      {
        urls: [urls].flat().map((url) => publicAddress(url, io)),
        extract_depth: extractDepth,
        include_images: includeImages,
        timeout,
      },
      io,
    ),
  answer: () =>
    z.looseObject({
      results: z.array(
        z.looseObject({
          url: z.string(),
          title: z.string().nullish(),
          raw_content: z.string().nullish(),
        }),
      ),
      failed_results: z
        .array(z.looseObject({ url: z.string(), error: z.string().nullish() }))
        .optional(),
      usage: usage(),
    }),
  result: (answer) => {
    const { results, failed_results: failed = [] } = answer;
    const pages = results.map(({ url, title, raw_content: content }) =>
      [title ? `# ${title}` : undefined, url, content].filter(Boolean).join("\n"),
    );
    const faults = failed.map(
      ({ url, error }) => `${url} could not be read: ${error ?? "unknown"}`,
    );
    const cost = tavilyCost(answer.usage);
    return toolResult({
      text: [...pages, ...faults].join("\n\n") || "Nothing was read.",
      data: answer as never,
      sources: results.map(({ url, title }) => (title ? { url, title } : { url })),
      ...(cost === undefined ? undefined : { cost }),
    });
  },
});
