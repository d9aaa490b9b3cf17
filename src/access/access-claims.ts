// Verifies tokens of Cloudflare Access, which are JWTs signed with RS256. Uses Web Crypto alone, because a library
// would weigh more than the sessions and tokens beside it.
import { fromBase64 } from "../base/bytes.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";

/** Keys of a team, in the form of its endpoint. */
export type AccessKeys = {
  readonly keys: ReadonlyArray<
    Partial<Readonly<Record<"kid" | "kty" | "alg" | "use" | "n" | "e", string>>>
  >;
};
export type AccessClaims = JsonObject;

const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const MAX_LENGTH = 16_384;
const MIN_MODULUS_BITS = 2048;

/**
 * Returns the claims, or `unknown key` if the token names a key outside the set. Throws for any other invalid token.
 */
export async function accessClaims(
  token: string,
  {
    keys,
    issuer,
    recipient,
    nowMs,
  }: {
    readonly keys: AccessKeys;
    readonly issuer: string;
    readonly recipient: string;
    readonly nowMs: number;
  },
): Promise<AccessClaims | "unknown key"> {
  const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token.length > MAX_LENGTH ? "" : token);
  if (form === null) throw new Error("it is no signed token");
  const [, head = "", body = "", signature = ""] = form;
  const { alg, kid, crit } = objectIn(head);
  if (alg !== "RS256" || crit !== undefined) throw new Error("it is not signed with RS256");
  const jwk = keys.keys.find((each) => each.kid === kid && kid !== undefined);
  if (jwk === undefined) return "unknown key";
  const { n = "", e = "" } = jwk;
  if (jwk.kty !== "RSA" || (jwk.use ?? "sig") !== "sig" || (jwk.alg ?? "RS256") !== "RS256")
    throw new Error("its key is for something else");
  if (bytesOf(n).length * 8 < MIN_MODULUS_BITS) throw new Error("its key is too short");
  const key = await crypto.subtle.importKey("jwk", { kty: "RSA", n, e }, RS256, false, ["verify"]);
  const text = new TextEncoder().encode(`${head}.${body}`);
  if (!(await crypto.subtle.verify(RS256, key, bytesOf(signature), text)))
    throw new Error("its signature is another one");
  const claims = objectIn(body);
  checkClaims(claims, { issuer, recipient, now: nowMs / 1000 });
  return claims;
}

function checkClaims(
  { iss, aud, exp, nbf }: AccessClaims,
  expected: { readonly issuer: string; readonly recipient: string; readonly now: number },
): void {
  const { issuer, recipient, now } = expected;
  const isFor = Array.isArray(aud) ? aud.includes(recipient) : aud === recipient;
  if (iss !== issuer || !isFor) throw new Error("it is for something else");
  if (typeof exp !== "number" || exp <= now) throw new Error("it has expired");
  if (nbf !== undefined && !(typeof nbf === "number" && nbf <= now))
    throw new Error("it does not count yet");
}

/** Throws unless the text is a JSON object in base64url. */
function objectIn(part: string): JsonObject {
  const parsed: unknown = JSON.parse(
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytesOf(part)),
  );
  if (isJsonObject(parsed)) return parsed;
  throw new Error("it has no claims");
}

function bytesOf(part: string): Uint8Array<ArrayBuffer> {
  return fromBase64(part.replaceAll("-", "+").replaceAll("_", "/"));
}
