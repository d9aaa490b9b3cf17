// Requests to OpenAI, and to everything that speaks its dialect.
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";
import { fieldsOf } from "../wire.ts";
import * as errors from "./sdk.ts";

export function openaiClient(options: ProviderClientOptions): ProviderClient {
  const { apiKey } = options.connection;
  return new ProviderClient(options, {
    errors,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    errorBody,
    streamError: (data, headers) =>
      new errors.APIError(undefined, (errorOf(data) ?? data) as object, undefined, headers),
  });
}

/** The body in the form `{ error }`. Some providers send the error itself, as `{ message }`, and Gemini a list of one. */
function errorBody(json: unknown): object {
  const body: unknown = Array.isArray(json) ? json[0] : json;
  return { error: errorOf(body) ?? body };
}

function errorOf(json: unknown): unknown {
  const { error, error_message: message, error_type: type } = fieldsOf(json);
  return error ?? (message === undefined ? undefined : { message, type });
}
