// Addresses of files, valid for a short time without a key.
//
//   SGU1. A signature is for one file of one tenant, until one time. Any change of the address is detected.
import { fromBase64, toBase64Url } from "../base/bytes.ts";

export type SignedFile = {
  readonly tenant: string;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly expires: number;
};

/** The query of a file's address, with its signature. */
export async function signedQuery(file: SignedFile, secret: string): Promise<URLSearchParams> {
  const key = await hmacKey(secret, "sign");
  const signature = await crypto.subtle.sign("HMAC", key, signedBytes(file));
  return new URLSearchParams({
    tenant: file.tenant,
    expires: String(file.expires),
    signature: toBase64Url(new Uint8Array(signature)),
  });
}

/** True if the signature is for this file. It may have expired. */
export async function isSigned(
  file: SignedFile,
  signature: string,
  secret: string,
): Promise<boolean> {
  if (!/^[\w-]{43}$/.test(signature)) return false;
  const bytes = fromBase64(signature.replaceAll("-", "+").replaceAll("_", "/"));
  return crypto.subtle.verify("HMAC", await hmacKey(secret, "verify"), bytes, signedBytes(file));
}

function hmacKey(secret: string, use: "sign" | "verify") {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

function signedBytes({ tenant, id, expires }: SignedFile): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(["file", tenant, id, expires]));
}
