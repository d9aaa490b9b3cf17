// `requestState`: state returned by a client with its answers. It is untrusted input.
//
//   MQS1. It is signed with a secret of its run, and bound to the caller, the tool, the arguments and a time.
//   MQS2. It names the waits its request may answer, and no others.
import { fromBase64, toBase64Url } from "../../../base/bytes.ts";
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../base/json.ts";
import { RUN_ID_PATTERN } from "../../../runtime/run.ts";

/** Content of a state. */
export type RequestState = {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  /** Keys of waits by the client's answer names. */
  readonly waits: Readonly<Record<string, string>>;
};

/** Binding of a state. */
export type StateBinding = {
  readonly callerId: string;
  readonly tool: string;
  readonly arguments: JsonObject;
};

/** Returns a state as signed text. */
export async function sealState(
  state: RequestState,
  binding: StateBinding,
  secret: string,
): Promise<string> {
  const body = toBase64Url(new TextEncoder().encode(JSON.stringify(state)));
  const mac = await crypto.subtle.sign("HMAC", await keyOf(secret), signed(body, binding));
  return `${body}.${toBase64Url(new Uint8Array(mac))}`;
}

/** Reads a state without verification; undefined for an invalid text. */
export function readState(text: string): RequestState | undefined {
  try {
    const json = new TextDecoder().decode(bytesOf(text.slice(0, text.indexOf("."))));
    const value = JSON.parse(json) as JsonValue;
    if (!isJsonObject(value)) return undefined;
    const { runId, expiresAtMs, waits } = value;
    if (typeof runId !== "string" || !RUN_ID_PATTERN.test(runId)) return undefined;
    if (typeof expiresAtMs !== "number" || waits === undefined || !isJsonObject(waits))
      return undefined;
    return { runId, expiresAtMs, waits: waits as Record<string, string> };
  } catch {
    return undefined;
  }
}

/** True for a text sealed with this secret for this binding. */
export async function isSealed(
  text: string,
  binding: StateBinding,
  secret: string,
): Promise<boolean> {
  const dot = text.indexOf(".");
  try {
    return await crypto.subtle.verify(
      "HMAC",
      await keyOf(secret),
      bytesOf(text.slice(dot + 1)),
      signed(text.slice(0, dot), binding),
    );
  } catch {
    return false;
  }
}

function signed(
  body: string,
  { callerId, tool, arguments: args }: StateBinding,
): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson([body, callerId, tool, args])).slice();
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
