// Requests to OpenAI, and to all servers with its dialect.
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";
import { fieldsOf } from "../wire.ts";

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
  const { error, error_message: message, error_type: type } = fieldsOf(body);
  return error ?? (message === undefined ? body : { message, type });
}
