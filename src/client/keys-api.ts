import type { CreatedKey, KeyView } from "../http/operations/keys.ts";
import type { CreateKeyBody } from "../http/operations/keys.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { PageOptions } from "./page-options.ts";
import type { Transport } from "./transport.ts";

/** API keys. Needs an admin key of tenant `default`. */
export class KeysApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a key. `key` is shown only in this response. */
  create(options: CreateKeyBody): Promise<CreatedKey> {
    return this.#transport.json("/keys", { method: "POST", json: options });
  }

  list(page: PageOptions = {}): Promise<Page<KeyView>> {
    return this.#transport.json("/keys", { query: { ...page } });
  }

  async delete(id: string): Promise<void> {
    await this.#transport.send(`/keys/${encodeURIComponent(id)}`, { method: "DELETE" });
  }
}
