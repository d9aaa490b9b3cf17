import type { RunToken } from "../access/run-token.ts";
import type { CreateTokenBody, RevokeTokensBody } from "../access/tokens-part.ts";
import type { Transport } from "./transport.ts";

/** Tokens for front ends. Needs a key with the scope `run`. */
export class TokensApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a token for some runs, or to start a target. */
  create(options: CreateTokenBody): Promise<RunToken> {
    return this.#transport.json("/tokens", { method: "POST", json: options });
  }

  /** Revokes a token, all tokens of some runs, or all of a target. */
  async revoke(what: RevokeTokensBody): Promise<void> {
    await this.#transport.send("/tokens/revoke", { method: "POST", json: what });
  }
}
