import * as z from "zod";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import { badResponse } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

export const PATRONUS = "https://api.patronus.ai/v1";
export const PATRONUS_HOSTS = ["api.patronus.ai"];
export const PATRONUS_KEY = {
  name: "PATRONUS_API_KEY",
  description: "Key of Patronus AI",
  option: "apiKey",
  send: { header: "X-API-KEY" },
} as const;

const answer = () => z.looseObject({ results: z.array(z.unknown()) });

/** Has evaluators judge a model's work. */
export async function evaluate(io: ToolIo, body: object): Promise<ToolResult> {
  const response = await io.send({ method: "POST", url: `${PATRONUS}/evaluate`, body });
  const { data } = answer().safeParse(response.body);
  if (data === undefined) throw badResponse("Patronus AI");
  return toolResult({ text: JSON.stringify(data, null, 1), data: response.body });
}
