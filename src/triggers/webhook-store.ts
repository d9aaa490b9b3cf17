import type { JsonObject } from "../base/json.ts";
import type { TriggerFields } from "./trigger-fields.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";

/** How deliveries are signed: as by GitHub, Stripe or Slack, by Standard Webhooks, or with a plain HMAC of the body. */
export type WebhookScheme = "github" | "stripe" | "slack" | "standard" | "hmac";

/** How deliveries of a webhook are checked, and what they start. */
export type WebhookDefinition = TriggerFields & {
  readonly scheme: WebhookScheme;
  readonly target: RunTarget;
  /** @default { crewai_trigger_payload: "" }, the whole body */
  readonly inputs?: InputPointers | undefined;
  /** A JSON Schema that bodies must match. */
  readonly schema?: JsonObject | undefined;
  /** Of scheme `hmac`: the header with the signature. @default "x-signature" */
  readonly signatureHeader?: string | undefined;
  /** Of scheme `hmac`: the header with the delivery's id. @default equal bodies count as one delivery */
  readonly idHeader?: string | undefined;
  /** Of scheme `hmac`: the header with the time in seconds. If set, `<time>.<body>` is signed. */
  readonly timestampHeader?: string | undefined;
  /** Whether `GET /hooks/:name/deliveries/:id` has the bodies, each cut at 64 KiB. @default false */
  readonly keepBodies?: boolean | undefined;
};

/** Secrets are encrypted by `SecretBox`. */
export type StoredWebhook = {
  readonly tenant: string;
  readonly name: string;
  readonly definition: WebhookDefinition;
  readonly secret: string;
  /** The previous secret, which is valid until then. */
  readonly previous?: { readonly secret: string; readonly untilMs: number };
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Webhooks of all tenants. */
export interface WebhookStore {
  get(tenant: string, name: string): Promise<StoredWebhook | undefined>;
  /** By name. */
  list(
    tenant: string,
    page: { readonly afterName?: string | undefined; readonly limit: number },
  ): Promise<readonly StoredWebhook[]>;
  /** Stores the webhook, or replaces the one with its name. Throws `limit_exceeded` if the tenant has too many. */
  put(webhook: StoredWebhook): Promise<void>;
  delete(tenant: string, name: string): Promise<boolean>;
}
