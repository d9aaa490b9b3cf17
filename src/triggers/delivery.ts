// What a delivery says, once its signature fits: its payload, its name, and whether it wants more than a run.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { utf8Text } from "../security/bounded-body.ts";
import type { WebhookScheme } from "./hook-store.ts";
import type { SignedHeaders } from "./signatures.ts";

const MAX_ID_LENGTH = 256;

export type Delivery = {
  readonly payload: JsonValue;
  /** The same for every attempt to deliver it. */
  readonly id: string;
  /** What happened, where a header says so. */
  readonly event?: string;
  /** The answer, where the sender only asks whether somebody is there. */
  readonly handshake?: JsonObject;
};

/** Throws `invalid_input` for a body that cannot be read. */
export async function readDelivery(
  scheme: WebhookScheme,
  {
    headers,
    body,
    signed,
  }: { headers: Headers; body: Uint8Array<ArrayBuffer>; signed: SignedHeaders },
): Promise<Delivery> {
  const payload = payloadOf(scheme, headers.get("content-type"), utf8Text(body));
  const event = scheme === "github" ? headers.get("X-GitHub-Event") : null;
  const handshake = handshakeOf(scheme, event, payload);
  const id = signed.deliveryId ?? idInside(scheme, payload) ?? (await digestOf(signed, body));
  if (id.length > MAX_ID_LENGTH)
    throw new EngineError(
      "invalid_input",
      `the delivery's id must have at most ${MAX_ID_LENGTH} characters, got ${id.length}`,
    );
  return {
    payload,
    id,
    ...(event === null ? undefined : { event }),
    ...(handshake === undefined ? undefined : { handshake }),
  };
}

function payloadOf(scheme: WebhookScheme, contentType: string | null, text: string): JsonValue {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-www-form-urlencoded") {
    const fields = formFields(text);
    const { payload } = fields;
    // GitHub, and what people do in Slack's messages: JSON in one field of a form.
    const nested = scheme === "github" || scheme === "slack";
    return nested && typeof payload === "string" ? jsonOf(payload) : fields;
  }
  if (type === "application/json" || type.endsWith("+json") || type === "") return jsonOf(text);
  throw new EngineError(
    "invalid_input",
    `the body's content-type must be application/json or application/x-www-form-urlencoded, got ${type}`,
  );
}

function jsonOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new EngineError("invalid_input", `the body must be JSON, got ${preview(text)}`, {
      cause,
    });
  }
}

/** A field that comes more than once is a list. */
function formFields(text: string): JsonObject {
  const form = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

function handshakeOf(
  scheme: WebhookScheme,
  event: string | null,
  payload: JsonValue,
): JsonObject | undefined {
  if (scheme === "github" && event === "ping") return { ok: true };
  if (scheme !== "slack" || !isJsonObject(payload)) return undefined;
  const { type, challenge } = payload;
  return type === "url_verification" && typeof challenge === "string" ? { challenge } : undefined;
}

/** Stripe's event, Slack's event, and Slack's commands and buttons, which have a `trigger_id`. */
function idInside(scheme: WebhookScheme, payload: JsonValue): string | undefined {
  if (!isJsonObject(payload)) return undefined;
  const given =
    scheme === "stripe"
      ? payload["id"]
      : scheme === "slack"
        ? (payload["event_id"] ?? payload["trigger_id"])
        : undefined;
  return typeof given === "string" && given !== "" ? given : undefined;
}

/** What was signed stands for itself where nothing else names it. */
async function digestOf({ prefix }: SignedHeaders, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return prefix + Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
