/** Triggers: cron schedules, signed webhooks and queue messages for starting runs. */
import { D1DeliveryStore } from "../cloudflare/stores/d1-delivery-store.ts";
import { D1WebhookStore } from "../cloudflare/stores/d1-webhook-store.ts";
import { D1ScheduleStore } from "../cloudflare/stores/d1-schedule-store.ts";
import type { Part } from "../parts/part.ts";
import { triggersPart, type TriggerOptions } from "../triggers/triggers-part.ts";

/**
 * Starts runs from schedules, webhooks and queue messages: those defined here, and those stored over HTTP.
 * `defineApp({ triggers: triggers() })`. Throws `invalid_definition`, which names each wrong field.
 */
export function triggers(options: TriggerOptions = {}): Part {
  return triggersPart(options, {
    schedules: ({ DB }) => new D1ScheduleStore(DB),
    webhooks: ({ DB }) => new D1WebhookStore(DB),
    deliveries: ({ DB }) => new D1DeliveryStore(DB),
  });
}

export type { WebhookTrigger, ScheduleTrigger, TriggerOptions } from "../triggers/triggers-part.ts";
export type { QueueTrigger } from "../triggers/queue-starter.ts";
/** Target of a trigger, and the mapping from a body to inputs. */
export type { InputPointers, RunTarget, RunTrigger } from "../triggers/run-target.ts";
export type { WebhookDefinition, WebhookScheme } from "../triggers/webhook-store.ts";
export type { MissedPolicy } from "../triggers/schedule-store.ts";
