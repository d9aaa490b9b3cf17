// Requests to OpenAI, and to everything that speaks its dialect.
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";

export function openaiClient(options: ProviderClientOptions): ProviderClient {
  const { apiKey } = options.connection;
  return new ProviderClient(options, {
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    errorIn,
  });
}

/** Some providers send the error itself, as `{ message }`, and Gemini a list of one. */
function errorIn(json: unknown): unknown {
  const body: unknown = Array.isArray(json) ? json[0] : json;
  return (body as { readonly error?: unknown } | null)?.error ?? body;
}
