import type { LoginBody, SessionView } from "../access/sessions-part.ts";
import type { Transport } from "./transport.ts";

/** Session of this browser, for pages served by the Worker itself. Needs a client with `credentials: "same-origin"`. */
export class SessionsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns this browser's identity; needs no credential. */
  get(): Promise<SessionView> {
    return this.#transport.json("/session");
  }

  /** Signs in with an API key. Rejects with `unauthorized` for an unknown key. */
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
