// Ids of calls of the caller's tools: each contains its run and its wait.
// OpenAI's chat API permits at most 40 characters, and clients may send these conversations to it. So a UUID as run id
// is packed into 22 characters.
import { fromBase64, toBase64Url } from "../../base/bytes.ts";
import { sha256Hex } from "../../base/sha256.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Sixteen bytes in base64url end with one of four letters, which distinguishes them from the other form. */
const PACKED = /^call_([A-Za-z0-9_-]{21}[AQgw])[0-9a-f]{12}$/;
const PLAIN = /^call_([A-Za-z0-9_-]{1,64})_[0-9a-f]{12}$/;

/** Returns the id of a run that is derived from a digest, in a form that can be packed. */
export function packableId(digest: string): string {
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns the id of a wait's call. */
export function callIdOfWait(runId: string, key: string): string {
  return `call_${UUID.test(runId) ? packed(runId) : `${runId}_`}${short(key)}`;
}

/** Returns the run of a call's id; undefined for any other text. */
export function runIdIn(callId: string): string | undefined {
  const bytes = PACKED.exec(callId)?.[1];
  return bytes === undefined ? PLAIN.exec(callId)?.[1] : unpacked(bytes);
}

/** True if the call belongs to this wait of its run. */
export function isCallOf(callId: string, key: string): boolean {
  return callId.endsWith(short(key));
}

function packed(uuid: string): string {
  const pairs = uuid.replaceAll("-", "").match(/../g) ?? [];
  return toBase64Url(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}

function unpacked(text: string): string {
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  return packableId(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}

/** Returns a short id within a run. */
export function short(text: string): string {
  return sha256Hex(text).slice(0, 12);
}
