// Actions of apps such as Gmail and Slack connected to an account of CrewAI.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { decodeJson } from "../base/decode-json.ts";
import { httpsAddress } from "../base/https-address.ts";
import { badResponse, serviceFailure, wordsOf } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

const PLATFORM_TOKEN = {
  name: "CREWAI_PLATFORM_INTEGRATION_TOKEN",
  description: "the integration token of CrewAI's platform",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "enterpriseActionToken",
} as const satisfies CatalogVariable;

export const CREWAI_PLUS_URL = {
  name: "CREWAI_PLUS_URL",
  description: "the address of CrewAI's platform",
  default: "https://app.crewai.com",
  isPlain: true,
} as const satisfies CatalogVariable;

export const PLATFORM = {
  group: "automation",
  service: "CrewAI",
  effectClass: "X",
  untrusted: true,
  env: [PLATFORM_TOKEN, CREWAI_PLUS_URL],
  hosts: (_: unknown, valueOf: (name: string) => string | undefined) => [
    httpsAddress(plusUrl(valueOf)).host,
  ],
  timeoutMs: 60_000,
} as const;

export function plusUrl(valueOf: (name: string) => string | undefined): string {
  const address = valueOf(CREWAI_PLUS_URL.name) ?? CREWAI_PLUS_URL.default;
  return httpsAddress(address).href.replace(/\/+$/, "");
}

/** Returns the address of the platform's actions. */
export function actionsUrl(io: ToolIo): string {
  return `${plusUrl((name) => io.value(name))}/crewai_plus/api/v1/integrations/actions`;
}

/** The platform reports the outcome of an action in its status. Only these statuses have their usual meaning. */
const USUAL: ReadonlySet<number> = new Set([401, 403, 429]);
const SAID = Array.from({ length: 200 }, (_, index) => 400 + index).filter(
  (status) => !USUAL.has(status),
);

/** Has the platform perform an action. */
export async function executeAction(
  io: ToolIo,
  { name, input }: { readonly name: string; readonly input: JsonObject },
): Promise<JsonValue> {
  const set = Object.entries(input).filter(([, value]) => value !== null);
  const { status, body: text } = await io.send({
    url: `${actionsUrl(io)}/${encodeURIComponent(name)}/execute`,
    body: { integration: set.length === 0 ? { _noop: true } : Object.fromEntries(set) },
    accepts: SAID,
    expects: "text",
  });
  const said = typeof text === "string" ? text : "";
  const body = decodeJson(said, () => (status < 400 ? badResponse("CrewAI", "no JSON") : said));
  if (status < 400) return body;
  const { error = body } = isJsonObject(body) ? body : {};
  throw serviceFailure({
    code: String(status),
    message: `CrewAI could not perform ${name}: ${wordsOf(error).slice(0, 500) || status}`,
    retryable: status >= 500,
  });
}
