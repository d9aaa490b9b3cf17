// HTTP Digest (RFC 7616): the answer to a server's challenge, with MD5 or SHA-256.
import { md5Hex } from "../../../base/digest.ts";
import { sha256Hex } from "../../../base/sha256.ts";

/** A server's challenge. */
export type DigestChallenge = Readonly<Record<string, string>>;

/** Request with its credentials, for the answer to a challenge. */
export type DigestRequest = {
  readonly method: string;
  readonly url: URL;
  readonly username: string;
  readonly password: string;
  /** Number of requests with this nonce, including this one. */
  readonly count: number;
  readonly clientNonce: string;
};

/** Returns the digest challenge in `WWW-Authenticate`; undefined without a supported one. */
export function digestChallenge(header: string | null): DigestChallenge | undefined {
  const at = header?.search(/\bdigest\s/i) ?? -1;
  if (header === null || at < 0) return undefined;
  const fields: Record<string, string> = {};
  for (const [, name = "", inQuotes, bare] of header
    .slice(at + "digest".length)
    .matchAll(/([a-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/gi))
    fields[name.toLowerCase()] ??= (inQuotes ?? bare ?? "").replaceAll(/\\(.)/g, "$1");
  const { nonce, algorithm = "MD5", qop } = fields;
  if (nonce === undefined || hashOf(algorithm) === undefined) return undefined;
  if (qop !== undefined && !qopsOf(qop).includes("auth")) return undefined;
  return fields;
}

/** Returns the `Authorization` header for a challenge. */
export function digestAnswer(challenge: DigestChallenge, request: DigestRequest): string {
  const { realm = "", nonce = "", algorithm = "MD5", opaque, qop } = challenge;
  const { method, url, username, password, count, clientNonce } = request;
  const hash = hashOf(algorithm) ?? md5Hex;
  const uri = `${url.pathname}${url.search}`;
  const times = count.toString(16).padStart(8, "0");
  const plain = hash(`${username}:${realm}:${password}`);
  const secret = /-sess$/i.test(algorithm) ? hash(`${plain}:${nonce}:${clientNonce}`) : plain;
  const asked = hash(`${method}:${uri}`);
  const response =
    qop === undefined
      ? hash(`${secret}:${nonce}:${asked}`)
      : hash(`${secret}:${nonce}:${times}:${clientNonce}:auth:${asked}`);
  const fields = [
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `algorithm=${algorithm}`,
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === undefined ? [] : ["qop=auth", `nc=${times}`, `cnonce="${clientNonce}"`]),
  ];
  return `Digest ${fields.join(", ")}`;
}

function hashOf(algorithm: string): ((text: string) => string) | undefined {
  const name = algorithm.toUpperCase().replace(/-SESS$/, "");
  if (name === "MD5") return md5Hex;
  return name === "SHA-256" ? sha256Hex : undefined;
}

function qopsOf(qop: string): readonly string[] {
  return qop.split(",").map((each) => each.trim().toLowerCase());
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
