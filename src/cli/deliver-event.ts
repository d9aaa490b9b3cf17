// Signs an event and delivers it to a webhook, as its sender would.
//
//   SGD1. The same payload is the same delivery: sent twice, it starts one run. A test is a delivery of its own each
//         time.
//   SGD2. A wrong clock is reported before the refusal by the Worker.
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { RemoteRun, WebhookView } from "../client/index.ts";
import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { CliContext, OptionSpecs } from "./command.ts";
import { signDelivery } from "./sign-delivery.ts";

/** Options for deliveries. */
export const DELIVERY_OPTIONS = {
  payload: {
    about: "a JSON file with the body, or - for standard input",
    value: "file",
    short: "p",
  },
  secret: {
    about: "file with the webhook's secret; default EDGECREW_HOOK_SECRET, or asks",
    value: "file",
  },
  tenant: { about: "tenant of the webhook: default if absent", value: "tenant" },
} as const satisfies OptionSpecs;

export type DeliveryOptions = {
  readonly payload: string | undefined;
  readonly secret: string | undefined;
  readonly tenant: string | undefined;
  /** True for a new delivery, independent of earlier ones. */
  readonly isNew: boolean;
};

const MAX_OFF_MS = 60_000;

/** Signs and delivers. Undefined if the answer names no run, such as Slack's. */
export async function deliverEvent(
  context: CliContext,
  hook: WebhookView,
  { payload, secret: secretFile, tenant, isNew }: DeliveryOptions,
): Promise<RemoteRun | undefined> {
  const body =
    payload === undefined ? sampleOf(hook, randomUUID()) : await payloadOf(context, payload);
  const secret = await secretOf(context, hook, secretFile);
  const id = isNew ? randomUUID() : createHash("sha256").update(body).digest("hex").slice(0, 32);
  await warnOfClock(context);
  const sent = withIdOf(hook, body, id);
  const nowMs = context.clock.now();
  const signed = signDelivery(hook, { secret, body: sent, nowMs, id });
  const { webhooks } = await context.client();
  const delivery = { ...signed, ...(tenant === undefined ? {} : { tenant }) };
  return webhooks.deliver(hook.name, delivery).catch((error: unknown) => {
    if (!EngineError.is(error) || error.code !== "unauthorized") throw error;
    const fix = "compare --secret with the secret of edgecrew hooks add";
    throw new CliFailure(4, error.message, { code: error.code, fix, cause: error });
  });
}

async function payloadOf(context: CliContext, file: string): Promise<string> {
  const text =
    file === "-" ? await context.readInput() : textOf(resolve(context.cwd, file), "--payload");
  try {
    JSON.parse(text);
  } catch (error) {
    throw wrongUse(`--payload: expected JSON, ${(error as Error).message}`);
  }
  return text;
}

async function secretOf(
  { prompt, variables, cwd }: CliContext,
  { name }: WebhookView,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) return textOf(resolve(cwd, file), "--secret").trim();
  const { EDGECREW_HOOK_SECRET = "" } = variables;
  if (EDGECREW_HOOK_SECRET !== "") return EDGECREW_HOOK_SECRET;
  if (prompt !== undefined) return prompt.secret({ message: `The secret of ${name}` });
  throw wrongUse("the secret of the webhook is needed", "--secret <file>, or EDGECREW_HOOK_SECRET");
}

function textOf(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw wrongUse(`${option}: ${(error as Error).message}`);
  }
}

/**
 * Returns a unique body with a value at each of the webhook's inputs. Without an id in a header, equal bodies are one
 * delivery.
 */
function sampleOf({ inputs }: WebhookView, id: string): string {
  const body: Record<string, JsonValue> = { edgecrew_test: id };
  const pointers = typeof inputs === "string" ? { test: inputs } : (inputs ?? {});
  for (const [name, pointer] of Object.entries(pointers)) put(body, pointer, `test of ${name}`);
  return JSON.stringify(body);
}

function put(body: Record<string, JsonValue>, pointer: string, value: string): void {
  const keys = pointer.split("/").slice(1);
  const parts = keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = parts.pop();
  if (last === undefined) return;
  let place = body;
  for (const part of parts) {
    const inner = Object.hasOwn(place, part) ? place[part] : undefined;
    const next: Record<string, JsonValue> = isJsonObject(inner) ? { ...inner } : {};
    place[part] = next;
    place = next;
  }
  place[last] = value;
}

const ID_FIELD: Readonly<Record<string, string>> = { stripe: "id", slack: "event_id" };

/** Stripe and Slack have the delivery's id in the body. A hand-written payload may lack it. */
function withIdOf({ scheme }: WebhookView, body: string, id: string): string {
  const field = ID_FIELD[scheme];
  const value = JSON.parse(body) as JsonValue;
  if (field === undefined || !isJsonObject(value) || value[field] !== undefined) return body;
  return JSON.stringify({ ...value, [field]: id });
}

async function warnOfClock({ request, clock, out }: CliContext): Promise<void> {
  const response = await request("/healthz");
  await response.body?.cancel();
  const atMs = Date.parse(response.headers.get("date") ?? "");
  const offMs = clock.now() - atMs;
  if (Number.isNaN(atMs) || Math.abs(offMs) < MAX_OFF_MS) return;
  const minutes = (Math.abs(offMs) / 60_000).toFixed(1);
  out.note(
    `! this machine's clock is ${minutes} min ${offMs > 0 ? "ahead of" : "behind"} the Worker's: signatures with a time are refused from 5 min on`,
  );
}
