import { openaiClient } from "../openai/client.ts";
import type { ProviderClient, ProviderClientOptions } from "../provider-client.ts";

/** Creates a client for Google's own API, whose errors and events have the form of OpenAI's. */
export function geminiClient(options: ProviderClientOptions): ProviderClient {
  const { apiKey, headers, ...connection } = options.connection;
  const key = apiKey === undefined ? {} : { "x-goog-api-key": apiKey };
  return openaiClient({
    ...options,
    connection: { ...connection, apiKey: undefined, headers: { ...key, ...headers } },
  });
}
