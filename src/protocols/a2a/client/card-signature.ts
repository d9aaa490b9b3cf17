// Signatures of agent cards (A2A 1.0 section 8.4; JWS with a detached payload).
//
//   AXS1. One signature by one of the configured keys is enough. A card without one is refused.
//   AXS2. Only signed members of a card are used; all others are left out.
//   AXS3. Keys come from the settings alone: a key address on the card proves nothing.
import { AgentCard as CardCodec, canonicalizeAgentCard } from "@a2a-js/sdk";
import { flattenedVerify, importJWK, type JWK } from "jose";
import { toBase64Url } from "../../../base/bytes.ts";
import { EngineError } from "../../../base/error.ts";
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../base/json.ts";

const MAX_SIGNATURES = 10;

export type SignatureRule = {
  readonly keys: readonly JsonObject[];
  readonly algorithms: readonly string[];
};

/** Returns the signed members of a card. Fails with `unauthorized` for a card without a signature by the keys. */
export async function verifiedCard(card: JsonObject, rule: SignatureRule): Promise<JsonObject> {
  const { signatures } = card;
  const listed = Array.isArray(signatures) ? (signatures as readonly JsonValue[]) : [];
  for (const payload of payloadsOf(card))
    for (const signature of listed.slice(0, MAX_SIGNATURES))
      if (isJsonObject(signature) && (await isSigned(payload, signature, rule)))
        return JSON.parse(payload) as JsonObject;
  throw new EngineError(
    "unauthorized",
    listed.length === 0
      ? "the agent card must be signed by one of the keys of cardSignature, and has no signature"
      : `no key of cardSignature made any of the ${listed.length} signatures of the agent card`,
  );
}

/** Yields the possible signed texts: the canonical form of A2A 1.0, and the whole card with sorted names. */
function* payloadsOf(card: JsonObject): Generator<string> {
  const { signatures: _, ...unsigned } = card;
  try {
    yield canonicalizeAgentCard(CardCodec.fromJSON(unsigned));
  } catch {
    // a card unreadable for 1.0 has only its other form
  }
  yield canonicalJson(withoutNulls(unsigned));
}

async function isSigned(
  payload: string,
  { protected: header, signature }: JsonObject,
  { keys, algorithms }: SignatureRule,
): Promise<boolean> {
  if (typeof header !== "string" || typeof signature !== "string") return false;
  const jws = {
    protected: header,
    signature,
    payload: toBase64Url(new TextEncoder().encode(payload)),
  };
  const kid = kidOf(header);
  const named = keys.filter(
    (key) => kid === undefined || key["kid"] === undefined || key["kid"] === kid,
  );
  for (const key of named)
    for (const algorithm of algorithms) {
      try {
        const imported = await importJWK(key as JWK, algorithm);
        await flattenedVerify(jws, imported, { algorithms: [algorithm] });
        return true;
      } catch {
        // another key or algorithm may fit
      }
    }
  return false;
}

function kidOf(header: string): string | undefined {
  try {
    const text = atob(header.replaceAll("-", "+").replaceAll("_", "/"));
    const { kid } = JSON.parse(text) as { kid?: unknown };
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name, withoutNulls(each)]),
  );
}
