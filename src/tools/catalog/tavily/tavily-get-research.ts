import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { research, TAVILY_HOSTS, TAVILY_KEY } from "./tavily-request.ts";
import { researchResult } from "./tavily-research.ts";

/** Results of research at Tavily. */
export const tavilyGetResearch = httpTool({
  className: "TavilyGetResearchTool",
  displayName: "Tavily Get Research",
  group: "search",
  service: "Tavily",
  effectClass: "R",
  cache: false,
  description: "Tells how far research at Tavily is, and gives its report once that is done.",
  input: () =>
    z.object({ request_id: z.string().min(1).describe("The id that the research was given") }),
  options: () => z.object({}),
  env: [TAVILY_KEY],
  hosts: TAVILY_HOSTS,
  request: ({ request_id: id }) => ({
    url: `https://api.tavily.com/research/${encodeURIComponent(id)}`,
  }),
  answer: research,
  result: researchResult,
});
