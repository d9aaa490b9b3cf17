// Deliveries as their senders sign them, by Node's own HMAC.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";

export type SignedDelivery = {
  readonly body: string;
  readonly headers: Record<string, string>;
};

type Given = {
  readonly secret: string;
  readonly body: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly id?: string;
};

const hex = (secret: string, text: string): string =>
  createHmac("sha256", secret).update(text).digest("hex");

const json = { "content-type": "application/json" };

/** By scheme. `hmac` has all its headers at their defaults. */
export const SIGN: Readonly<Record<string, (given: Given) => SignedDelivery>> = {
  github: ({ secret, body, id = "d-1" }) => ({
    body,
    headers: {
      ...json,
      "x-hub-signature-256": `sha256=${hex(secret, body)}`,
      "x-github-delivery": id,
      "x-github-event": "issues",
    },
  }),
  stripe: ({ secret, body, at }) => ({
    body,
    headers: {
      ...json,
      "stripe-signature": `t=${at},v0=${hex("x", body)},v1=${hex(secret, `${at}.${body}`)}`,
    },
  }),
  slack: ({ secret, body, at }) => ({
    body,
    headers: {
      ...json,
      "x-slack-request-timestamp": `${at}`,
      "x-slack-signature": `v0=${hex(secret, `v0:${at}:${body}`)}`,
    },
  }),
  standard: ({ secret, body, at, id = "msg_1" }) => ({
    body,
    headers: {
      ...json,
      "webhook-id": id,
      "webhook-timestamp": `${at}`,
      "webhook-signature": new Webhook(secret).sign(id, new Date(at * 1000), body),
    },
  }),
  hmac: ({ secret, body }) => ({
    body,
    headers: { ...json, "x-signature": hex(secret, body) },
  }),
};
