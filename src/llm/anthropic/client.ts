// Requests to Anthropic, and to other servers with its messages API.
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";

/** API version of the SDK whose types are used. */
const VERSION = "2026-10-21";

/** Its paths start with `/v1`, which a base URL may have or not. */
export function anthropicClient(options: ProviderClientOptions): ProviderClient {
  const { connection } = options;
  const { apiKey } = connection;
  const baseUrl = connection.baseUrl.replace(/\/v1$/, "");
  return new ProviderClient(
    { ...options, connection: { ...connection, baseUrl } },
    {
      headers: {
        "anthropic-version": VERSION,
        ...(apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` }),
      },
    },
  );
}
