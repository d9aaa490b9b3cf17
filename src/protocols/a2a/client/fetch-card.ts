// Finds the card of a remote agent.
//
//   AXF1. A card is cached for five minutes, per tenant, endpoint and credentials. A run has it on record: each of its
//         drives sees the same.
//   AXF2. The well-known path comes first, then the one of older agents. An endpoint ending in `.json` is the card
//         itself.
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, preview, parsedJson, type JsonObject } from "../../../base/json.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { AgentAccess } from "./access.ts";
import { verifiedCard } from "./card-signature.ts";
import type { RemoteAgentConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { readRemoteJson } from "./remote-http.ts";

/** Cards of one isolate. */
export type CardCache = Map<string, { readonly card: JsonObject; readonly untilMs: number }>;

const KEPT_MS = 300_000;
const MAX_CARD_BYTES = 262_144;
const MAX_KEPT = 1_000;
const NEW_PATH = "/.well-known/agent-card.json";
const OLD_PATH = "/.well-known/agent.json";

export type CardRequest = {
  readonly config: RemoteAgentConfig;
  readonly access: AgentAccess;
  readonly credentials: Credentials;
  readonly cache: CardCache;
  readonly unauthorized: (status: number) => void;
  /** Returns the extended card for these credentials, or the same card. */
  readonly extended: (card: JsonObject) => Promise<JsonObject>;
};

/**
 * Returns the card, and true for `cached` if it came from the cache. Throws for an unreachable agent or an invalid
 * card.
 */
export async function fetchCard(
  request: CardRequest,
): Promise<{ readonly card: JsonObject; readonly cached: boolean }> {
  const { config, access, cache } = request;
  const { endpoint, auth, cardSignature } = config;
  const { clock, tenant } = access.base;
  const key = sha256Hex(JSON.stringify([tenant, access.fromData, endpoint, auth, cardSignature]));
  const kept = cache.get(key);
  if (kept !== undefined && kept.untilMs > clock.now()) return { card: kept.card, cached: true };
  const found = await firstCard(request);
  const card =
    cardSignature === undefined ? await request.extended(found) : await signedCard(found, request);
  if (cache.size >= MAX_KEPT) cache.delete(cache.keys().next().value ?? "");
  cache.set(key, { card, untilMs: clock.now() + KEPT_MS });
  return { card, cached: false };
}

async function firstCard(request: CardRequest): Promise<JsonObject> {
  const addresses = addressesOf(request.config.endpoint);
  let last: EngineError | undefined;
  for (const address of addresses) {
    const { status, text } = await read(address, request, "card");
    if (status === 404 || status === 405 || status === 410) {
      last = new EngineError("not_found", `there is no agent card at ${address} (${status})`);
      continue;
    }
    return cardIn(text, { status, address });
  }
  throw (
    last ?? new EngineError("not_found", `there is no agent card at ${request.config.endpoint}`)
  );
}

function cardIn(
  text: string,
  { status, address }: { readonly status: number; readonly address: string },
): JsonObject {
  const where = `the agent card at ${address}`;
  if (status === 401 || status === 403)
    throw new EngineError("unauthorized", `${where} is not shown without other auth (${status})`);
  if (status >= 400 || status < 200)
    throw new EngineError("tool_failed", `${where} cannot be read: the server answered ${status}`, {
      retryable: status >= 500 || status === 429,
    });
  const value = parsedJson(text);
  if (value === undefined)
    throw new EngineError("tool_failed", `${where} must be JSON, got ${preview(text, 120)}`);
  if (isJsonObject(value)) return value;
  throw new EngineError("tool_failed", `${where} must be an object, got ${preview(value, 120)}`);
}

async function signedCard(card: JsonObject, request: CardRequest): Promise<JsonObject> {
  const { cardSignature: rule } = request.config;
  if (rule === undefined) return card;
  const { keys = [], jwksUrl, algorithms } = rule;
  const fetched = jwksUrl === undefined ? [] : await keysAt(jwksUrl, request);
  return verifiedCard(card, { keys: [...keys, ...fetched], algorithms });
}

async function keysAt(address: string, request: CardRequest): Promise<readonly JsonObject[]> {
  const { text } = await read(address, request, "keys");
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (Array.isArray(keys)) return keys.filter(isJsonObject);
  } catch {
    // reported by the error below
  }
  throw new EngineError(
    "tool_failed",
    `cardSignature.jwksUrl must answer with a JWK set ({ "keys": [...] }), got ${preview(text, 120)}`,
  );
}

function read(
  address: string,
  { config, access, credentials, unauthorized }: CardRequest,
  what: "card" | "keys",
): Promise<{ readonly status: number; readonly text: string }> {
  return readRemoteJson(address, {
    access,
    credentials,
    what: `the ${what === "card" ? "agent card" : "key set"} at ${address}`,
    timeoutMs: Math.min(config.timeout, 30) * 1000,
    unauthorized,
    maxBytes: MAX_CARD_BYTES,
    showsCredentials: what === "card",
  });
}

/** Possible addresses of a card (AXF2). */
export function addressesOf(endpoint: string): readonly string[] {
  const url = new URL(endpoint);
  if (url.pathname.endsWith(".json")) return [url.href];
  const base = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return [
    ...new Set([
      `${base}${NEW_PATH}`,
      `${base}${OLD_PATH}`,
      `${url.origin}${NEW_PATH}`,
      `${url.origin}${OLD_PATH}`,
    ]),
  ].map((address) => `${address}${url.search}`);
}
