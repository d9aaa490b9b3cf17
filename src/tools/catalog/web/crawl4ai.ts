import * as z from "zod";
import { badResponse } from "../base/service-failure.ts";
import { browse, BROWSER_HOSTS, BROWSER_VARIABLES } from "./browser.ts";
import { PAGE_OPTIONS } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";

/** Reads a page as Markdown after its scripts have run. */
export const crawl4ai = pageTool({
  className: "crawl4ai",
  displayName: "crawl4ai",
  group: "web",
  service: "Browser Run",
  effectClass: "R",
  description: "Opens a web page in a browser, lets its scripts run, and returns it as Markdown.",
  input: () => z.object({ url: z.string().min(1).max(4096).describe("Address of the page") }),
  options: () => z.object(PAGE_OPTIONS),
  env: BROWSER_VARIABLES,
  hosts: BROWSER_HOSTS,
  bindings: ["BROWSER"],
  timeoutMs: 60_000,
  run: async ({ url: address }, page, io) => {
    const answer = await browse(io, "markdown", { address, page, tool: "crawl4ai" });
    if (typeof answer.result !== "string") throw badResponse("Browser Run");
    return pageResult(answer.result, answer);
  },
});
