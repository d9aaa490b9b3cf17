import { eventTypes } from "../events/run-event.ts";

/** What hooks did in a run. */
export interface HookEvents {
  hook_dispatched: {
    point: string;
    outcome: "proceeded" | "modified" | "aborted";
    hookCount: number;
    durationMs: number;
    abortReason?: string;
    abortSource?: string;
    /** Of hooks that failed, or changed something in a way that could not be taken; the run went on without them. */
    errors?: readonly string[];
  };
}

declare module "../events/run-event.ts" {
  interface EventPayloads extends HookEvents {}
}

export const hookEvents = eventTypes<HookEvents>({
  hook_dispatched: true,
});
