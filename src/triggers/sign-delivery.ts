// Signs a body like the sender of a webhook, to test the webhook.
import { unreachable } from "../base/error.ts";
import { toBase64 } from "../base/bytes.ts";
import { webhookKey } from "../security/webhook.ts";
import type { WebhookDefinition } from "./webhook-store.ts";

/** Returns the headers of a signed delivery. */
export async function signedAs(
  definition: WebhookDefinition,
  {
    body,
    secret,
    nowMs,
    id,
    event,
  }: {
    readonly body: string;
    readonly secret: string;
    readonly nowMs: number;
    /** Id of the delivery, for schemes with a header for it. */
    readonly id: string;
    readonly event?: string | undefined;
  },
): Promise<Readonly<Record<string, string>>> {
  const { scheme } = definition;
  const time = String(Math.floor(nowMs / 1000));
  const bytes = Uint8Array.from(
    scheme === "standard" ? webhookKey(secret) : new TextEncoder().encode(secret),
  );
  const sign = (text: string): Promise<Uint8Array> => hmac(bytes, text);
  switch (scheme) {
    case "github":
      return {
        "X-Hub-Signature-256": `sha256=${hexOf(await sign(body))}`,
        "X-GitHub-Delivery": id,
        ...(event === undefined ? undefined : { "X-GitHub-Event": event }),
      };
    case "stripe":
      return { "Stripe-Signature": `t=${time},v1=${hexOf(await sign(`${time}.${body}`))}` };
    case "slack":
      return {
        "X-Slack-Request-Timestamp": time,
        "X-Slack-Signature": `v0=${hexOf(await sign(`v0:${time}:${body}`))}`,
      };
    case "standard":
      return {
        "webhook-id": id,
        "webhook-timestamp": time,
        "webhook-signature": `v1,${toBase64(await sign(`${id}.${time}.${body}`))}`,
      };
    case "hmac": {
      const { signatureHeader = "x-signature", idHeader, timestampHeader } = definition;
      const prefix = timestampHeader === undefined ? "" : `${time}.`;
      return {
        [signatureHeader]: hexOf(await sign(prefix + body)),
        ...(idHeader === undefined ? undefined : { [idHeader]: id }),
        ...(timestampHeader === undefined ? undefined : { [timestampHeader]: time }),
      };
    }
    default:
      return unreachable(scheme);
  }
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey(
    "raw",
    key,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
