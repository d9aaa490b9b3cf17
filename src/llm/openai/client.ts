// Requests to OpenAI, and to everything that speaks its dialect.
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";
import type * as Sdk from "./sdk.ts";

export type OpenAIClient = ProviderClient<typeof Sdk>;

/** A client, with the SDK loaded. */
export async function openaiClient(options: ProviderClientOptions): Promise<OpenAIClient> {
  const { apiKey } = options.connection;
  return new ProviderClient(await import("./sdk.ts"), options, {
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    errorBody,
  });
}

/** The body in the form `{ error }`. Some providers send the error itself, as `{ message }`. */
function errorBody(json: unknown): object {
  const { error } = (json ?? {}) as { readonly error?: unknown };
  return error === undefined || error === null ? { error: json } : { error };
}
