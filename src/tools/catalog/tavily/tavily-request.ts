// Shared code of the tools of Tavily.
import * as z from "zod";
import type { ResultCost } from "../../tool-result.ts";
import type { CatalogVariable } from "../base/entry.ts";
import type { ToolRequest } from "../base/request.ts";
import { credits } from "../base/results.ts";
import type { ToolIo } from "../base/tool-io.ts";

/** Key required for research. Search and extraction also work without it, within limits. */
export const TAVILY_KEY: CatalogVariable = {
  name: "TAVILY_API_KEY",
  description: "the key of tavily.com",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "apiKey",
};

export const TAVILY_HOSTS = ["api.tavily.com"];

/** Properties of the tools that also work without a key. */
export const TAVILY_READ = {
  service: "Tavily",
  effectClass: "R",
  env: [{ ...TAVILY_KEY, required: false }],
  hosts: TAVILY_HOSTS,
} as const;

/** Creates a request with the key, or one marked as having no key. */
export function tavilyRequest(
  path: "search" | "extract",
  { timeout, ...body }: { readonly timeout: number; readonly [field: string]: unknown },
  io: ToolIo,
): ToolRequest {
  const hasKey = io.value(TAVILY_KEY.name) !== undefined;
  return {
    url: `https://api.tavily.com/${path}`,
    timeoutMs: timeout * 1000,
    ...(hasKey ? undefined : { headers: { "X-Tavily-Access-Mode": "keyless" } }),
    body: hasKey ? { ...body, include_usage: true } : body,
  };
}

/** Usage in a response, if requested from Tavily. */
export const usage = () => z.looseObject({ credits: z.number().optional() }).optional();

export function tavilyCost(
  spent: { readonly credits?: number | undefined } | undefined,
): ResultCost | undefined {
  return credits(spent?.credits);
}

/** State and result of research. */
export const research = () =>
  z.looseObject({
    request_id: z.string().optional(),
    status: z.string(),
    content: z.unknown().optional(),
    sources: z.array(z.looseObject({ title: z.string().nullish(), url: z.string() })).optional(),
    usage: usage(),
  });

/** Returns a report as text for the model. */
export function reportText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content, null, 1);
}
