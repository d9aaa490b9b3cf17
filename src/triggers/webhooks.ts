// Webhooks over HTTP: stored, listed without their secrets, opened to verify a delivery.
import { noted } from "../base/log.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { preview } from "../base/json.ts";
import { randomSecret } from "../base/system.ts";
import { pageOf } from "../runtime/page.ts";
import { checkWebhookSecret } from "../security/webhook.ts";
import { checkedCursor } from "./checked-cursor.ts";
import type { WebhookDefinition, WebhookStore, StoredWebhook } from "./webhook-store.ts";
import type { Page } from "../runtime/run-directory.ts";
import { triggerFields } from "./trigger-fields.ts";
import { deliveryIssues } from "./check-target.ts";
import type { OpenWebhook } from "./webhook-receiver.ts";
import { payloadIssues } from "./payload.ts";
import type { SecretBox } from "../security/secret-box.ts";
import type { TargetStarter } from "./target-starter.ts";

/** A webhook in the API, without its secrets. */
export type WebhookView = WebhookDefinition & {
  readonly name: string;
  readonly source: "code" | "stored";
  /** Path for the sender's deliveries. */
  readonly path: string;
  /** End of the previous secret's validity. */
  readonly previousSecretUntil?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
};

/** A webhook defined in code. Its secrets are secrets of the Worker. */
export type CodeWebhook = {
  readonly definition: WebhookDefinition;
  readonly secretVariables: readonly string[];
};

export type WebhookPorts = {
  readonly store: WebhookStore;
  readonly box: SecretBox;
  readonly starter: TargetStarter;
  readonly clock: Clock;
  readonly ofCode: Readonly<Record<string, CodeWebhook>>;
  /** The Worker's variables and secrets. */
  readonly variable: (name: string) => string | undefined;
  readonly report: (error: unknown) => void;
  /** Path the API is mounted below. */
  readonly basePath?: string | undefined;
};

/** Tenant of triggers defined in code. */
export const CODE_TENANT = "default";
const MIN_SECRET_BYTES = 16;

export class Webhooks {
  readonly #ports: WebhookPorts;

  constructor(ports: WebhookPorts) {
    this.#ports = ports;
  }

