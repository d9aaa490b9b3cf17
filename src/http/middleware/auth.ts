// Authentication and scopes.
//
//   A1. Only /healthz answers without a key in `keys` mode. Unknown keys are 401, missing scopes 403.
//   A2. In `open` mode a known key acts as itself. Every other caller is tenant `default` with all scopes, on hosts of
//       this machine. On other hosts, `open` behaves like `keys`; `open-to-everybody` is open there too.
//   A3. A Worker without any key answers how to make one.
//   A4. Only hashes are looked up and compared.
//   A5. Publicly known secrets, and requests to private networks, are limited to hosts of this machine.
//   A6. Deletion or expiry of a key ends its open streams within a minute.
//   A7. Keys come in `Authorization: Bearer`, in `X-API-Key` or in `api-key`. A part may take them as the password of
//       Basic, for its own paths alone.
//   A8. A part may identify callers of its own paths by other credentials, if they have no key.
//   A9. The first credential found counts, in this order: token, key, session cookie, the identity from a proxy in
//       front, open mode. An invalid credential is refused, and later ones are ignored. The one exception: in
//       open mode an unknown bearer key is ignored, because third-party clients always send one.
//   A10. A person who signed in more than ten minutes ago makes no keys.
import type { MiddlewareHandler } from "hono";
import { sha256Hex } from "../../base/sha256.ts";
import { isoTime } from "../../base/clock.ts";
import { ADMIN_KEY_NAME, isValidKey, type ApiKey } from "../../parts/key-store.ts";
import type { BoundPart } from "../../parts/part.ts";
import { HttpError } from "../../parts/problem.ts";
import { isOpenTo } from "../../parts/auth-settings.ts";
import { equalInConstantTime } from "../../security/constant-time.ts";
import { credentialIn, hasCredential } from "../../security/request-credential.ts";
import { withKeyHash } from "./open-streams.ts";
import { DEFAULT_TENANT, type AppServices, type Caller, type HttpEnv } from "../services.ts";

const OPERATOR: Caller = {
  tenant: DEFAULT_TENANT,
  scopes: ["run", "read", "admin"],
  via: "key",
  keyName: ADMIN_KEY_NAME,
};
const { keyName: _, ...EVERYBODY } = OPERATOR;
/** Time after signing in during which a person may make keys. */
const RECENT_MS = 10 * 60_000;

const HOW_TO_MAKE_A_KEY =
  "set the secret EDGECREW_ADMIN_KEY with `wrangler secret put EDGECREW_ADMIN_KEY`, " +
  "then make keys with POST /keys and `Authorization: Bearer <that secret>`";
const NO_KEY_YET = `this Worker has no API key yet: ${HOW_TO_MAKE_A_KEY}`;
const OPEN_HERE_ALONE =
  "EDGECREW_AUTH=open answers requests without a key on hosts of this machine alone (localhost, 127.0.0.1, [::1]); " +
  `elsewhere a key is needed: ${HOW_TO_MAKE_A_KEY}. EDGECREW_AUTH=open-to-everybody lets everybody in`;

type CallerSource = NonNullable<BoundPart["callers"]>;

/** Finds the caller of a key: the operator, or the owner of a stored key. */
function keyCallers(
  services: AppServices,
  adminHash: string | undefined,
): (key: string | undefined) => Promise<Caller | undefined> {
  return async (key) => {
    if (key === undefined) return undefined;
    const hash = sha256Hex(key);
    if (adminHash !== undefined && equalInConstantTime(hash, adminHash)) return OPERATOR;
    const known = await services.keys.find(hash);
    if (!isValidKey(known, services.clock.now())) return undefined;
    noteUse(known);
    const { tenant, scopes, name: keyName, expiresAtMs: endsAtMs } = known;
    const named = keyName === undefined ? undefined : { keyName };
    const ending = endsAtMs === undefined ? undefined : { endsAtMs };
    return { tenant, scopes, via: "key", keyHash: hash, ...named, ...ending };
  };

  /** Notes the use of a key, once a day. */
  function noteUse({ id, lastUsedOn }: ApiKey): void {
    const today = isoTime(services.clock.now()).slice(0, 10);
    if (lastUsedOn === today) return;
    const noted = services.keys.used(id, today).catch(() => undefined);
    services.background?.(noted);
  }
}

/** Sets `c.var.caller`, or answers 401. */
export function authenticate(
  services: AppServices,
  parts: ReadonlyArray<Pick<BoundPart, "callers" | "passwordOf">> = [],
): MiddlewareHandler<HttpEnv> {
  const { mode, adminKey = "" } = services.auth;
  const adminHash = adminKey === "" ? undefined : sha256Hex(adminKey);
  const sources = parts.flatMap(({ callers }) => callers ?? []);
  const callerOf = keyCallers(services, adminHash);

  async function partCaller(
    request: Request,
    order: CallerSource["order"],
  ): Promise<Caller | undefined> {
    const path = new URL(request.url).pathname;
    for (const source of sources) {
      if (source.order !== order || !source.matches(path)) continue;
      const found = await source.find(request);
      if (found !== undefined) return { via: "other", ...found };
    }
    return undefined;
  }

  return async (c, next) => {
    if (c.req.path === "/healthz") return next();
    const { raw } = c.req;
    const first = await partCaller(raw, "first");
    const [password] = parts.flatMap((part) => part.passwordOf?.(raw) ?? []);
    const key = credentialIn(raw) ?? password;
    const isOpen = isOpenTo(services.auth, raw);
    const caller =
      first ??
      (await callerOf(key)) ??
      (await partCaller(raw, undefined)) ??
      (hasCredential(raw) ? undefined : await partCaller(raw, "last")) ??
      (isOpen ? { ...EVERYBODY, via: "open" as const } : undefined);
    if (caller === undefined) throw await refusal(key);
    c.set("caller", caller);
    c.req.raw = withKeyHash(raw, caller.keyHash);
    return next();
  };

  async function refusal(key: string | undefined): Promise<HttpError> {
    const challenge = `Bearer realm="edgecrew"${key === undefined ? "" : ', error="invalid_token"'}`;
    const headers = { "www-authenticate": challenge };
    if (mode === "open") return new HttpError("unauthorized", OPEN_HERE_ALONE, { headers });
    if (adminHash === undefined && !(await services.keys.any()))
      return new HttpError("unauthorized", NO_KEY_YET, { headers });
    const message =
      key === undefined
        ? "an API key is needed: send `Authorization: Bearer <key>`, or the key in `X-API-Key`"
        : "the API key is not known, was deleted, or has expired";
    return new HttpError("unauthorized", message, { headers });
  }
}

/** Fails with `forbidden` for other tenants: an admin of one tenant must not create keys for another. */
export function checkOperator({ tenant }: Caller): void {
  if (tenant === DEFAULT_TENANT) return;
  throw new HttpError(
    "forbidden",
    `keys are managed with an admin key of tenant "${DEFAULT_TENANT}", got one of tenant "${tenant}"`,
  );
}

/** Fails with `forbidden` for a session older than ten minutes. */
export function checkRecentLogin({ signedInAtMs }: Caller, nowMs: number): void {
  if (signedInAtMs === undefined || nowMs - signedInAtMs < RECENT_MS) return;
  throw new HttpError("forbidden", "keys are made soon after signing in: sign in again");
}
