import { EngineError, errorMessage } from "../base/error.ts";

/**
 * A key or token, or a function that gets one: it is called when one is needed first, and again once that is refused. An empty text,
 * such as that of a variable that is not set, is none.
 */
export type Auth = string | (() => string | undefined | Promise<string | undefined>);

/** What a client proves with that it may ask. */
export class Credentials {
  readonly #auth: Auth | undefined;
  /** Shared by all requests, so that ten at once ask once. */
  #asked: Promise<string | undefined> | undefined;

  constructor(auth: Auth | undefined) {
    this.#auth = auth;
  }

  /** Whether another token may come after this one was refused. */
  get canRenew(): boolean {
    return typeof this.#auth === "function";
  }

  get(): Promise<string | undefined> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /** Has `get` ask again, unless somebody else has done that since. */
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
      throw new EngineError("unauthorized", `auth gave no token: ${errorMessage(cause)}`, {
        cause,
      });
    }
  }
}
