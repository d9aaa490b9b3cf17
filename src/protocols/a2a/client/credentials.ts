// Credentials of requests to one remote agent.
//
//   AXE1. Tokens are cached until shortly before they expire, per tenant, server and client; simultaneous requests
//         share one.
//   AXE2. After a 401 credentials are renewed: another token, or the answer to a challenge.
import { toBase64, toBase64Url } from "../../../base/bytes.ts";
import { EngineError } from "../../../base/error.ts";
import { preview, parsedObject } from "../../../base/json.ts";
import { randomBytes } from "../../../base/system.ts";
import { noteSecret } from "../../../security/known-secrets.ts";
import { outboundFetch } from "../../../security/outbound.ts";
import type { AgentAccess } from "./access.ts";
import type { ReadAuth } from "./auth-config.ts";
import { remoteText } from "./bounded-response.ts";
import { digestAnswer, digestChallenge, type DigestChallenge } from "./digest-auth.ts";

/** A request before it is sent. */
export type OutgoingRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
};

/** Tokens of one isolate. */
export type TokenCache = Map<string, Promise<KeptToken>>;

type KeptToken = {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly refreshToken?: string;
};

const DEFAULT_LIFE_MS = 3_600_000;
/** Time before its end at which a token is no longer used. */
const MARGIN_MS = 30_000;
const MAX_TOKEN_BYTES = 65_536;

/** Adds the credentials of `auth` to requests. */
export class Credentials {
  readonly #auth: ReadAuth | undefined;
  readonly #access: AgentAccess;
  readonly #tokens: TokenCache;
  #challenge: DigestChallenge | undefined;
  #answered = 0;

  constructor(auth: ReadAuth | undefined, access: AgentAccess, tokens: TokenCache) {
    this.#auth = auth;
    this.#access = access;
    this.#tokens = tokens;
  }

