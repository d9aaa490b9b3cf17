// Hooks as their owners see them: stored, shown without their secrets, their secrets replaced.
import { isoTime, type Clock } from "../base/clock.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { preview } from "../base/json.ts";
import { pageOf } from "../runtime/page.ts";
import { checkWebhookSecret } from "../security/webhook.ts";
import { checkedCursor } from "./checked-cursor.ts";
import type { WebhookDefinition, WebhookStore, StoredWebhook } from "./hook-store.ts";
import type { Page } from "../runtime/run-directory.ts";
import { deliveryIssues } from "./check-target.ts";
import type { OpenHook } from "./hook-receiver.ts";
import { payloadIssues } from "./payload.ts";
import type { SecretBox } from "./secret-box.ts";
import type { TargetStarter } from "./target-starter.ts";

/** A hook as the API shows it: everything but its secrets. */
export type WebhookView = WebhookDefinition & {
  readonly name: string;
  readonly source: "code" | "stored";
  /** Where the sender delivers to, after the Worker's own address. */
  readonly path: string;
  /** While the secret before is good as well. */
  readonly previousSecretUntil?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
};

/** A hook of the code: its secrets are variables of the Worker. */
export type CodeHook = {
  readonly definition: WebhookDefinition;
  readonly secretVariables: readonly string[];
};

export type HookPorts = {
  readonly store: WebhookStore;
  readonly box: SecretBox;
  readonly starter: TargetStarter;
  readonly clock: Clock;
  readonly ofCode: Readonly<Record<string, CodeHook>>;
  /** The Worker's variables and secrets. */
  readonly variable: (name: string) => string | undefined;
  readonly report: (error: unknown) => void;
};

/** Whose the hooks of the code are. */
export const CODE_TENANT = "default";
const MIN_SECRET_BYTES = 16;

export class Hooks {
  readonly #ports: HookPorts;

  constructor(ports: HookPorts) {
    this.#ports = ports;
  }

  /** Stored ones by name; those of the code come first, on the first page. */
  async list(
    tenant: string,
    { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Page<WebhookView>> {
    const afterName = checkedCursor(cursor);
    const rows = await this.#ports.store.list(tenant, { afterName, limit: limit + 1 });
    const page = pageOf(rows, limit, { item: storedView, cursor: ({ name }) => name });
    if (cursor !== undefined || tenant !== CODE_TENANT) return page;
    const ofCode = Object.entries(this.#ports.ofCode).map(([name, hook]) => codeView(name, hook));
    return { ...page, items: [...ofCode, ...page.items] };
  }

  async get(tenant: string, name: string): Promise<WebhookView> {
    const ofCode = this.#ofCode(tenant, name);
    if (ofCode !== undefined) return codeView(name, ofCode);
    return storedView(await this.#read(tenant, name));
  }

  /** Stores a hook, or replaces it. Answers whether the name was new. */
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
    const hook: StoredWebhook = {
      tenant,
      name,
      definition,
      secret: sealed ?? present?.secret ?? "",
      ...(previous === undefined ? undefined : { previous }),
      createdAtMs: present?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    await store.put(hook);
    return { isNew: present === undefined, view: storedView(hook) };
  }

  async delete(tenant: string, name: string): Promise<void> {
    if (this.#ofCode(tenant, name) !== undefined) throw ofTheCode(name);
    if (!(await this.#ports.store.delete(tenant, name))) throw noHook(name);
  }

  /** With its secrets, to check a delivery. Senders are told of no fault of ours but that there is one. */
  async open(tenant: string, name: string): Promise<OpenHook> {
    const ofCode = this.#ofCode(tenant, name);
    const stored = ofCode === undefined ? await this.#read(tenant, name) : undefined;
    try {
      const hook =
        stored === undefined && ofCode !== undefined
          ? this.#openCode(name, ofCode)
          : await this.#openStored(stored as StoredWebhook);
      for (const secret of hook.secrets) checkSecret(hook, secret);
      return hook;
    } catch (error) {
      this.#ports.report(error);
      throw new EngineError("unavailable", `hook "${name}" cannot be used at the moment`, {
        cause: error,
      });
    }
  }

  #openCode(name: string, { definition, secretVariables }: CodeHook): OpenHook {
    const secrets = secretVariables.flatMap((variable) => this.#ports.variable(variable) || []);
    if (secrets.length > 0) return { tenant: CODE_TENANT, name, definition, secrets };
    throw new EngineError(
      "unavailable",
      `hook "${name}" has no secret: set it with \`wrangler secret put ${secretVariables[0]}\``,
    );
  }

  async #openStored(hook: StoredWebhook): Promise<OpenHook> {
    const { tenant, name, definition, secret, previous } = hook;
    const { box, clock } = this.#ports;
    const sealed = [
      secret,
      ...(previous !== undefined && previous.untilMs > clock.now() ? [previous.secret] : []),
    ];
    const secrets = await Promise.all(sealed.map((each) => box.open(each, ownerOf(tenant, name))));
    return { tenant, name, definition, secrets };
  }

  #ofCode(tenant: string, name: string): CodeHook | undefined {
    const { ofCode } = this.#ports;
    return tenant === CODE_TENANT && Object.hasOwn(ofCode, name) ? ofCode[name] : undefined;
  }

  async #read(tenant: string, name: string): Promise<StoredWebhook> {
    const hook = await this.#ports.store.get(tenant, name);
    if (hook === undefined) throw noHook(name);
    return hook;
  }

  async #check(
    tenant: string,
    definition: WebhookDefinition,
    secret: string | undefined,
  ): Promise<void> {
    const { target, inputs } = definition;
    const issues = [
      ...hookIssues(definition),
      ...(secret === undefined ? [] : secretIssues(definition.scheme, secret)),
      ...(await deliveryIssues(this.#ports.starter, { tenant, target, inputs })),
    ];
    if (issues.length > 0) throw invalidInput("the hook cannot be used", issues);
  }
}

/** What is wrong with a hook by itself. */
export function hookIssues(definition: WebhookDefinition): readonly Issue[] {
  const headers = ["signatureHeader", "idHeader", "timestampHeader"] as const;
  const misplaced = headers.filter(
    (field) => definition.scheme !== "hmac" && definition[field] !== undefined,
  );
  return [
    ...misplaced.map((field) => ({
      path: `/${field}`,
      message: `expected nothing, as the scheme "${definition.scheme}" has its own headers, got ${preview(definition[field])}`,
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

/** A secret of the code is first seen when it is needed. */
function checkSecret({ name, definition }: OpenHook, secret: string): void {
  const [issue] = secretIssues(definition.scheme, secret);
  if (issue !== undefined)
    throw new EngineError(
      "unavailable",
      `the secret of hook "${name}" cannot be used: ${issue.message}`,
    );
}

function noHook(name: string): EngineError {
  return new EngineError("not_found", `there is no hook ${preview(name)}`);
}

function ofTheCode(name: string): EngineError {
  return new EngineError(
    "conflict",
    `hook "${name}" is part of the deployed code: change it there, or use another name`,
  );
}

function ownerOf(tenant: string, name: string): string {
  return `hook ${tenant}/${name}`;
}

function pathOf(tenant: string, name: string): string {
  return tenant === CODE_TENANT ? `/hooks/${name}` : `/hooks/${name}?tenant=${tenant}`;
}

function codeView(name: string, { definition }: CodeHook): WebhookView {
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
