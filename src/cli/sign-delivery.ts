// Deliveries signed as their senders do, to try a webhook out.
import { createHmac } from "node:crypto";
import type { SignedDelivery, WebhookView } from "../client/index.ts";

export type DeliveryToSign = {
  readonly secret: string;
  readonly body: string;
  readonly nowMs: number;
  /** The same id is the same delivery. */
  readonly id: string;
};

/** Returns the body, and the headers of the webhook's scheme. */
export function signDelivery(webhook: WebhookView, delivery: DeliveryToSign): SignedDelivery {
  return {
    body: delivery.body,
    headers: { "content-type": "application/json", ...signatureHeaders(webhook, delivery) },
  };
}

function signatureHeaders(
  { scheme, signatureHeader = "x-signature", idHeader, timestampHeader }: WebhookView,
  { secret, body, nowMs, id }: DeliveryToSign,
): Record<string, string> {
  const time = String(Math.floor(nowMs / 1000));
  const hex = (text: string): string => createHmac("sha256", secret).update(text).digest("hex");
  switch (scheme) {
    case "github":
      return {
        "x-hub-signature-256": `sha256=${hex(body)}`,
        "x-github-delivery": id,
        "x-github-event": "edgecrew_test",
      };
    case "stripe":
      return { "stripe-signature": `t=${time},v1=${hex(`${time}.${body}`)}` };
    case "slack":
      return {
        "x-slack-request-timestamp": time,
        "x-slack-signature": `v0=${hex(`v0:${time}:${body}`)}`,
      };
    case "standard": {
      const signature = createHmac("sha256", standardKey(secret))
        .update(`${id}.${time}.${body}`)
        .digest("base64");
      return {
        "webhook-id": id,
        "webhook-timestamp": time,
        "webhook-signature": `v1,${signature}`,
      };
    }
    default:
      return {
        [signatureHeader.toLowerCase()]: hex(
          timestampHeader === undefined ? body : `${time}.${body}`,
        ),
        ...(timestampHeader === undefined ? {} : { [timestampHeader.toLowerCase()]: time }),
        ...(idHeader === undefined ? {} : { [idHeader.toLowerCase()]: id }),
      };
  }
}

const PREFIX = "whsec_";

/** Standard Webhooks 1.0: after the prefix, the key is base64. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret);
}
