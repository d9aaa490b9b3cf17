// OAuth 2.1 authorization code with PKCE for one MCP server: a person signs in, once for all runs of the tenant.
//
//   XI1. Data for the end of a sign-in is stored under its unguessable state, and used once. An address with another
//        state has no effect.
//   XI2. Tokens are refreshed as long as the authorization server does so; then a person must sign in again.
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { EngineError } from "../../../../base/error.ts";
import { sha256Hex } from "../../../../base/sha256.ts";
import { randomSecret } from "../../../../base/system.ts";
import { noteSecret } from "../../../../security/known-secrets.ts";
import type { McpOAuth } from "../settings.ts";
import type { McpTokenStore } from "./token-store.ts";

/** Time limit for a person's sign-in, in milliseconds. */
const PENDING_MS = 7 * 24 * 3_600_000;

type Pending = { readonly verifier: string; readonly discovery?: OAuthDiscoveryState };

/** OAuth client of a sign-in. */
export type SignInOptions = {
  readonly url: string;
  readonly oauth: McpOAuth;
  /** Absent for a public client. */
  readonly clientSecret: string | undefined;
  readonly tokens: McpTokenStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** State of the sign-in to finish. @default a new one */
  readonly state?: string;
};

/** Provides the protocol's client with tokens from a person's sign-in. */
export class AuthorizationCodeAuth implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  /** Sign-in address for a person, once the server has asked for it. */
  signInUrl: string | undefined;
  readonly #options: SignInOptions;
  readonly #key: string;
  readonly #state: string;
  #discovery: OAuthDiscoveryState | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
    const { clientId = "", scopes = [], issuer = "", redirectUrl = "" } = options.oauth;
    this.redirectUrl = redirectUrl;
    this.#key = sha256Hex(JSON.stringify([options.url, clientId, scopes, issuer, redirectUrl]));
    this.#state = options.state ?? randomSecret();
    this.clientMetadata = {
      client_name: "edgecrew",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method:
        options.clientSecret === undefined ? "none" : "client_secret_basic",
      ...(scopes.length === 0 ? undefined : { scope: scopes.join(" ") }),
    };
  }

  state(): string {
    return this.#state;
  }

  async clientInformation(
    context?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { oauth, clientSecret, tokens } = this.#options;
    const { clientId, issuer } = oauth;
    if (clientId === undefined) {
      const kept = await tokens.get(this.#clientKey(context));
      return kept && (JSON.parse(kept.value) as StoredOAuthClientInformation);
    }
    return {
      client_id: clientId,
      ...(clientSecret === undefined ? undefined : { client_secret: clientSecret }),
      ...(issuer === undefined ? undefined : { issuer }),
    };
  }

  /** Stores this client's registration at an authorization server. */
  async saveClientInformation(
    client: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    const { oauth, tokens } = this.#options;
    if (oauth.clientId !== undefined) return;
    const kept = { value: JSON.stringify(client), expiresAtMs: undefined };
    await tokens.put(this.#clientKey(context), kept);
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    const kept = await this.#options.tokens.get(this.#key);
    if (kept === undefined) return undefined;
    const tokens = JSON.parse(kept.value) as StoredOAuthTokens;
    noteSecret(tokens.access_token);
    return tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    noteSecret(tokens.access_token);
    await this.#options.tokens.put(this.#key, {
      value: JSON.stringify(tokens),
      expiresAtMs: undefined,
    });
    await this.#options.tokens.delete(this.#pendingKey);
  }

  async invalidateCredentials(scope: string): Promise<void> {
    if (scope === "all" || scope === "tokens") await this.#options.tokens.delete(this.#key);
  }

  redirectToAuthorization(url: URL): void {
    if (!/^https?:$/.test(url.protocol))
      throw new EngineError("tool_failed", `a person cannot sign in at a ${url.protocol} address`);
    this.signInUrl = url.href;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return this.#discovery ?? (await this.#pending())?.discovery;
  }

  async saveCodeVerifier(verifier: string): Promise<void> {
    const pending: Pending = {
      verifier,
      ...(this.#discovery === undefined ? undefined : { discovery: this.#discovery }),
    };
    await this.#options.tokens.put(this.#pendingKey, {
      value: JSON.stringify(pending),
      expiresAtMs: this.#options.now() + PENDING_MS,
    });
  }

  async codeVerifier(): Promise<string> {
    const pending = await this.#pending();
    if (pending !== undefined) return pending.verifier;
    throw new EngineError("tool_failed", "the sign-in is not known here, or it took too long");
  }

  #clientKey({ issuer }: Partial<OAuthClientInformationContext> = {}): string {
    return `${this.#key}:client:${sha256Hex(issuer ?? "")}`;
  }

  get #pendingKey(): string {
    return `${this.#key}:${sha256Hex(this.#state)}`;
  }

  async #pending(): Promise<Pending | undefined> {
    const kept = await this.#options.tokens.get(this.#pendingKey);
    if (kept === undefined || (kept.expiresAtMs ?? 0) < this.#options.now()) return undefined;
    return JSON.parse(kept.value) as Pending;
  }
}
