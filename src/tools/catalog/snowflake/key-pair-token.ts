// Token for a user of Snowflake and one of the user's keys.
import { toBase64, toBase64Url } from "../../../base/bytes.ts";
import { serviceFailure } from "../base/service-failure.ts";

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const LIFETIME_S = 3300;

/** Signs a token with a private key, PKCS#8 in PEM. Throws the failure `unauthorized` for any other text. */
export async function keyPairToken(
  pem: string,
  {
    account,
    user,
    nowMs,
  }: { readonly account: string; readonly user: string; readonly nowMs: number },
): Promise<string> {
  const key = await privateKeyOf(pem);
  const { n = "", e = "" } = (await crypto.subtle.exportKey("jwk", key)) as Modulus;
  const publicKey = await crypto.subtle.importKey("jwk", { kty: "RSA", n, e }, ALGORITHM, true, [
    "verify",
  ]);
  const spki = (await crypto.subtle.exportKey("spki", publicKey)) as ArrayBuffer;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", spki));
  // The account's name ends before its region.
  const [locator = ""] = account.split(".");
  const subject = `${locator}.${user}`.toUpperCase();
  const now = Math.floor(nowMs / 1000);
  const encoded = [
    { alg: "RS256", typ: "JWT" },
    { iss: `${subject}.SHA256:${toBase64(digest)}`, sub: subject, iat: now, exp: now + LIFETIME_S },
  ].map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part))));
  const content = encoded.join(".");
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(content));
  return `${content}.${toBase64Url(new Uint8Array(signature))}`;
}

type PrivateKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
/** Public part of a key. */
type Modulus = { readonly n?: string; readonly e?: string };

async function privateKeyOf(pem: string): Promise<PrivateKey> {
  const [, base64 = ""] =
    /-----BEGIN PRIVATE KEY-----([\s\S]+)-----END PRIVATE KEY-----/.exec(
      pem.replaceAll("\\n", "\n"),
    ) ?? [];
  try {
    const bytes = Uint8Array.from(atob(base64.replaceAll(/\s/g, "")), (sign) => sign.charCodeAt(0));
    return await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, true, ["sign"]);
  } catch {
    throw serviceFailure({
      code: "unauthorized",
      message:
        "The private key of Snowflake cannot be read: it must be PKCS#8 in PEM, not encrypted (-----BEGIN PRIVATE KEY-----).",
    });
  }
}
