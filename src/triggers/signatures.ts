// Verification of signed deliveries: always HMAC-SHA256 over the raw body. `crypto.subtle.verify` compares in constant
// time.
//
//   SG1. Every delivery with a missing or wrong signature gets the same answer, from webhooks of any scheme and from
//        unknown webhooks. It names the headers of all schemes. So senders cannot find out a tenant's webhooks.
//   SG2. The time is checked, and a wrong time reported, only after the signature was verified.
import { EngineError, unreachable } from "../base/error.ts";
import { webhookKey } from "../security/webhook.ts";
import type { WebhookDefinition } from "./webhook-store.ts";

/** Maximum difference between a delivery's time and now, for schemes with a time. */
const TOLERANCE_SECONDS = 300;
/** Maximum number of signatures checked. Senders add a second one while they rotate their secret. */
const MAX_SIGNATURES = 5;

type Bytes = Uint8Array<ArrayBuffer>;

/** Signature headers of a delivery. */
export type SignedHeaders = {
  readonly signatures: readonly Bytes[];
  /** The signed text in front of the body. */
  readonly prefix: string;
  /** Time of the signature, in seconds since the epoch. */
  readonly atSeconds?: number;
  /** The sender's id of the delivery, if a header has it. */
  readonly deliveryId?: string;
};

type Scheme = Pick<
  WebhookDefinition,
  "scheme" | "signatureHeader" | "idHeader" | "timestampHeader"
>;

/** Reads the signature headers. Fails with `unauthorized` for a missing header. */
export function signedHeaders(scheme: Scheme, headers: Headers): SignedHeaders {
  switch (scheme.scheme) {
    case "github": {
      const signature = needed(headers, "X-Hub-Signature-256");
      const deliveryId = needed(headers, "X-GitHub-Delivery");
      return { signatures: hexAfter(signature, "sha256="), prefix: "", deliveryId };
    }
    case "stripe":
      return stripeHeaders(needed(headers, "Stripe-Signature"));
    case "slack": {
      const time = needed(headers, "X-Slack-Request-Timestamp");
      const signatures = hexAfter(needed(headers, "X-Slack-Signature"), "v0=");
      return { signatures, prefix: `v0:${time}:`, atSeconds: secondsOf(time) };
    }
    case "standard": {
      const deliveryId = needed(headers, "webhook-id");
      const time = needed(headers, "webhook-timestamp");
      const signatures = needed(headers, "webhook-signature")
        .split(" ")
        .flatMap((each) => (each.startsWith("v1,") ? fromBase64(each.slice(3)) : []));
      const prefix = `${deliveryId}.${time}.`;
      return { signatures, prefix, atSeconds: secondsOf(time), deliveryId };
    }
    case "hmac":
      return plainHeaders(scheme, headers);
    default:
      return unreachable(scheme.scheme);
  }
}

function stripeHeaders(header: string): SignedHeaders {
  const fields = header.split(",").map((field) => field.trim().split("="));
  const time = fields.find(([name]) => name === "t")?.[1] ?? "";
  const signatures = fields.flatMap(([name, value = ""]) => (name === "v1" ? fromHex(value) : []));
  return { signatures, prefix: `${time}.`, atSeconds: secondsOf(time) };
}

function plainHeaders(
  { signatureHeader = "x-signature", idHeader, timestampHeader }: Scheme,
  headers: Headers,
): SignedHeaders {
  const signature = needed(headers, signatureHeader).replace(/^sha256=/, "");
  const hex = fromHex(signature);
  const time = timestampHeader === undefined ? undefined : needed(headers, timestampHeader);
  return {
    signatures: hex.length > 0 ? hex : fromBase64(signature),
    prefix: time === undefined ? "" : `${time}.`,
    ...(time === undefined ? undefined : { atSeconds: secondsOf(time) }),
    ...(idHeader === undefined ? undefined : { deliveryId: needed(headers, idHeader) }),
  };
}

/** Fails with `unauthorized` unless one of the secrets made one of the signatures. */
export async function verifySignature(
  signed: SignedHeaders,
  {
    scheme,
    body,
    secrets,
  }: {
    readonly scheme: WebhookDefinition["scheme"];
    readonly body: Uint8Array;
    readonly secrets: readonly string[];
  },
): Promise<void> {
  const prefix = new TextEncoder().encode(signed.prefix);
  const content = new Uint8Array(prefix.length + body.length);
  content.set(prefix);
  content.set(body, prefix.length);
  let isSigned = false;
  for (const secret of secrets) {
    const key = await importedKey(scheme, secret);
    for (const signature of signed.signatures.slice(0, MAX_SIGNATURES))
      if (await crypto.subtle.verify("HMAC", key, signature, content)) isSigned = true;
  }
  if (!isSigned) throw notSigned();
}

/** Fails with `unauthorized` for a delivery outside `TOLERANCE_SECONDS` (SG2: after its signature was verified). */
export function checkTime(signed: SignedHeaders, nowMs: number): void {
  if (signed.atSeconds === undefined) return;
  const offBy = Math.round(nowMs / 1000 - signed.atSeconds);
  if (Math.abs(offBy) <= TOLERANCE_SECONDS) return;
  throw new EngineError(
    "unauthorized",
    `the delivery must have been signed within the last ${TOLERANCE_SECONDS} seconds, got ${offBy < 0 ? `one from ${-offBy} seconds ahead` : `one from ${offBy} seconds ago`}`,
  );
}

function importedKey(scheme: WebhookDefinition["scheme"], secret: string) {
  const bytes = scheme === "standard" ? webhookKey(secret) : new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

function needed(headers: Headers, name: string): string {
  const value = headers.get(name);
  if (value !== null && value !== "") return value;
  throw notSigned();
}

function notSigned(): EngineError {
  return new EngineError(
    "unauthorized",
    "no webhook of this name and tenant takes a delivery that is signed like this: compare name, tenant, scheme and secret with the " +
      "sender's (github: X-Hub-Signature-256 and X-GitHub-Delivery; stripe: Stripe-Signature; slack: X-Slack-Signature and " +
      "X-Slack-Request-Timestamp; standard: webhook-id, webhook-timestamp and webhook-signature; hmac: x-signature, or the headers " +
      "that the webhook names)",
  );
}

/** Returns NaN for text other than a time. NaN is never within the tolerance. */
function secondsOf(text: string): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
}

function hexAfter(text: string, prefix: string): readonly Bytes[] {
  return text.startsWith(prefix) ? fromHex(text.slice(prefix.length)) : [];
}

/** Returns an empty list for text other than hexadecimal. */
function fromHex(text: string): readonly Bytes[] {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return [];
  return [Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))];
}

/** Returns an empty list for text other than base64. */
function fromBase64(text: string): readonly Bytes[] {
  try {
    return [Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))];
  } catch {
    return [];
  }
}
