import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";
import { proxyLocation, SERPLY_HOSTS, SERPLY_KEY } from "./serply-tool.ts";

/** Reads a page as Markdown through Serply. */
export const serplyWebpageToMarkdown = catalogTool({
  className: "SerplyWebpageToMarkdownTool",
  displayName: "Webpage to Markdown",
  group: "web",
  service: "Serply",
  effectClass: "R",
  description: "Reads a web page and gives its text as Markdown.",
  input: () => z.object({ url: pageArgument() }),
  options: () => z.object({ proxyLocation: proxyLocation() }),
  env: [SERPLY_KEY],
  hosts: SERPLY_HOSTS,
  run: async ({ url: page }, { proxyLocation: location }, io) => {
    const url = publicAddress(page, io);
    const { body } = await io.send({
      url: "https://api.serply.io/v1/request",
      headers: { "X-Proxy-Location": location },
      body: { url, method: "GET", response_type: "markdown" },
      expects: "text",
    });
    return pageResult([{ url, text: typeof body === "string" ? body : "" }]);
  },
});
