// Sessions of browsers: a cookie in place of a key.
//
//   SSN1. Only the SHA-256 of the cookie is stored. The session ends with its key: when the key is deleted or expires,
//         or when the admin key changes.
//   SSN2. A change is accepted only from pages of this origin, before the body is read.
//   SSN3. Use does not prolong a session.
import { sha256Hex } from "../base/sha256.ts";
import { ADMIN_KEY_NAME } from "../parts/key-store.ts";
import type { BoundPart, PartCaller, PartHost } from "../parts/part.ts";
import { HttpError } from "../parts/problem.ts";
import { checkOwnOrigin } from "./own-origin.ts";
import type { FoundSession, SessionStore } from "./session-store.ts";

const COOKIE = "__Host-edgecrew";

/** Cookie limited to this origin and hidden from scripts. */
export function cookieOf(secret: string, maxAgeSeconds: number): string {
  return `${COOKIE}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
}

export const NO_COOKIE = cookieOf("", 0);

/** The hash of the request's cookie; undefined without one. */
export function sessionHash({ headers }: Request): string | undefined {
  const cookie = (headers.get("cookie") ?? "")
    .split(/;\s*/)
    .find((each) => each.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);
  return cookie === undefined ? undefined : sha256Hex(cookie);
}

/** Identifies the admin key of a session: the first 8 bytes of the key's hash. */
export function adminMark(adminKey: string): string {
  return sha256Hex(adminKey).slice(0, 16);
}

/** The caller of a session; undefined once it has ended. */
export function sessionCaller(
  session: FoundSession | undefined,
  { auth, clock }: Pick<PartHost, "auth" | "clock">,
): PartCaller | undefined {
  if (session === undefined) return undefined;
  const now = clock.now();
  const { tenant, key, by, createdAtMs, expiresAtMs } = session;
  const shared = {
    tenant,
    via: "session",
    signedInAtMs: createdAtMs,
    ...(by === undefined ? undefined : { by }),
  } as const;
  if (expiresAtMs <= now) return undefined;
  if (session.adminMark !== undefined) {
    const { adminKey = "" } = auth;
    const isSame = adminKey !== "" && session.adminMark === adminMark(adminKey);
    return isSame ? { ...shared, scopes: session.scopes, keyName: ADMIN_KEY_NAME } : undefined;
  }
  if (key === undefined || (key.expiresAtMs ?? Number.POSITIVE_INFINITY) <= now) return undefined;
  const named = key.name === undefined ? undefined : { keyName: key.name };
  const ending = key.expiresAtMs === undefined ? undefined : { endsAtMs: key.expiresAtMs };
  return { ...shared, scopes: key.scopes, keyHash: key.hash, ...named, ...ending };
}

export function sessionCallers(
  host: PartHost,
  sessions: SessionStore,
): NonNullable<BoundPart["callers"]> {
  return {
    order: "last",
    matches: () => true,
    find: async (request) => {
      const hash = sessionHash(request);
      if (hash === undefined) return undefined;
      checkOwnOrigin(request);
      const caller = sessionCaller(await sessions.find(hash), host);
      if (caller !== undefined) return caller;
      throw new HttpError("unauthorized", "the session has ended: sign in again", {
        // Without this, every later request of the browser would fail, including requests that need no key.
        headers: { "set-cookie": NO_COOKIE },
      });
    },
  };
}
