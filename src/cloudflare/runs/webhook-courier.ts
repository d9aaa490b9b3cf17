import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { Sealed } from "../../runtime/deliveries/webhook-target.ts";
import type { WebhookDelivery, WebhookFormat } from "../../runtime/deliveries/webhooks.ts";
import { outboundFetch, type OutboundPolicy } from "../../security/outbound.ts";
import { webhookSecrets } from "../../security/two-secrets.ts";
import { webhookHeaders } from "../../security/webhook.ts";

export type WebhookSettings = {
  readonly clock: Clock;
  readonly policy: OutboundPolicy;
  /** Secret for targets without their own. */
  readonly secret?: string | undefined;
  /** Opens the sealed secrets of targets. */
  readonly open?: (sealed: string, owner: string) => Promise<string>;
  readonly formats: Readonly<Record<string, WebhookFormat>>;
  /** @default the global one */
  readonly fetch?: typeof fetch;
};

const TIMEOUT_MS = 10_000;
const GONE = 410;

/** Delivers webhooks. Rejects if the delivery must be retried. Rules: docs/design/webhooks.md. */
export function webhookCourier(settings: WebhookSettings) {
  const { clock, policy, secret, formats, open, fetch: send } = settings;
  return async (delivery: WebhookDelivery): Promise<void> => {
    const { target, event, id, meta } = delivery;
    const format = target.format === undefined ? undefined : formats[target.format];
    const plain = meta === undefined ? event : { ...event, meta };
    const content = target.format === undefined ? plain : format?.(delivery);
    if (content === undefined) return;
    const body = JSON.stringify(content);
    const { sealedSecret, sealedHeaders, url, contentType = "application/json" } = target;
    const [workers, previousSecret] = secret === undefined ? [] : webhookSecrets(secret);
    const own = (await opened(open, sealedSecret)) ?? target.secret;
    const key = own ?? workers;
    if (key === undefined && target.unsigned !== true)
      throw new EngineError(
        "unavailable",
        "the webhook has no secret, and the Worker has no EDGECREW_WEBHOOK_SECRET",
      );
    const previous = own === undefined ? { previousSecret } : {};
    const signed =
      key && (await webhookHeaders({ id, url, body, secret: key, ...previous }, clock.now()));
    const kept = await opened(open, sealedHeaders);
    const ownHeaders = kept === undefined ? {} : (JSON.parse(kept) as Record<string, string>);
    const headers = {
      ...(delivery.traceparent && { traceparent: delivery.traceparent }),
      ...ownHeaders,
      ...(signed || { "webhook-id": id }),
      "content-type": contentType,
    };
    const limit = new AbortController();
    // Disarmed below, as a leftover timer would keep the object in memory.
    const disarm = clock.after(TIMEOUT_MS, () => limit.abort());
    let response: Response;
    try {
      response = await outboundFetch(url, {
        ...policy,
        field: "webhook",
        privateHeaders: Object.keys(ownHeaders),
        init: { method: "POST", headers, body, signal: limit.signal },
        ...(send === undefined ? undefined : { fetch: send }),
      });
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      const message = `the webhook's receiver has not answered within ${TIMEOUT_MS / 1000} seconds`;
      throw new EngineError("timeout", message, { retryable: true, cause: error });
    } finally {
      disarm();
    }
    void response.body?.cancel().catch(() => undefined); // neither the body nor an error of the cancellation matters
    if (!response.ok && response.status !== GONE)
      throw new EngineError("unavailable", `the webhook's receiver answered ${response.status}`, {
        retryable: true,
        status: response.status,
      });
  };
}

/** Opens a sealed text; undefined without one. */
function opened(
  open: WebhookSettings["open"],
  sealed: Sealed | undefined,
): Promise<string> | undefined {
  return sealed && open?.(sealed.sealed, sealed.owner);
}
