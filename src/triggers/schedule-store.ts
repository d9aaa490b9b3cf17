import type { JsonObject } from "../base/json.ts";
import type { RunTarget } from "./run-target.ts";

/** What is done about slots that nobody was there to start: nothing, the newest one, or all of them (the newest 100). */
export type MissedPolicy = "skip" | "latest" | "all";

export type ScheduleDefinition = {
  /** Five fields: minute, hour, day, month, day of the week. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly target: RunTarget;
  readonly inputs: JsonObject;
  readonly missed: MissedPolicy;
  /** Whether a slot is started while the run of an earlier one is not over. */
  readonly overlap: "allow" | "skip";
};

/** Times are milliseconds since the epoch. */
export type Schedule = {
  readonly tenant: string;
  readonly id: string;
  readonly source: "code" | "stored";
  readonly definition: ScheduleDefinition;
  readonly paused: boolean;
  /** The slot that is started next; null when none will come, or while it is paused. */
  readonly nextAtMs: number | null;
  /** When somebody shall look: at the slot, or later while somebody is at it or after it could not be started. */
  readonly dueAtMs: number | null;
  /** The run of the slot that was started last. */
  readonly lastRunId: string | null;
  /** Grows with every change of the definition. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** What became of a slot, or of a start by hand. */
export type Firing = {
  readonly atMs: number;
  readonly slotMs: number | null;
  /** `missed`: this slot and those up to `untilMs` were not started, as nobody was there to do it. */
  readonly outcome: "started" | "skipped" | "missed" | "failed";
  readonly runId?: string;
  readonly untilMs?: number;
  /** Why it failed. */
  readonly error?: string;
};

/** What was done with a claimed schedule. */
export type Settlement = {
  readonly schedule: Schedule;
  readonly nextAtMs: number | null;
  readonly dueAtMs: number | null;
  readonly firings: readonly Firing[];
};

export type ScheduleChange = Pick<Schedule, "definition" | "paused" | "updatedAtMs"> & {
  /** Absent when the slots stay what they are. */
  readonly nextAtMs?: number | null;
};

/** Schedules of all tenants. */
export interface ScheduleStore {
  get(tenant: string, id: string): Promise<Schedule | undefined>;
  /** By id. */
  list(
    tenant: string,
    page: { readonly afterId?: string | undefined; readonly limit: number },
  ): Promise<readonly Schedule[]>;
  /** False when the id is taken. Throws `limit_exceeded` when the tenant has too many. */
  add(schedule: Schedule): Promise<boolean>;
  /** False when it is not as it was read any more. */
  change(read: Schedule, change: ScheduleChange): Promise<boolean>;
  delete(tenant: string, id: string): Promise<boolean>;
  /** Those that came with the code. */
  ofCode(): Promise<readonly Schedule[]>;
  /** Hands out schedules that are due, each to one caller until `untilMs`. */
  claim(due: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly limit: number;
  }): Promise<readonly Schedule[]>;
  /** Puts claimed schedules back. One that was changed meanwhile keeps its change. */
  settle(settlements: readonly Settlement[]): Promise<void>;
  record(tenant: string, id: string, firing: Firing): Promise<void>;
  /** The newest first. */
  firings(tenant: string, id: string, limit: number): Promise<readonly Firing[]>;
}
