// Where something is made that a tenant may have only so much of. The part that counts is elsewhere.
import type { RunBudget } from "../runtime/run.ts";

/** Lets things be made, or throws `quota_exceeded`. */
export interface QuotaGate {
  /** `count` more of what the quota is called, such as `definitions`. */
  admit(quota: string, count: number): Promise<void>;
  /** A run more; with what it may consume, where that is bounded. */
  admitRun(): Promise<RunBudget | undefined>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    readonly quotas?: QuotaGate;
  }
}
