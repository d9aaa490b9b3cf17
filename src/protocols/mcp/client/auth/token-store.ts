// Storage of MCP servers' tokens.

/** A token of an authorization server, as text for the client alone. */
export type KeptToken = { readonly value: string; readonly expiresAtMs: number | undefined };

/** Tokens of one tenant, by a key for the server and the client. */
export interface McpTokenStore {
  get(key: string): Promise<KeptToken | undefined>;
  put(key: string, token: KeptToken): Promise<void>;
  delete(key: string): Promise<void>;
}

const MAX_KEPT = 1_000;

/** Tokens in this process. */
export class InMemoryMcpTokens implements McpTokenStore {
  readonly #kept = new Map<string, KeptToken>();

  async get(key: string): Promise<KeptToken | undefined> {
    return this.#kept.get(key);
  }

  async put(key: string, token: KeptToken): Promise<void> {
    this.#kept.delete(key);
    this.#kept.set(key, token);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  async delete(key: string): Promise<void> {
    this.#kept.delete(key);
  }
}
