// Webhooks to other people's servers, signed by Standard Webhooks 1.0 (standardwebhooks.com): receivers verify them
// with any of its libraries.
import { EngineError } from "../base/error.ts";

/** One message to one address. `id` is the same for every attempt, so receivers can drop repeats. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  /** JSON text. */
  readonly body: string;
  /** Signing secret: `whsec_` and the key's bytes in base64, or any other text, whose UTF-8 bytes are the key. */
  readonly secret: string;
  /** Previous secret, which signs as well while receivers change to the new one. */
  readonly previousSecret?: string | undefined;
};

/** The headers of one attempt to deliver a message. `atMs` is the time of the attempt, milliseconds since the epoch. */
export async function webhookHeaders(
  webhook: Webhook,
  atMs: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signed = new Uint8Array(
    new TextEncoder().encode(`${webhook.id}.${timestamp}.${webhook.body}`),
  );
  const { secret, previousSecret } = webhook;
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const signatures = await Promise.all(secrets.map((each) => signatureOf(signed, each)));
  return {
    "content-type": "application/json",
    "webhook-id": webhook.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function signatureOf(signed: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", webhookKey(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

const PREFIX = "whsec_";
const MIN_KEY_BYTES = 16;

/** Refuses a secret of insufficient length, or with invalid base64. */
export function checkWebhookSecret(secret: string, field: string): void {
  let length: number;
  try {
    length = webhookKey(secret).length;
  } catch {
    throw new EngineError(
      "invalid_input",
      `${field} must be base64 after "${PREFIX}", got ${secret.length} characters that are not`,
    );
  }
  if (length < MIN_KEY_BYTES)
    throw new EngineError(
      "invalid_input",
      `${field} must have at least ${MIN_KEY_BYTES} bytes, got ${length}`,
    );
}

/** Returns the bytes of a secret's key. Throws for invalid base64. */
export function webhookKey(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(PREFIX)) return new Uint8Array(new TextEncoder().encode(secret));
  return Uint8Array.from(atob(secret.slice(PREFIX.length)), (letter) => letter.charCodeAt(0));
}
