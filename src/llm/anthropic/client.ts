// Requests to Anthropic, and to what speaks its messages API.
import { ProviderClient, type ProviderClientOptions } from "../provider-client.ts";
import type * as Sdk from "./sdk.ts";

export type AnthropicClient = ProviderClient<typeof Sdk>;

/** The API's version: that of the SDK whose types are used. */
const VERSION = "2026-10-21";

/** A client, with the SDK loaded. Its paths start with `/v1`, which a base URL may have or not. */
export async function anthropicClient(options: ProviderClientOptions): Promise<AnthropicClient> {
  const { connection } = options;
  const { apiKey } = connection;
  return new ProviderClient(
    await import("./sdk.ts"),
    { ...options, connection: { ...connection, baseUrl: connection.baseUrl.replace(/\/v1$/, "") } },
    {
      headers: {
        "anthropic-version": VERSION,
        ...(apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` }),
      },
    },
  );
}
