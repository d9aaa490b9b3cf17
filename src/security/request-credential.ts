// The credential in a request's headers: a key, or a token. Nothing else reads keys in them.
//
//   CRD1. The first of these headers counts, in any form, and the others are ignored: `Authorization`, `X-API-Key`,
//         `api-key`. The query is never read, because logs and histories have it.
//   CRD2. A password of Basic counts only where a part reads it, because browsers repeat such passwords by themselves,
//         also in requests of pages from other origins.

/** Headers of credentials, in the order of precedence. */
export const CREDENTIAL_HEADERS = ["authorization", "x-api-key", "api-key"] as const;

/** Returns the key or token of a request; undefined for a request without one in a known form. */
export function credentialIn({ headers }: Pick<Request, "headers">): string | undefined {
  const header = CREDENTIAL_HEADERS.find((name) => sent(headers, name) !== "");
  if (header === undefined) return undefined;
  const value = sent(headers, header);
  if (header !== "authorization") return value;
  return /^bearer +(\S+)$/i.exec(value)?.[1];
}

/** True for a request with any credential, in a known form or not. */
export function hasCredential({ headers }: Pick<Request, "headers">): boolean {
  return CREDENTIAL_HEADERS.some((name) => sent(headers, name) !== "");
}

function sent(headers: Headers, name: string): string {
  return headers.get(name)?.trim() ?? "";
}
