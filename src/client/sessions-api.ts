import type { LoginBody, SessionView } from "../access/sessions-part.ts";
import type { Transport } from "./transport.ts";

/** The session of this browser, for pages that the Worker itself serves: a client with `credentials: "same-origin"`. */
export class SessionsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Who this browser is; needs no credential. */
  get(): Promise<SessionView> {
    return this.#transport.json("/session");
  }

  /** Signs in with an API key. Rejects with `unauthorized` for one that is not known. */
  create(options: LoginBody): Promise<SessionView> {
    return this.#transport.json("/session", { method: "POST", json: options });
  }

  /** Signs out. */
  async delete(): Promise<void> {
    await this.#transport.send("/session", { method: "DELETE" });
  }

  /** Ends all sessions of the tenant. Needs the scope `admin`. */
  async deleteAll(): Promise<void> {
    await this.#transport.send("/sessions", { method: "DELETE" });
  }
}
