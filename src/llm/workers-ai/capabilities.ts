import { behaves } from "../providers/model-rows.ts";

/** True for models that answer in JSON of a schema: developers.cloudflare.com/workers-ai/features/json-mode. */
export function takesResponseSchema(model: string): boolean {
  return behaves(model, "response_schema");
}
