import { eventTypes } from "../events/run-event.ts";

/** Events of hooks in a run. */
export interface HookEvents {
  hook_dispatched: {
    point: string;
    outcome: "proceeded" | "modified" | "aborted";
    hookCount: number;
    durationMs: number;
    abortReason?: string;
    abortSource?: string;
    /** Errors of hooks that failed or made an invalid change; the run continued without them. */
    errors?: readonly string[];
  };
}

declare module "../events/run-event.ts" {
  interface EventPayloads extends HookEvents {}
}

export const hookEvents = eventTypes<HookEvents>({
  hook_dispatched: true,
});
