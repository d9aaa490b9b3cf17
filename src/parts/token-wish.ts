// A token that a request asks for beside a start, and its maker's right to it.
import type { Caller } from "./caller.ts";
import { checkGrant, mayFollow, type GrantedScope } from "./rights.ts";

/** Requested permissions and lifetime of a run token. */
export type AskedToken = {
  readonly scopes?: ReadonlyArray<Extract<GrantedScope, "read" | "answer" | "cancel">> | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly detail?: "all" | undefined;
};

/** Scopes of a token that a request asks for without naming any. */
export const DEFAULT_SCOPES = ["read"] as const;

/** A token that a request asks for beside a start. */
export class TokenWish {
  readonly #asked: AskedToken;
  readonly #caller: Pick<Caller, "scopes">;
  #isOfOwnRun = false;

  constructor(asked: AskedToken, caller: Pick<Caller, "scopes">) {
    this.#asked = asked;
    this.#caller = caller;
  }

  /** The token is for the run that the request itself starts: its maker may show that run (RIG2). */
  forOwnRun(): void {
    this.#isOfOwnRun = true;
  }

  /** True if the holder of the token can follow the run. */
  get follows(): boolean {
    return mayFollow(this.#asked.scopes ?? DEFAULT_SCOPES);
  }

  /** Fails with `forbidden` for a token with more than its maker. */
  check(): void {
    const { scopes = DEFAULT_SCOPES, detail } = this.#asked;
    if (!this.#isOfOwnRun) checkGrant(this.#caller, { scopes, detail });
  }
}
