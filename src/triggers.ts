/** Triggers start runs by themselves: cron schedules, signed webhooks, queue messages. */
import { D1WebhookStore } from "./cloudflare/d1-hook-store.ts";
import { D1ScheduleStore } from "./cloudflare/d1-schedule-store.ts";
import type { Part } from "./parts/part.ts";
import { triggersPart, type TriggerOptions } from "./triggers/triggers-part.ts";

/**
 * Lets schedules, webhooks and messages start runs: those of the code given here, and those stored over HTTP.
 * `defineApp({ triggers: triggers() })`. Throws `invalid_definition` that names each field.
 */
export function triggers(options: TriggerOptions = {}): Part {
  return triggersPart(options, {
    schedules: ({ DB }) => new D1ScheduleStore(DB),
    webhooks: ({ DB }) => new D1WebhookStore(DB),
  });
}

export type { WebhookTrigger, ScheduleTrigger, TriggerOptions } from "./triggers/triggers-part.ts";
export type { QueueTrigger } from "./triggers/queue-starter.ts";
/** What a trigger starts, and how bodies become inputs. */
export type { InputPointers, RunTarget, RunTrigger } from "./triggers/run-target.ts";
export type { WebhookDefinition, WebhookScheme } from "./triggers/hook-store.ts";
export type { MissedPolicy } from "./triggers/schedule-store.ts";
