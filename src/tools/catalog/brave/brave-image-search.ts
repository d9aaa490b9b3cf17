import * as z from "zod";
import { braveInput, COMMON } from "./brave-input.ts";
import { braveTool } from "./brave-tool.ts";

/** Images found by Brave Search. */
export const braveImageSearch = braveTool({
  className: "BraveImageSearchTool",
  displayName: "Brave Image Search",
  description: "Finds images with Brave Search: titles, addresses of the images, their sizes.",
  path: "images/search",
  maxCount: 200,
  input: () =>
    braveInput("q", [...COMMON, "spellcheck"], { maxCount: 200 }).extend({
      safesearch: z.enum(["off", "strict"]).optional(),
    }),
  result: ({ results = [] }) => {
    const data = results.map(({ title, properties }) => {
      const { url, width, height } = (properties ?? {}) as {
        readonly url?: string;
        readonly width?: number;
        readonly height?: number;
      };
      return { title, url, dimensions: width && height ? `${width}x${height}` : undefined };
    });
    return {
      found: data.map(({ title, url, dimensions }) => ({
        title: title ?? undefined,
        url,
        snippet: dimensions,
      })),
      data,
    };
  },
});
