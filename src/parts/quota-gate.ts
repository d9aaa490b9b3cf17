// Checks of a tenant's quotas before an object is created. The counting part is elsewhere.
import type { RunBudget } from "../runtime/run.ts";

/** Lets things be made, or throws `quota_exceeded`. */
export interface QuotaGate {
  /** Admits `count` more units of a quota, such as `definitions`. */
  admit(quota: string, count: number): Promise<void>;
  /** Admits one more run. Returns its budget, if consumption is limited. */
  admitRun(): Promise<RunBudget | undefined>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    readonly quotas?: QuotaGate;
  }
}
