import type { JsonObject } from "../base/json.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";

/** How deliveries are signed: as these senders do, as Standard Webhooks says, or a plain HMAC of the body. */
export type WebhookScheme = "github" | "stripe" | "slack" | "standard" | "hmac";

export type WebhookDefinition = {
  readonly scheme: WebhookScheme;
  readonly target: RunTarget;
  /** @default { crewai_trigger_payload: "" }, the whole body */
  readonly inputs?: InputPointers | undefined;
  /** JSON Schema that bodies must fit. */
  readonly schema?: JsonObject | undefined;
  /** Of scheme `hmac`: the header with the signature. @default "x-signature" */
  readonly signatureHeader?: string | undefined;
  /** Of scheme `hmac`: the header with the delivery's id. @default the body stands for itself */
  readonly idHeader?: string | undefined;
  /** Of scheme `hmac`: the header with the time in seconds; then `<time>.<body>` is what is signed. */
  readonly timestampHeader?: string | undefined;
};

/** Secrets are sealed: see src/triggers/secret-box.ts. */
export type StoredWebhook = {
  readonly tenant: string;
  readonly name: string;
  readonly definition: WebhookDefinition;
  readonly secret: string;
  /** The secret before, which is good until then. */
  readonly previous?: { readonly secret: string; readonly untilMs: number };
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Hooks of all tenants. */
export interface WebhookStore {
  get(tenant: string, name: string): Promise<StoredWebhook | undefined>;
  /** By name. */
  list(
    tenant: string,
    page: { readonly afterName?: string | undefined; readonly limit: number },
  ): Promise<readonly StoredWebhook[]>;
  /** Stores it, in place of one of that name. Throws `limit_exceeded` when the tenant has too many. */
  put(hook: StoredWebhook): Promise<void>;
  delete(tenant: string, name: string): Promise<boolean>;
}
