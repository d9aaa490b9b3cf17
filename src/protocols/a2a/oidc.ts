// Callers with tokens of an OpenID Connect provider, in addition to those with keys of the Worker.
//
//   AQ1. A token is valid with a signature of its provider for this `aud` claim, until it expires. Its bearer acts for
//        the configured tenant, with the configured scopes.
//   AQ2. The provider's keys are fetched by the deployment's outbound rules and cached for an hour. An unknown key id
//        fetches them again, at most once a minute.
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from "jose";
import { boundedText } from "../../base/bounded-text.ts";
import type { Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { Scope } from "../../parts/key-store.ts";
import type { PartCaller } from "../../parts/part.ts";
import { HttpError } from "../../parts/problem.ts";
import { outboundFetch, type OutboundPolicy } from "../../security/outbound.ts";
import { credentialIn } from "../../security/request-credential.ts";

/** A trusted provider, and the rights of its tokens. */
export type OidcAuth = {
  /** Address of the provider, equal to the `iss` claim of tokens. */
  readonly issuer: string;
  /** The `aud` claim of tokens. */
  readonly audience: string;
  /** Address of its keys. @default from the provider's configuration */
  readonly jwksUrl?: string;
  /** @default ["RS256"] */
  readonly algorithms?: readonly string[];
  /** Tenant of the callers. @default "default" */
  readonly tenant?: string;
  /** @default ["run", "read"] */
  readonly scopes?: readonly Scope[];
  /** Maximum difference of clocks, in seconds. @default 30 */
  readonly clockSkewSeconds?: number;
  /** Fetches from the provider. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

const KEPT_MS = 3_600_000;
const AGAIN_MS = 60_000;
const MAX_BYTES = 256 * 1024;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Fails with `invalid_definition`. */
export function checkOidc({ issuer, audience, algorithms = [] }: OidcAuth): void {
  if (!URL.canParse(issuer) || typeof audience !== "string" || audience === "")
    throw new EngineError(
      "invalid_definition",
      `a2a: oidc must have an issuer (an address) and an audience, got ${preview({ issuer, audience })}`,
    );
  const weak = algorithms.find((name) => !/^(?:RS|ES|PS)(?:256|384|512)$|^EdDSA$/.test(name));
  if (weak !== undefined)
    throw new EngineError(
      "invalid_definition",
      `a2a: oidc.algorithms must be of public keys, such as RS256, got ${preview(weak)}`,
    );
}

/** Returns the address of a provider's configuration. */
export function configurationUrl({ issuer }: OidcAuth): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

export class OidcCallers {
  readonly #auth: OidcAuth;
  readonly #clock: Clock;
  readonly #policy: OutboundPolicy;
  #keys: { readonly set: JSONWebKeySet; readonly atMs: number } | undefined;

  constructor(auth: OidcAuth, { clock, policy }: { clock: Clock; policy: OutboundPolicy }) {
    this.#auth = auth;
    this.#clock = clock;
    this.#policy = policy;
  }

  /** Returns undefined for a request without a token of this form. Fails with `unauthorized` for an invalid token. */
  async find(request: Request): Promise<PartCaller | undefined> {
    const token = credentialIn(request);
    if (token === undefined || !TOKEN.test(token)) return undefined;
    const { tenant = "default", scopes = ["run", "read"] } = this.#auth;
    const subject = await this.#subjectOf(token);
    return { tenant, scopes, id: sha256Hex(JSON.stringify([this.#auth.issuer, subject])) };
  }

  async #subjectOf(token: string): Promise<string> {
    try {
      return await this.#verified(token, await this.#keySet(KEPT_MS));
    } catch (error) {
      const isNew = error instanceof errors.JWKSNoMatchingKey;
      if (EngineError.is(error)) throw error;
      const retried = isNew ? await this.#retried(token).catch(onlyOurs) : undefined;
      if (retried !== undefined) return retried;
      throw new HttpError("unauthorized", "the token does not count here", {
        cause: error,
        headers: { "www-authenticate": 'Bearer realm="edgecrew", error="invalid_token"' },
      });
    }
  }

  async #retried(token: string): Promise<string> {
    return this.#verified(token, await this.#keySet(AGAIN_MS));
  }

  async #verified(token: string, set: JSONWebKeySet): Promise<string> {
    const { issuer, audience, algorithms = ["RS256"], clockSkewSeconds = 30 } = this.#auth;
    const { payload } = await jwtVerify(token, createLocalJWKSet(set), {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ["exp", "iat", "sub"],
    });
    return payload.sub ?? "";
  }

  async #keySet(maxAgeMs: number): Promise<JSONWebKeySet> {
    const now = this.#clock.now();
    if (this.#keys !== undefined && now - this.#keys.atMs < maxAgeMs) return this.#keys.set;
    try {
      const url = this.#auth.jwksUrl ?? (await this.#jwksUrl());
      const set = await this.#json(url);
      if (!isJsonObject(set) || !Array.isArray(set["keys"]))
        throw new Error("the provider's answer has no keys");
      this.#keys = { set: set as unknown as JSONWebKeySet, atMs: now };
      return this.#keys.set;
    } catch (error) {
      throw new EngineError(
        "unavailable",
        `the keys of ${this.#auth.issuer} could not be fetched: ${errorMessage(error)}`,
        { retryable: true, cause: error },
      );
    }
  }

  async #jwksUrl(): Promise<string> {
    const configuration = await this.#json(configurationUrl(this.#auth));
    const url = isJsonObject(configuration) ? configuration["jwks_uri"] : undefined;
    if (typeof url === "string") return url;
    throw new Error("the provider's configuration has no jwks_uri");
  }

  async #json(url: string): Promise<unknown> {
    const { fetch: send } = this.#auth;
    const response = await outboundFetch(url, {
      ...this.#policy,
      field: "oidc",
      init: { signal: AbortSignal.timeout(10_000) },
      ...(send === undefined ? undefined : { fetch: send }),
    });
    const { text, isWhole } = await boundedText(response, MAX_BYTES);
    if (!response.ok || !isWhole) throw new Error(`it answered ${response.status}`);
    return JSON.parse(text) as unknown;
  }
}

/** An unreachable provider does not make the token invalid. */
function onlyOurs(error: unknown): undefined {
  if (EngineError.is(error)) throw error;
  return undefined;
}
