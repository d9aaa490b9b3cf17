import * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { sourcesOf } from "../base/results.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { reportText, research, TAVILY_HOSTS, TAVILY_KEY, tavilyCost } from "./tavily-request.ts";

const shape = () => ({
  model: z.enum(["auto", "mini", "pro"]),
  output_schema: z.record(z.string(), z.unknown()).describe("JSON Schema of the report"),
  citation_format: z.enum(["numbered", "mla", "apa", "chicago"]),
});

const WAIT_MS = 30 * 60_000;
const URL_BASE = "https://api.tavily.com/research";

/** Research by Tavily: started only, or awaited until its report is complete. */
export const tavilyResearch = catalogTool({
  className: "TavilyResearchTool",
  displayName: "Tavily Research",
  group: "search",
  service: "Tavily",
  effectClass: "R",
  description: ({ wait }) =>
    wait
      ? "Has Tavily research a question on the web, and gives its report; this takes minutes."
      : "Has Tavily begin to research a question on the web. Gives the id with which the report is asked for.",
  input: () => {
    const { model, output_schema: schema, citation_format: format } = shape();
    return z.object({
      input: z.string().min(1).describe("The question or task to research"),
      model: model.optional(),
      output_schema: schema.optional(),
      stream: z.boolean().optional().describe("Not possible here"),
      citation_format: format.optional(),
    });
  },
  options: () => {
    const { model, output_schema: schema, citation_format: format } = shape();
    return z.object({
      model: model.default("auto"),
      outputSchema: schema.optional(),
      stream: z.literal(false).default(false),
      citationFormat: format.default("numbered"),
      wait: z.boolean().default(false),
    });
  },
  env: [TAVILY_KEY],
  hosts: TAVILY_HOSTS,
  run: async ({ stream, ...input }, options, io) => {
    if (stream === true)
      throw serviceFailure({
        code: "bad_request",
        message: "Research cannot be streamed here: leave out stream.",
      });
    const { outputSchema: schema, citationFormat: format } = options;
    const body = { model: options.model, output_schema: schema, citation_format: format, ...input };
    const begin = async (): Promise<JsonObject & { request_id: string }> => {
      const begun = z.looseObject({ request_id: z.string() });
      const { data } = begun.safeParse((await io.send({ url: URL_BASE, body })).body);
      if (data === undefined) throw badResponse("Tavily", "no request_id");
      return data as never;
    };
    if (!options.wait) return begin();
    const report = await io.poll<JsonObject>({
      start: async () => (await begin()).request_id,
      check: async (id) => {
        const { body: answer } = await io.send({ url: `${URL_BASE}/${encodeURIComponent(id)}` });
        const state = research().safeParse(answer);
        if (!state.success) throw badResponse("Tavily");
        if (state.data.status === "failed") return { failed: "the research failed" };
        return state.data.status === "completed" ? { done: answer as JsonObject } : "running";
      },
      untilMs: WAIT_MS,
      lookAgain: (id) => `ask TavilyGetResearchTool for ${id} later`,
    });
    return researchResult(research().parse(report));
  },
});

/** Returns the report of finished research. */
export function researchResult(answer: z.output<ReturnType<typeof research>>): unknown {
  const { content, sources = [], usage } = answer;
  const cost = tavilyCost(usage);
  return toolResult({
    text: reportText(content ?? answer),
    data: answer as never,
    sources: sourcesOf(sources.map(({ url, title }) => ({ url, title: title ?? undefined }))),
    ...(cost === undefined ? undefined : { cost }),
  });
}
