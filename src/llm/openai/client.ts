import type * as Sdk from "./sdk.ts";
import type { Connection } from "../connection.ts";

export type OpenAIClient = { readonly sdk: typeof Sdk; readonly client: Sdk.OpenAI };

/** How long the SDK waits for the first byte when the settings say nothing, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 600_000;

/** A client of the SDK, which is loaded with the first one. */
export async function openaiClient(
  { apiKey, baseUrl, headers, query }: Connection,
  {
    fetch,
    settings,
  }: {
    readonly fetch: typeof globalThis.fetch | undefined;
    readonly settings: { readonly timeoutMs?: number };
  },
): Promise<OpenAIClient> {
  const sdk = await import("./sdk.ts");
  const client = new sdk.OpenAI({
    // The SDK requires a key even if none is sent, and reads other settings from the process unless they are set here.
    apiKey: apiKey ?? "none",
    organization: null,
    project: null,
    adminAPIKey: null,
    baseURL: baseUrl,
    defaultHeaders: { ...headers, ...(apiKey === undefined ? { Authorization: null } : {}) },
    defaultQuery: query,
    // Retry belongs to the step that made the call: a hidden second attempt would double effects and waits.
    maxRetries: 0,
    timeout: Math.max(settings.timeoutMs ?? 0, FIRST_BYTE_TIMEOUT_MS),
    logLevel: "off",
    ...(fetch ? { fetch } : {}),
  });
  return { sdk, client };
}
