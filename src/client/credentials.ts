import { EngineError, errorMessage } from "../base/error.ts";

/**
 * A key or token, or a function to get one. The client calls the function at first need, and again after a refusal. An
 * empty text, such as an unset variable, counts as no credential.
 */
export type Auth = string | (() => string | undefined | Promise<string | undefined>);

/** Credentials of a client. */
export class Credentials {
  readonly #auth: Auth | undefined;
  /** Shared by all requests, so simultaneous requests ask only once. */
  #asked: Promise<string | undefined> | undefined;

  constructor(auth: Auth | undefined) {
    this.#auth = auth;
  }

  /** True if the client can get another token after a refusal. */
  get canRenew(): boolean {
    return typeof this.#auth === "function";
  }

  get(): Promise<string | undefined> {
    // Later: a function that throws at once is forgotten before its failure would be remembered.
    this.#asked ??= Promise.resolve().then(() => this.#ask());
    return this.#asked;
  }

  /** Makes the next `get` ask again, unless another request has renewed the token since. */
  async renew(refused: string | undefined): Promise<void> {
    const asked = this.#asked;
    const now = await asked?.catch(() => refused);
    if (now === refused && this.#asked === asked) this.#asked = undefined;
  }

  async #ask(): Promise<string | undefined> {
    try {
      return (typeof this.#auth === "function" ? await this.#auth() : this.#auth) || undefined;
    } catch (cause) {
      this.#asked = undefined;
      if (EngineError.is(cause)) throw cause;
      // `fetch` throws it without a network; the next attempt asks again.
      const retryable = cause instanceof TypeError;
      const message = `auth gave no token: ${errorMessage(cause)}`;
      throw new EngineError(retryable ? "unavailable" : "unauthorized", message, {
        retryable,
        cause,
      });
    }
  }
}
