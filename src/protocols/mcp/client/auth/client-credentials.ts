// OAuth 2.1 client credentials for one MCP server: MCP 2026-07-28, Authorization.
//
//   XO1. Credentials go only to an authorization server whose metadata has the requested issuer as its own, and the
//        issuer of the settings if they have one.
//   XO2. A token is cached until it is refused or has expired, for all connections of the tenant.
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { EngineError } from "../../../../base/error.ts";
import { sha256Hex } from "../../../../base/sha256.ts";
import { noteSecret } from "../../../../security/known-secrets.ts";
import type { McpOAuth } from "../settings.ts";
import type { McpTokenStore } from "./token-store.ts";

/** Remaining lifetime at which a token is renewed, in milliseconds. */
const EARLY_MS = 30_000;

/** Credentials of one connection. */
export type ClientCredentials = {
  readonly url: string;
  readonly oauth: McpOAuth;
  readonly clientSecret: string;
  readonly tokens: McpTokenStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Provides the protocol's client with tokens of the client-credentials grant. */
export class ClientCredentialsAuth implements OAuthClientProvider {
  readonly redirectUrl = undefined;
  readonly clientMetadata: OAuthClientMetadata;
  readonly #options: ClientCredentials;
  readonly #key: string;
  /** Tokens received by this connection, regardless of their lifetime. */
  #fresh: StoredOAuthTokens | undefined;

  constructor(options: ClientCredentials) {
    this.#options = options;
    const { clientId = "", scopes = [], issuer = "" } = options.oauth;
    this.#key = sha256Hex(JSON.stringify([options.url, clientId, scopes, issuer]));
    this.clientMetadata = {
      client_name: "edgecrew",
      redirect_uris: [],
      grant_types: ["client_credentials"],
      token_endpoint_auth_method: "client_secret_basic",
      ...(scopes.length === 0 ? undefined : { scope: scopes.join(" ") }),
    };
  }

  clientInformation(): StoredOAuthClientInformation {
    const { oauth, clientSecret } = this.#options;
    const { clientId = "", issuer } = oauth;
    return {
      client_id: clientId,
      client_secret: clientSecret,
      ...(issuer === undefined ? undefined : { issuer }),
    };
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    if (this.#fresh !== undefined) return this.#fresh;
    const kept = await this.#options.tokens.get(this.#key);
    if (kept === undefined) return undefined;
    const { expiresAtMs, value } = kept;
    if (expiresAtMs !== undefined && expiresAtMs - EARLY_MS <= this.#options.now())
      return undefined;
    const tokens = JSON.parse(value) as StoredOAuthTokens;
    noteSecret(tokens.access_token);
    return tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    noteSecret(tokens.access_token);
    this.#fresh = tokens;
    const { expires_in: expiresIn } = tokens;
    await this.#options.tokens.put(this.#key, {
      value: JSON.stringify(tokens),
      expiresAtMs: expiresIn === undefined ? undefined : this.#options.now() + expiresIn * 1000,
    });
  }

  async invalidateCredentials(scope: string): Promise<void> {
    if (scope !== "all" && scope !== "tokens") return;
    this.#fresh = undefined;
    await this.#options.tokens.delete(this.#key);
  }

  prepareTokenRequest(scope?: string): URLSearchParams {
    const wanted = this.clientMetadata.scope ?? scope;
    return new URLSearchParams({
      grant_type: "client_credentials",
      ...(wanted === undefined ? undefined : { scope: wanted }),
    });
  }

  redirectToAuthorization(): void {
    throw noPerson();
  }

  saveCodeVerifier(): void {}

  codeVerifier(): string {
    throw noPerson();
  }
}

function noPerson(): EngineError {
  return new EngineError(
    "tool_failed",
    "the server wants a person to sign in, and client credentials do without one",
  );
}
