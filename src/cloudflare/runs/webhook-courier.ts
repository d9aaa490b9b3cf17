import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { Sealed } from "../../runtime/deliveries/webhook-target.ts";
import type { WebhookDelivery, WebhookFormat } from "../../runtime/deliveries/webhooks.ts";
import type { OutboundPolicy } from "../../security/outbound.ts";
import { postDelivery } from "../../security/post-delivery.ts";
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
    await postDelivery(url, {
      ...policy,
      field: "webhook",
      receiver: "the webhook's receiver",
      privateHeaders: Object.keys(ownHeaders),
      headers,
      body,
      clock,
      accepts: [GONE],
      ...(send === undefined ? undefined : { fetch: send }),
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
