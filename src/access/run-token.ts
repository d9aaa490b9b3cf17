// Tokens for front ends, in place of keys: made and verified with Web Crypto alone, and stored nowhere.
//
//   RTK1. The first key of the list signs, and every key verifies. To rotate keys, put a new one in front.
//   RTK2. A token is invalid if it has another form, algorithm, type or key, if it was changed, or if it has more than
//         4,096 characters.
//   RTK3. Clocks may differ by 30 seconds.
//   RTK4. A token ends within a day of its beginning. One without an end, with a longer life, or from the future, is
//         invalid.

/** Rights of a token: read progress, answer, cancel, start its target, upload a file, use what belongs to its person. */
export type TokenScope = "read" | "answer" | "cancel" | "kickoff" | "file" | "person";

/** Target that the token may start. */
export type TokenTarget = {
  /** A run kind of the app, such as `crew`. */
  readonly kind: string;
  readonly name: string;
  /** Fixed inputs. They override inputs of the front end. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Session in which the token may take any number of turns. Without a session, the token starts one run. */
  readonly session?: string;
};

/** Claims of a token with a verified signature. */
export type RunTokenClaims = {
  readonly v: 1;
  readonly jti: string;
  /** The tenant. */
  readonly ten: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  readonly exp: number;
  readonly scp: readonly TokenScope[];
  readonly run?: readonly string[];
  readonly tgt?: TokenTarget;
  /** Shows everything a key would show, instead of progress only. */
  readonly det?: "all";
  readonly by?: string;
  /** Id of the person: of the runs that the token starts, and of the memory that it reaches. */
  readonly sub?: string;
};

/** Options of a new token. */
export type RunTokenOptions = {
  /** The value of `EDGECREW_TOKEN_KEY`: 32 bytes in base64, or several separated by commas. */
  readonly key: string;
  readonly tenant: string;
  /** 1 to 20 runs. Alternative: `target`. Neither for a token of the scope `person` alone. */
  readonly runs?: readonly string[] | undefined;
  readonly target?: TokenTarget | undefined;
  readonly scopes: readonly TokenScope[];
  /** 60 to 86,400. @default 900 */
  readonly ttlSeconds?: number | undefined;
  readonly detail?: "all" | undefined;
  /** Name of the person for answers to waits. */
  readonly by?: string | undefined;
  /** Id of the person: of the runs that the token starts, and of the memory that it reaches. */
  readonly person?: string | undefined;
  /** The token ends then at the latest, in milliseconds since the epoch. @default no such end */
  readonly notAfterMs?: number | undefined;
  /** @default now */
  readonly nowMs?: number | undefined;
};

/** A token, its id, and its expiry in ISO 8601. */
export type RunToken = { readonly token: string; readonly id: string; readonly expiresAt: string };

const PREFIX = "ect_";
const NEEDS = "needs 1 to 20 runs, or a target";
export const SKEW_SECONDS = 30;
/** Longest life of a token. */
export const LONGEST_TOKEN_SECONDS = 86_400;
const HMAC = { name: "HMAC", hash: "SHA-256" };
const utf8 = new TextEncoder();

/** Makes a token. Throws `RangeError` for invalid options. */
export async function createRunToken(options: RunTokenOptions): Promise<RunToken> {
  const { key, tenant, runs, target, scopes, ttlSeconds = 900, detail, by, person } = options;
  const { nowMs, notAfterMs = Number.POSITIVE_INFINITY } = options;
  const wanted = new Set(scopes);
  const isOfPerson = wanted.has("person");
  const reached = [runs, target].filter((each) => each !== undefined).length;
  const isOfPersonAlone = isOfPerson && wanted.size === 1;
  if (isOfPersonAlone ? reached > 1 : reached !== 1) throw new RangeError(NEEDS);
  if (runs && (!runs[0] || runs.length > 20)) throw new RangeError(NEEDS);
  if (isOfPerson && person === undefined)
    throw new RangeError("the scope person needs the id of a person");
  if (!(ttlSeconds >= 60 && ttlSeconds <= LONGEST_TOKEN_SECONDS))
    throw new RangeError("ttlSeconds: expected 60 to 86400");
  const iat = Math.floor((nowMs ?? Date.now()) / 1000);
  const exp = Math.min(iat + Math.floor(ttlSeconds), Math.floor(notAfterMs / 1000));
  const jti = encoded(crypto.getRandomValues(new Uint8Array(16)));
  const claims = {
    v: 1,
    jti,
    ten: tenant,
    iat,
    exp,
    scp: scopes,
    run: runs,
    tgt: target,
    det: detail,
    by,
    sub: person,
  };
  const [first = ""] = keysOf(key);
  const bytes = bytesOf(first);
  const text = `${json({ alg: "HS256", typ: "ect", kid: await idOf(bytes) })}.${json(claims)}`;
  const signed = await crypto.subtle.sign("HMAC", await imported(bytes), utf8.encode(text));
  return {
    token: `${PREFIX}${text}.${encoded(new Uint8Array(signed))}`,
    id: jti,
    expiresAt: new Date(exp * 1000).toISOString(),
  };
}

/** Returns the claims of a token, `expired` after its end, or undefined if it is invalid. */
export async function verifyRunToken(
  token: string,
  { key, nowMs = Date.now() }: { readonly key: string; readonly nowMs?: number },
): Promise<RunTokenClaims | "expired" | undefined> {
  const form = /^ect_([\w-]+)\.([\w-]+)\.([\w-]{43})$/.exec(token.length > 4096 ? "" : token);
  if (form === null) return undefined;
  const [, head = "", body = "", signature = ""] = form;
  try {
    const { alg, typ, kid } = parsed(head);
    if (alg !== "HS256" || typ !== "ect") return undefined;
    for (const bytes of keysOf(key).map(bytesOf)) {
      if ((await idOf(bytes)) !== kid) continue;
      const text = utf8.encode(`${head}.${body}`);
      if (!(await crypto.subtle.verify("HMAC", await imported(bytes), bytesOf(signature), text)))
        return undefined;
      const claims = parsed(body) as RunTokenClaims;
      if (claims.v !== 1 || !isShort(claims)) return undefined;
      const now = nowMs / 1000;
      if (claims.iat - SKEW_SECONDS > now) return undefined;
      return claims.exp + SKEW_SECONDS < now ? "expired" : claims;
    }
  } catch {} // invalid JSON or base64
  return undefined;
}

/** True for a token with an end, within a day of its beginning (RTK4). */
function isShort({ iat, exp }: Pick<RunTokenClaims, "iat" | "exp">): boolean {
  const isWhole = Number.isSafeInteger(iat) && Number.isSafeInteger(exp);
  return isWhole && exp - iat <= LONGEST_TOKEN_SECONDS;
}

function keysOf(key: string): string[] {
  return key.split(",").map((each) => each.trim());
}

/** Decodes base64 in either alphabet. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function encoded(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function json(value: object): string {
  return encoded(utf8.encode(JSON.stringify(value)));
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(bytesOf(text))) as Record<string, unknown>;
}

function imported(bytes: Uint8Array<ArrayBuffer>): ReturnType<typeof crypto.subtle.importKey> {
  if (bytes.length !== 32) throw new RangeError("key: expected 32 bytes in base64");
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]);
}

/** Returns the first 8 hex digits of the key's SHA-256. */
async function idOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