  /** Lists stored webhooks by name. The first page begins with those of the code. */
  async list(
    tenant: string,
    { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Page<WebhookView>> {
    const afterName = checkedCursor(cursor);
    const rows = await this.#ports.store.list(tenant, { afterName, limit: limit + 1 });
    const page = pageOf(rows, limit, {
      item: (row) => this.#placed(storedView(row)),
      cursor: ({ name }) => name,
    });
    if (cursor !== undefined || tenant !== CODE_TENANT) return page;
    const ofCode = Object.entries(this.#ports.ofCode).map(([name, webhook]) =>
      this.#placed(codeView(name, webhook)),
    );
    return { ...page, items: [...ofCode, ...page.items] };
  }

  async get(tenant: string, name: string): Promise<WebhookView> {
    const ofCode = this.#ofCode(tenant, name);
    const view =
      ofCode === undefined ? storedView(await this.#read(tenant, name)) : codeView(name, ofCode);
    return this.#placed(view);
  }

  /** Stores a webhook, or replaces it. `isNew` is true if the name was not in use. */
  async put(
    tenant: string,
    name: string,
    {
      secret,
      keepPreviousSeconds,
      ...definition
    }: WebhookDefinition & {
      readonly secret?: string | undefined;
      readonly keepPreviousSeconds: number;
    },
  ): Promise<{ readonly isNew: boolean; readonly view: WebhookView }> {
    const { store, box, clock } = this.#ports;
    if (this.#ofCode(tenant, name) !== undefined) throw ofTheCode(name);
    const present = await store.get(tenant, name);
    const sameScheme = present?.definition.scheme === definition.scheme;
    const keepsSecret = sameScheme && secret === undefined;
    await this.#check(tenant, definition, keepsSecret ? undefined : (secret ?? ""));
    const nowMs = clock.now();
    const sealed = secret === undefined ? undefined : await box.seal(secret, ownerOf(tenant, name));
    const untilMs = nowMs + keepPreviousSeconds * 1000;
    const previous =
      sealed === undefined
        ? present?.previous
        : present === undefined || !sameScheme || keepPreviousSeconds === 0
          ? undefined
          : { secret: present.secret, untilMs };
    const webhook: StoredWebhook = {
      tenant,
      name,
      definition,
      secret: sealed ?? present?.secret ?? "",
      ...(previous === undefined ? undefined : { previous }),
      createdAtMs: present?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    await store.put(webhook);
    return { isNew: present === undefined, view: this.#placed(storedView(webhook)) };
  }

  async delete(tenant: string, name: string): Promise<void> {
    if (this.#ofCode(tenant, name) !== undefined) throw ofTheCode(name);
    if (!(await this.#ports.store.delete(tenant, name))) throw noWebhook(name);
  }

  /**
   * Resolves to the webhook with its secrets. An unknown webhook gets a random secret, so its refusal takes the same
   * time and has the same text. A fault is reported to the log; the sender learns only that there is one.
   */
  async open(tenant: string, name: string): Promise<OpenWebhook> {
    const ofCode = this.#ofCode(tenant, name);
    const stored = ofCode === undefined ? await this.#ports.store.get(tenant, name) : undefined;
    if (ofCode === undefined && stored === undefined) return this.#decoy(tenant, name);
    try {
      const webhook =
        stored === undefined && ofCode !== undefined
          ? this.#openCode(name, ofCode)
          : await this.#openStored(stored as StoredWebhook);
      for (const secret of webhook.secrets) checkSecret(webhook, secret);
      return webhook;
    } catch (error) {
      this.#ports.report(noted(error, "webhook_unusable", { tenant, hook: name }));
      throw new EngineError(
        "unavailable",
        `webhook "${name}" cannot be used at the moment; see the Worker's log`,
        {
          cause: error,
        },
      );
    }
  }

  #placed(view: WebhookView): WebhookView {
    const { basePath = "" } = this.#ports;
    return { ...view, path: basePath + view.path };
  }

  async #decoy(tenant: string, name: string): Promise<OpenWebhook> {
    const secret = randomSecret();
    await this.#ports.box.seal(secret, ownerOf(tenant, name)).catch(() => undefined);
    const definition = { scheme: "hmac", target: { kind: "crew", name: "" } } as const;
    return { tenant, name, definition, secrets: [secret], isUnknown: true };
  }

  #openCode(name: string, { definition, secretVariables }: CodeWebhook): OpenWebhook {
    const secrets = secretVariables.flatMap((variable) => this.#ports.variable(variable) || []);
    if (secrets.length > 0) return { tenant: CODE_TENANT, name, definition, secrets };
    throw new EngineError(
      "unavailable",
      `webhook "${name}" has no secret: set it with \`wrangler secret put ${secretVariables[0]}\``,
    );
  }

  async #openStored(webhook: StoredWebhook): Promise<OpenWebhook> {
    const { tenant, name, definition, secret, previous } = webhook;
    const { box, clock } = this.#ports;
    const sealed = [
      secret,
      ...(previous !== undefined && previous.untilMs > clock.now() ? [previous.secret] : []),
    ];
    const secrets = await Promise.all(sealed.map((each) => box.open(each, ownerOf(tenant, name))));
    return { tenant, name, definition, secrets };
  }

  #ofCode(tenant: string, name: string): CodeWebhook | undefined {
    const { ofCode } = this.#ports;
    return tenant === CODE_TENANT && Object.hasOwn(ofCode, name) ? ofCode[name] : undefined;
  }

  async #read(tenant: string, name: string): Promise<StoredWebhook> {
    const webhook = await this.#ports.store.get(tenant, name);
    if (webhook === undefined) throw noWebhook(name);
    return webhook;
  }

  async #check(
    tenant: string,
    definition: WebhookDefinition,
    secret: string | undefined,
  ): Promise<void> {
    const { target, inputs } = definition;
    const issues = [
      ...webhookIssues(definition),
      ...(secret === undefined ? [] : secretIssues(definition.scheme, secret)),
      ...(await deliveryIssues(this.#ports.starter, {
        tenant,
        target,
        inputs,
        fields: triggerFields(definition),
      })),
    ];
    if (issues.length > 0) throw invalidInput("the webhook cannot be used", issues);
  }
}

/** Returns problems of a webhook's own fields. */
export function webhookIssues(definition: WebhookDefinition): readonly Issue[] {
  const headers = ["signatureHeader", "idHeader", "timestampHeader"] as const;
  const misplaced = headers.filter(
    (field) => definition.scheme !== "hmac" && definition[field] !== undefined,
  );
  return [
    ...misplaced.map((field) => ({
      path: `/${field}`,
      message: `expected nothing, because the scheme "${definition.scheme}" has its own headers, got ${preview(definition[field])}`,
    })),
    ...payloadIssues(definition),
  ];
}

function secretIssues(scheme: WebhookDefinition["scheme"], secret: string): readonly Issue[] {
  const path = "/secret";
  if (secret === "")
    return [{ path, message: "expected the secret shared with the sender, got nothing" }];
  const bytes = new TextEncoder().encode(secret).length;
  if (scheme !== "standard")
    return bytes >= MIN_SECRET_BYTES
      ? []
      : [{ path, message: `expected at least ${MIN_SECRET_BYTES} bytes, got ${bytes}` }];
  try {
    checkWebhookSecret(secret, "the secret");
    return [];
  } catch (error) {
    return [{ path, message: errorMessage(error) }];
  }
}

/** The Worker's secrets are unknown when the code is checked, so they are checked at each delivery. */
function checkSecret({ name, definition }: OpenWebhook, secret: string): void {
  const [issue] = secretIssues(definition.scheme, secret);
  if (issue !== undefined)
    throw new EngineError(
      "unavailable",
      `the secret of webhook "${name}" cannot be used: ${issue.message}`,
    );
}

function noWebhook(name: string): EngineError {
  return new EngineError("not_found", `there is no webhook ${preview(name)}`);
}

function ofTheCode(name: string): EngineError {
  return new EngineError(
    "conflict",
    `webhook "${name}" is part of the deployed code: change it there, or use another name`,
  );
}

/** Returns the additional data of encrypted secrets. Other data cannot decrypt them. */
function ownerOf(tenant: string, name: string): string {
  return `hook ${tenant}/${name}`;
}

function pathOf(tenant: string, name: string): string {
  return tenant === CODE_TENANT ? `/hooks/${name}` : `/hooks/${name}?tenant=${tenant}`;
}

function codeView(name: string, { definition }: CodeWebhook): WebhookView {
  return { name, source: "code", ...definition, path: pathOf(CODE_TENANT, name) };
}

function storedView({
  tenant,
  name,
  definition,
  previous,
  createdAtMs,
  updatedAtMs,
}: StoredWebhook): WebhookView {
  return {
    name,
    source: "stored",
    ...definition,
    path: pathOf(tenant, name),
    ...(previous === undefined ? undefined : { previousSecretUntil: isoTime(previous.untilMs) }),
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
}
