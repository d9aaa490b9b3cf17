import type { Page } from "../runtime/run-directory.ts";
import type { WebhookView } from "../triggers/hooks.ts";
import type { PutWebhookBody } from "../triggers/schemas.ts";
import type { PageOptions } from "./page-options.ts";
import type { Transport } from "./transport.ts";

/** Webhooks that start runs, of a Worker with `triggers`. */
export class WebhooksApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<WebhookView>> {
    return this.#transport.json("/hooks", { query: { ...page } });
  }

  get(name: string): Promise<WebhookView> {
    return this.#transport.json(webhookPath(name));
  }

  /** Stores or replaces a webhook. Its secret is never returned. */
  put(name: string, webhook: PutWebhookBody): Promise<WebhookView> {
    return this.#transport.json(webhookPath(name), { method: "PUT", json: webhook });
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(webhookPath(name), { method: "DELETE" });
  }
}

function webhookPath(name: string): string {
  return `/hooks/${encodeURIComponent(name)}`;
}