  async apply(request: OutgoingRequest): Promise<void> {
    const auth = this.#auth;
    if (auth === undefined) return;
    const { headers, url, method } = request;
    const secret = (value: Parameters<AgentAccess["secret"]>[0], field: string) =>
      this.#access.secret(value, url.href, `a2a: auth.${field}`);
    switch (auth.type) {
      case "bearer":
        headers.set("authorization", `Bearer ${await secret(auth.token, "token")}`);
        return;
      case "basic": {
        const password = await secret(auth.password, "password");
        const pair = new TextEncoder().encode(`${auth.username}:${password}`);
        headers.set("authorization", `Basic ${noteSecret(toBase64(pair))}`);
        return;
      }
      case "digest": {
        if (this.#challenge === undefined) return;
        const password = await secret(auth.password, "password");
        const answer = {
          method,
          url,
          username: auth.username,
          password,
          count: (this.#answered += 1),
          clientNonce: toBase64Url(randomBytes(12)),
        };
        headers.set("authorization", digestAnswer(this.#challenge, answer));
        return;
      }
      case "apiKey": {
        const key = await secret(auth.apiKey, "apiKey");
        if (auth.location === "query") url.searchParams.set(auth.name, key);
        else if (auth.location === "header") headers.set(auth.name, key);
        else {
          const others = headers.get("cookie");
          const cookie = `${auth.name}=${encodeURIComponent(key)}`;
          headers.set("cookie", others === null ? cookie : `${others}; ${cookie}`);
        }
        return;
      }
      case "oauth2ClientCredentials":
      case "oauth2AuthorizationCode": {
        const { token } = await this.#token(auth, url.href);
        headers.set("authorization", `Bearer ${token}`);
      }
    }
  }

  /** Handles a 401. */
  async refused(response: Response): Promise<void> {
    const auth = this.#auth;
    if (auth?.type === "digest") {
      this.#challenge = digestChallenge(response.headers.get("www-authenticate"));
      this.#answered = 0;
    }
    if (auth?.type === "oauth2ClientCredentials" || auth?.type === "oauth2AuthorizationCode") {
      const key = this.#key(auth);
      const kept = await this.#tokens.get(key)?.catch(() => undefined);
      if (kept !== undefined)
        this.#tokens.set(key, Promise.resolve({ ...kept, expiresAtMs: Number.NEGATIVE_INFINITY }));
    }
  }

  get type(): ReadAuth["type"] | undefined {
    return this.#auth?.type;
  }

  #key(auth: OAuth): string {
    const { tokenUrl, clientId, scopes } = auth;
    return JSON.stringify([
      this.#access.base.tenant,
      this.#access.fromData,
      tokenUrl,
      clientId,
      scopes,
      auth.clientSecret,
    ]);
  }

  /** Returns a valid token. Simultaneous callers share the request (AXE1). */
  async #token(auth: OAuth, forAddress: string): Promise<KeptToken> {
    this.#access.checkSecret(auth.clientSecret, forAddress, "a2a: auth.clientSecret");
    const key = this.#key(auth);
    const asked = this.#tokens.get(key);
    const kept = await asked?.catch(() => undefined);
    if (kept !== undefined && kept.expiresAtMs > this.#access.base.clock.now()) return kept;
    const other = this.#tokens.get(key);
    if (other !== undefined && other !== asked) return other;
    const fresh = this.#fresh(auth, kept?.refreshToken);
    this.#tokens.set(key, fresh);
    fresh.catch(() => this.#tokens.get(key) === fresh && this.#tokens.delete(key));
    return fresh;
  }

  async #fresh(auth: OAuth, refreshToken: string | undefined): Promise<KeptToken> {
    if (auth.type === "oauth2ClientCredentials")
      return this.#ask(auth, { grant_type: "client_credentials", ...scopeField(auth) });
    const configured =
      auth.refreshToken === undefined
        ? undefined
        : await this.#access.secret(auth.refreshToken, auth.tokenUrl, "a2a: auth.refreshToken");
    for (const known of new Set([refreshToken, configured])) {
      if (known === undefined) continue;
      const grant = { grant_type: "refresh_token", refresh_token: known };
      try {
        return { refreshToken: known, ...(await this.#ask(auth, grant)) };
      } catch (error) {
        if (auth.authorize === undefined && known === configured) throw error;
      }
    }
    const { authorize, authorizationUrl, clientId, redirectUri } = auth;
    if (authorize === undefined)
      throw refused(
        "auth needs a person's consent, and no person is available: set authorize (in code), or a refreshToken",
      );
    const state = toBase64Url(randomBytes(16));
    const verifier = toBase64Url(randomBytes(32));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const address = new URL(authorizationUrl);
    const query = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: toBase64Url(new Uint8Array(digest)),
      code_challenge_method: "S256",
      ...scopeField(auth),
    };
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const code = await authorize(address.href, state);
    if (typeof code !== "string" || code === "")
      throw refused(`auth.authorize must return the code, got ${preview(code)}`);
    return this.#ask(auth, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
  }

  async #ask(auth: OAuth, grant: Readonly<Record<string, string>>): Promise<KeptToken> {
    const access = this.#access;
    const { tokenUrl, clientId } = auth;
    access.checkAddress(tokenUrl, "a2a: auth.tokenUrl");
    const secret = await access.secret(auth.clientSecret, tokenUrl, "a2a: auth.clientSecret");
    const form = new URLSearchParams({ ...grant, client_id: clientId, client_secret: secret });
    const response = await outboundFetch(tokenUrl, {
      field: "auth.tokenUrl",
      ...access.policy,
      maxRedirects: 0,
      fetch: access.base.fetch,
      init: {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          accept: "application/json",
        },
        body: form.toString(),
      },
    });
    const text = await remoteText(response, {
      maxBytes: MAX_TOKEN_BYTES,
      idleMs: 30_000,
      clock: access.base.clock,
      what: "the token server",
    });
    const body = parsed(text);
    const token = body["access_token"];
    if (!response.ok || typeof token !== "string" || token === "") {
      const reason = body["error_description"] ?? body["error"];
      throw refused(
        `the token server ${new URL(tokenUrl).host} gave no token (${response.status}${typeof reason === "string" ? `: ${preview(reason, 200)}` : ""})`,
        response.status >= 500,
      );
    }
    const seconds = Number(body["expires_in"]);
    const lifeMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : DEFAULT_LIFE_MS;
    const refresh = body["refresh_token"];
    return {
      token: noteSecret(token),
      expiresAtMs: access.base.clock.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2),
      ...(typeof refresh === "string" && refresh !== ""
        ? { refreshToken: noteSecret(refresh) }
        : undefined),
    };
  }
}

type OAuth = Extract<ReadAuth, { tokenUrl: string }>;

function scopeField({ scopes }: OAuth): { readonly scope?: string } {
  return scopes.length === 0 ? {} : { scope: scopes.join(" ") };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  return parsedObject(text) ?? {};
}

function refused(message: string, retryable = false): EngineError {
  return new EngineError("unauthorized", message, { retryable });
}
