/** What starts runs by itself: cron schedules, signed webhooks, queue messages. */

/** What `defineApp({ triggers })` takes. */
export {
  triggers,
  type HookTrigger,
  type ScheduleTrigger,
  type TriggerOptions,
  type Triggers,
} from "./triggers.ts";
export type { QueueTrigger } from "./queue-starter.ts";
/** What a trigger starts, and how bodies become inputs. */
export type { InputPointers, RunTarget, RunTrigger } from "../runtime/run-target.ts";
export type { HookDefinition, HookScheme } from "../runtime/hook-store.ts";
export type { MissedPolicy } from "../runtime/schedule-store.ts";
