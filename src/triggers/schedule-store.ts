import type { JsonObject } from "../base/json.ts";
import type { TriggerFields } from "./trigger-fields.ts";
import type { RunTarget } from "./run-target.ts";

/** Missed slots to start: none, the newest, or all (the newest 100). */
export type MissedPolicy = "skip" | "latest" | "all";

export type ScheduleDefinition = TriggerFields & {
  /** Five fields: minute, hour, day, month, day of the week. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly target: RunTarget;
  readonly inputs: JsonObject;
  readonly missed: MissedPolicy;
  /** `skip` skips a slot while the run of an earlier slot is open. */
  readonly overlap: "allow" | "skip";
};

/** Times are milliseconds since the epoch. */
export type Schedule = {
  readonly tenant: string;
  readonly id: string;
  readonly source: "code" | "stored";
  readonly definition: ScheduleDefinition;
  readonly paused: boolean;
  /** The next slot; null if there is none, or while the schedule is paused. */
  readonly nextAtMs: number | null;
  /** Due time of the schedule: its next slot, or later while it is claimed or after a failed start. */
  readonly dueAtMs: number | null;
  /** Run of the most recently started slot. */
  readonly lastRunId: string | null;
  /** Increases with every change of the definition. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Returns a schedule without runs. */
export function newSchedule(
  definition: ScheduleDefinition,
  place: Pick<Schedule, "tenant" | "id" | "source" | "paused" | "nextAtMs">,
  nowMs: number,
): Schedule {
  return {
    ...place,
    definition,
    dueAtMs: place.nextAtMs,
    lastRunId: null,
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** The outcome of a slot, or of a start by hand. */
export type Firing = {
  readonly atMs: number;
  readonly slotMs: number | null;
  /** `missed`: the slots from `slotMs` up to `untilMs` passed while no tick ran. */
  readonly outcome: "started" | "skipped" | "missed" | "failed";
  readonly runId?: string;
  readonly untilMs?: number;
  /** Reason of `failed`. */
  readonly error?: string;
};

/** The outcome of a claimed schedule. */
export type Settlement = {
  readonly schedule: Schedule;
  readonly nextAtMs: number | null;
  readonly dueAtMs: number | null;
  readonly firings: readonly Firing[];
};

export type ScheduleChange = Pick<Schedule, "definition" | "paused" | "updatedAtMs"> & {
  /** Absent if the slots do not change. */
  readonly nextAtMs?: number | null;
};

/** Schedules of all tenants. */
export interface ScheduleStore {
  get(tenant: string, id: string): Promise<Schedule | undefined>;
  /** Lists schedules by id. */
  list(
    tenant: string,
    page: { readonly afterId?: string | undefined; readonly limit: number },
  ): Promise<readonly Schedule[]>;
  /** Adds a schedule. False for a taken id. Fails with `limit_exceeded` if the tenant has too many. */
  add(schedule: Schedule): Promise<boolean>;
  /** Changes a schedule. False if it has changed since it was read. */
  change(read: Schedule, change: ScheduleChange): Promise<boolean>;
  delete(tenant: string, id: string): Promise<boolean>;
  /** Lists the schedules defined in code. */
  ofCode(): Promise<readonly Schedule[]>;
  /** Claims due schedules. Until `untilMs`, no other caller gets them. */
  claim(due: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly limit: number;
  }): Promise<readonly Schedule[]>;
  /** Stores the outcomes of claimed schedules. A schedule changed meanwhile keeps its change. */
  settle(settlements: readonly Settlement[]): Promise<void>;
  record(tenant: string, id: string, firing: Firing): Promise<void>;
  /** Lists outcomes, newest first. */
  firings(tenant: string, id: string, limit: number): Promise<readonly Firing[]>;
}
