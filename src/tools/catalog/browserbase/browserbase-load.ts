import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { failureOfStatus } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";

/** Reads a page through Browserbase. */
export const browserbaseLoad = httpTool({
  className: "BrowserbaseLoadTool",
  displayName: "Browserbase web load tool",
  group: "web",
  service: "Browserbase",
  effectClass: "R",
  description: "Reads a web page as a browser asks for it, and gives its content.",
  input: () => z.object({ url: pageArgument() }),
  options: () =>
    z.object({
      textContent: z.boolean().default(false),
      proxy: z.boolean().optional(),
      projectId: z.string().optional(),
    }),
  fixable: ["url"],
  env: [
    {
      name: "BROWSERBASE_API_KEY",
      description: "the key of browserbase.com",
      send: { header: "X-BB-API-Key" },
      option: "apiKey",
    },
  ],
  hosts: ["api.browserbase.com"],
  request: ({ url }, { textContent, proxy: proxies }, io) => ({
    url: "https://api.browserbase.com/v1/fetch",
    body: {
      url: publicAddress(url, io),
      format: textContent ? "markdown" : "raw",
      proxies,
      allowRedirects: true,
    },
  }),
  answer: () =>
    z.looseObject({
      content: z.json(),
      contentType: z.string().nullish(),
      statusCode: z.number().optional(),
    }),
  result: ({ content, statusCode = 200 }, { input: { url }, response }) => {
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 1);
    if (statusCode >= 400)
      throw failureOfStatus({
        status: statusCode,
        headers: new Headers(),
        body: null,
        service: url,
        nowMs: 0,
      });
    return pageResult([{ url, text }], { data: response.body });
  },
});
