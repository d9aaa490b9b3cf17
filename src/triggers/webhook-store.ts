import type { JsonObject } from "../base/json.ts";
import type { TriggerFields } from "./trigger-fields.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";

/** Signature schemes: those of GitHub, Stripe and Slack, Standard Webhooks, and a plain HMAC of the body. */
export type WebhookScheme = "github" | "stripe" | "slack" | "standard" | "hmac";

/** Checks and target of a webhook's deliveries. */
export type WebhookDefinition = TriggerFields & {
  readonly scheme: WebhookScheme;
  readonly target: RunTarget;
  /** @default { crewai_trigger_payload: "" }, the whole body */
  readonly inputs?: InputPointers | undefined;
  /** JSON Schema of valid bodies. */
  readonly schema?: JsonObject | undefined;
  /** Of scheme `hmac`: the header with the signature. @default "x-signature" */
  readonly signatureHeader?: string | undefined;
  /** Of scheme `hmac`: the header with the delivery's id. @default equal bodies count as one delivery */
  readonly idHeader?: string | undefined;
  /** Of scheme `hmac`: the header with the time in seconds. If set, `<time>.<body>` is signed. */
  readonly timestampHeader?: string | undefined;
  /** True to return bodies with `GET /hooks/:name/deliveries/:id`, each cut at 64 KiB. @default false */
  readonly keepBodies?: boolean | undefined;
};

/** A stored webhook, with its secrets encrypted by `SecretBox`. */
export type StoredWebhook = {
  readonly tenant: string;
  readonly name: string;
  readonly definition: WebhookDefinition;
  readonly secret: string;
  /** Previous secret, valid until `untilMs`. */
  readonly previous?: { readonly secret: string; readonly untilMs: number };
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Webhooks of all tenants. */
export interface WebhookStore {
  get(tenant: string, name: string): Promise<StoredWebhook | undefined>;
  /** Lists webhooks by name. */
  list(
    tenant: string,
    page: { readonly afterName?: string | undefined; readonly limit: number },
  ): Promise<readonly StoredWebhook[]>;
  /** Stores the webhook, or replaces the one with its name. Fails with `limit_exceeded` if the tenant has too many. */
  put(webhook: StoredWebhook): Promise<void>;
  delete(tenant: string, name: string): Promise<boolean>;
}
