import type { Page } from "../runtime/run-directory.ts";
import type { WebhookView } from "../triggers/webhooks.ts";
import type { DeliveryDetails, DeliveryView } from "../triggers/deliveries.ts";
import type { DeliveryOutcome } from "../triggers/delivery-store.ts";
import type { PutWebhookBody, TestWebhookBody } from "../triggers/schemas.ts";
import type { WebhookTest } from "../triggers/webhook-test.ts";
import type { TriggeredRun } from "../triggers/triggered-run.ts";
import type { PageOptions } from "./page-options.ts";
import { RemoteRun } from "./remote-run.ts";
import type { Transport } from "./transport.ts";

/** An event as it is sent: its exact body, and the headers with its signature. */
export type SignedDelivery = {
  readonly body: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The webhook's tenant. @default "default" */
  readonly tenant?: string;
};

/** Webhooks for starting runs, of a Worker with `triggers`. */
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

  /** Delivers an event like its sender, signed in `headers`. Resolves to undefined if the answer names no run. */
  async deliver(
    name: string,
    { body, headers, tenant }: SignedDelivery,
  ): Promise<RemoteRun | undefined> {
    const { "content-type": type = "application/json", ...signed } = headers;
    const response = await this.#transport.send(webhookPath(name), {
      method: "POST",
      query: { tenant },
      text: { type, body },
      headers: signed,
    });
    const text = await response.text();
    if (response.status !== 202) return undefined;
    return new RemoteRun(this.#transport, JSON.parse(text) as TriggeredRun);
  }

  /** Lists the received deliveries, newest first. */
  deliveries(
    name: string,
    page: PageOptions & { readonly outcome?: DeliveryOutcome } = {},
  ): Promise<Page<DeliveryView>> {
    return this.#transport.json(`${webhookPath(name)}/deliveries`, { query: { ...page } });
  }

  /** Returns a delivery, with its body if the webhook keeps bodies. Needs the scope `admin`. */
  delivery(name: string, id: string): Promise<DeliveryDetails> {
    return this.#transport.json(`${webhookPath(name)}/deliveries/${encodeURIComponent(id)}`);
  }

  /** Delivers a payload with a valid signature, and returns its progress. Starts a run. */
  test(name: string, delivery: TestWebhookBody): Promise<WebhookTest> {
    return this.#transport.json(`${webhookPath(name)}/test`, { method: "POST", json: delivery });
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(webhookPath(name), { method: "DELETE" });
  }
}

function webhookPath(name: string): string {
  return `/hooks/${encodeURIComponent(name)}`;
}
