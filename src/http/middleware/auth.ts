// Authentication and scopes.
//
//   A1. Only /healthz answers without a key in `keys` mode. Unknown keys are 401, missing scopes 403.
//   A2. In `open` mode a known key acts as itself; every other caller is tenant `default` with all scopes, if it asks a host of
//       this machine. On other hosts, `open` is as `keys`; `open-to-everybody` is open there too.
//   A3. A Worker without any key answers how to make one.
//   A4. Only hashes are looked up and compared.
//   A5. Secrets that everybody knows, and requests to private networks, are for hosts of this machine alone.
//   A6. A key that was deleted or has expired ends the streams that are open with it, within a minute.
//   A7. A part may take keys from other headers, for its own paths alone; a bearer key takes precedence.
//   A8. A part may know callers of its own paths by other credentials, where they have no key.
import type { Context, MiddlewareHandler } from "hono";
import { sha256Hex } from "../../base/sha256.ts";
import { isValidKey, type Scope } from "../../parts/key-store.ts";
import type { BoundPart } from "../../parts/part.ts";
import { HttpError } from "../../parts/problem.ts";
import { isLoopbackRequest } from "../../security/loopback.ts";
import { withKeyHash } from "./open-streams.ts";
import { DEFAULT_TENANT, type AppServices, type Caller, type HttpEnv } from "../services.ts";

const OPERATOR: Caller = { tenant: DEFAULT_TENANT, scopes: ["run", "read", "admin"] };

const HOW_TO_MAKE_A_KEY =
  "set the secret EDGECREW_ADMIN_KEY with `wrangler secret put EDGECREW_ADMIN_KEY`, " +
  "then make keys with POST /keys and `Authorization: Bearer <that secret>`";
const NO_KEY_YET = `this Worker has no API key yet: ${HOW_TO_MAKE_A_KEY}`;
const OPEN_HERE_ALONE =
  "EDGECREW_AUTH=open answers requests without a key on hosts of this machine alone (localhost, 127.0.0.1, [::1]); " +
  `elsewhere a key is needed: ${HOW_TO_MAKE_A_KEY}. EDGECREW_AUTH=open-to-everybody lets everybody in`;

/** Sets `c.var.caller`, or answers 401. */
export function authenticate(
  services: AppServices,
  parts: ReadonlyArray<Pick<BoundPart, "credentials" | "callers">> = [],
): MiddlewareHandler<HttpEnv> {
  const { mode, adminKey = "" } = services.auth;
  const adminHash = adminKey === "" ? undefined : sha256Hex(adminKey);

  async function callerOf(key: string | undefined): Promise<Caller | undefined> {
    if (key === undefined) return undefined;
    const hash = sha256Hex(key);
    if (adminHash !== undefined && equalInConstantTime(hash, adminHash)) return OPERATOR;
    const known = await services.keys.find(hash);
    if (!isValidKey(known, services.clock.now())) return undefined;
    return { tenant: known.tenant, scopes: known.scopes, keyHash: hash };
  }

  async function partCaller(path: string, request: Request): Promise<Caller | undefined> {
    for (const { callers } of parts) {
      const found = callers?.matches(path) ? await callers.find(request) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return async (c, next) => {
    if (c.req.path === "/healthz") return next();
    const key = bearerKey(c) ?? keyElsewhere(c);
    const isOpen =
      mode === "open-to-everybody" || (mode === "open" && isLoopbackRequest(c.req.raw));
    const caller =
      (await callerOf(key)) ??
      (await partCaller(c.req.path, c.req.raw)) ??
      (isOpen ? OPERATOR : undefined);
    if (caller === undefined) throw await refusal(key);
    c.set("caller", caller);
    c.req.raw = withKeyHash(c.req.raw, caller.keyHash);
    return next();
  };

  /** The key where a part's clients have it. */
  function keyElsewhere({ req }: Context<HttpEnv>): string | undefined {
    const found = parts.find(({ credentials }) => credentials?.matches(req.path));
    return found?.credentials?.keyOf(req.raw);
  }

  async function refusal(key: string | undefined): Promise<HttpError> {
    const challenge = `Bearer realm="edgecrew"${key === undefined ? "" : ', error="invalid_token"'}`;
    const headers = { "www-authenticate": challenge };
    if (mode === "open") return new HttpError("unauthorized", OPEN_HERE_ALONE, { headers });
    if (adminHash === undefined && !(await services.keys.any()))
      return new HttpError("unauthorized", NO_KEY_YET, { headers });
    const message =
      key === undefined
        ? "an API key is needed: send `Authorization: Bearer <key>`"
        : "the API key is not known, was deleted, or has expired";
    return new HttpError("unauthorized", message, { headers });
  }
}

/** Throws `forbidden` for a caller without the scope; `admin` has every scope. */
export function checkScope({ scopes }: Caller, scope: Scope): void {
  if (scopes.includes(scope) || scopes.includes("admin")) return;
  const message = `this needs a key with the scope "${scope}"; this one has ${scopes.map((each) => `"${each}"`).join(", ") || "none"}`;
  throw new HttpError("forbidden", message, {
    headers: {
      "www-authenticate": `Bearer realm="edgecrew", error="insufficient_scope", scope="${scope}"`,
    },
  });
}

/** Throws `forbidden` for other tenants: an admin of one tenant must not create keys for another. */
export function checkOperator({ tenant }: Caller): void {
  if (tenant === DEFAULT_TENANT) return;
  throw new HttpError(
    "forbidden",
    `keys are managed with an admin key of tenant "${DEFAULT_TENANT}", got one of tenant "${tenant}"`,
  );
}

/** Compares two texts of the same length in a time that depends only on the length. */
function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++)
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

function bearerKey(c: Context<HttpEnv>): string | undefined {
  return /^bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
}
