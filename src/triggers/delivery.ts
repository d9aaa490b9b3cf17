// Reads a delivery with a verified signature: its payload, its id, and a handshake if it is one.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { valuesByName } from "../base/values-by-name.ts";
import { checkDepth } from "../parts/request-body.ts";
import { utf8Text } from "../security/bounded-body.ts";
import type { WebhookScheme } from "./webhook-store.ts";
import type { SignedHeaders } from "./signatures.ts";

const MAX_ID_LENGTH = 256;
const MAX_FORM_FIELDS = 1_000;

export type Delivery = {
  readonly payload: JsonValue;
  /** Id, the same for every attempt to deliver it. */
  readonly id: string;
  /** The event's type, if a header names it. */
  readonly event?: string;
  /** Answer to a delivery that only checks the address. Such a delivery starts no run. */
  readonly handshake?: JsonObject;
};

/** Fails with `invalid_input` for an unreadable body. */
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
    // GitHub's forms, and those of Slack's interactions, have their JSON in one field.
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
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new EngineError("invalid_input", `the body must be JSON, got ${preview(text)}`, {
      cause,
    });
  }
  checkDepth(value);
  return value;
}

/** Returns the fields of a form. Repeated fields become lists. Fails with `invalid_input` for too many fields. */
function formFields(text: string): JsonObject {
  let fields = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) fields++;
  if (fields > MAX_FORM_FIELDS)
    throw new EngineError(
      "invalid_input",
      `a form must have at most ${MAX_FORM_FIELDS} fields, got ${fields}`,
    );
  return valuesByName(new URLSearchParams(text));
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

/** The id in the body. Slack's commands and buttons have a `trigger_id` in place of an event id. */
function idInside(scheme: WebhookScheme, payload: JsonValue): string | undefined {
  if (!isJsonObject(payload)) return undefined;
  const id =
    scheme === "stripe"
      ? payload["id"]
      : scheme === "slack"
        ? (payload["event_id"] ?? payload["trigger_id"])
        : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Identifies a delivery without an id by its signed content. */
async function digestOf({ prefix }: SignedHeaders, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return prefix + Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
