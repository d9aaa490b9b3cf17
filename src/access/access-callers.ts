// Callers authenticated by Cloudflare Access: its signed header replaces a key.
//
//   CFA1. A token is valid only with an RS256 signature by the team's keys, for this application's `aud` tag, before it
//         expires.
//   CFA2. The team's keys are cached for ten minutes. An unknown key id fetches them again, at most once a minute.
//   CFA3. Changes are accepted from pages of this origin and from programs other than browsers.
import type { Clock } from "../base/clock.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { systemClock, systemFetch } from "../base/system.ts";
import { DEFAULT_TENANT } from "../parts/auth-settings.ts";
import type { Scope } from "../parts/key-store.ts";
import type { BoundPart, Part, PartCaller, PartHost } from "../parts/part.ts";
import { HttpError } from "../parts/problem.ts";
import type { AccessClaims, AccessKeys } from "./access-claims.ts";
import { checkOwnOrigin } from "./own-origin.ts";

/** People admitted by Cloudflare Access, and their rights. */
export type AccessOptions = {
  /** The name of the team: `acme` of `acme.cloudflareaccess.com`. */
  readonly team: string;
  /** The `aud` tag of the application in Access. */
  readonly audience: string;
  /** The tenant of these people. @default "default" */
  readonly tenant?: string;
  /** Scopes of every person, or a function of the token's claims. */
  readonly scopes:
    | readonly Scope[]
    | ((claims: Readonly<Record<string, unknown>>) => readonly Scope[]);
  /** Fetches the team's keys. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

const HEADER = "cf-access-jwt-assertion";
const KEPT_MS = 10 * 60_000;
const AGAIN_MS = 60_000;

/** Fails with `invalid_definition` for invalid options. */
export function checkAccess({ team, audience }: AccessOptions): void {
  if (/^[a-z0-9][a-z0-9-]*$/i.test(team) && audience !== "") return;
  throw invalidDefinition(
    `console(): access needs a team, such as "acme" of acme.cloudflareaccess.com, and the audience of its application, got ${preview({ team, audience })}`,
  );
}

export class AccessCallers {
  readonly #options: AccessOptions;
  #clock: Clock = systemClock;
  #keys: { readonly set: AccessKeys; readonly atMs: number } | undefined;

  constructor(options: AccessOptions) {
    checkAccess(options);
    this.#options = options;
  }

  bind(host: PartHost): NonNullable<BoundPart["callers"]> {
    this.#clock = host.clock;
    return {
      order: "last",
      matches: () => true,
      find: (request) => {
        if (request.headers.has(HEADER)) checkOwnOrigin(request, { mayBeNoBrowser: true });
        return this.find(request);
      },
    };
  }

  /** Returns undefined for a request without a token of Access. Fails with `unauthorized` if the token is invalid. */
  async find({ headers }: Request): Promise<PartCaller | undefined> {
    const token = headers.get(HEADER);
    if (token === null) return undefined;
    const claims = await this.#claimsOf(token);
    const { tenant = DEFAULT_TENANT, scopes } = this.#options;
    const { email, common_name: program, sub } = claims;
    const by = [email, program].find((name) => typeof name === "string" && name !== "");
    return {
      tenant,
      scopes: typeof scopes === "function" ? scopes(claims) : scopes,
      via: "access",
      id: `access:${textOf(sub) ?? textOf(by) ?? ""}`,
      ...(typeof by === "string" ? { by } : undefined),
    };
  }

  async #claimsOf(token: string): Promise<AccessClaims> {
    const { accessClaims } = await import("./access-claims.ts");
    const { team, audience } = this.#options;
    const nowMs = this.#clock.now();
    const issuer = `https://${team}.cloudflareaccess.com`;
    try {
      for (const maxAgeMs of [KEPT_MS, AGAIN_MS]) {
        const keys = await this.#keySet(maxAgeMs, nowMs);
        const claims = await accessClaims(token, { keys, issuer, recipient: audience, nowMs });
        if (claims !== "unknown key") return claims;
      }
      throw new Error("no key of the team has signed it");
    } catch (cause) {
      if (EngineError.is(cause)) throw cause;
      throw new HttpError("unauthorized", "the token of Cloudflare Access does not count here", {
        cause,
      });
    }
  }

  async #keySet(maxAgeMs: number, now: number): Promise<AccessKeys> {
    if (this.#keys !== undefined && now - this.#keys.atMs < maxAgeMs) return this.#keys.set;
    const { team, fetch: ask = systemFetch } = this.#options;
    try {
      const response = await ask(`https://${team}.cloudflareaccess.com/cdn-cgi/access/certs`);
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      this.#keys = { set: (await response.json()) as AccessKeys, atMs: now };
      return this.#keys.set;
    } catch (cause) {
      throw new EngineError(
        "unavailable",
        `the keys of ${team}.cloudflareaccess.com could not be fetched: ${errorMessage(cause)}`,
        { retryable: true, cause },
      );
    }
  }
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}

/** Comes after sessions: a person with a session acts as that session. */
export function accessPart(callers: AccessCallers): Part {
  return {
    name: "access",
    docs: "console-access.md",
    bind: (host) => ({ callers: callers.bind(host) }),
  };
}
