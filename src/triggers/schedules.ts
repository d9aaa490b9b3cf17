// Schedules over HTTP: stored, changed, paused, run by hand.
import type { QuotaGate } from "../parts/quota-gate.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { preview } from "../base/json.ts";
import { pageOf } from "../runtime/page.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import { checkedCursor } from "./checked-cursor.ts";
import {
  newSchedule,
  type Firing,
  type Schedule,
  type ScheduleDefinition,
  type ScheduleStore,
} from "./schedule-store.ts";
import { triggerFields } from "./trigger-fields.ts";
import { targetIssues } from "./check-target.ts";
import { CronTimes, cronIssues } from "../base/cron-times.ts";
import type { TargetStarter } from "./target-starter.ts";

/** A schedule in the API. Times are ISO 8601, UTC. */
export type ScheduleView = ScheduleDefinition & {
  readonly id: string;
  readonly source: "code" | "stored";
  readonly paused: boolean;
  /** The next slots: one in a list, otherwise up to five; empty while it is paused. */
  readonly next: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The outcome of a slot, or of a start by hand, which has no slot. */
export type FiringView = {
  readonly at: string;
  readonly slot?: string;
  /** `missed`: the slots from `slot` up to `until` passed while no tick ran. */
  readonly outcome: Firing["outcome"];
  readonly runId?: string;
  readonly until?: string;
  readonly error?: string;
};

/** A `ScheduleView` with the outcomes of the last slots, newest first. */
export type ScheduleDetails = ScheduleView & { readonly runs: readonly FiringView[] };

export type SchedulePorts = {
  readonly store: ScheduleStore;
  readonly starter: TargetStarter;
  readonly clock: Clock;
  readonly randomId: () => string;
  /** Updates the store to the schedules of the code. Called before each request; cheap after the first. */
  readonly synced: () => Promise<void>;
  /** Returns the gate for a tenant's number of schedules. @default no limit */
  readonly gateOf?: (tenant: string) => Pick<QuotaGate, "admit"> | undefined;
};

type Changes = {
  readonly [Field in keyof ScheduleDefinition]?: ScheduleDefinition[Field] | undefined;
} & {
  readonly paused?: boolean | undefined;
};

const SHOWN_SLOTS = 5;
const SHOWN_FIRINGS = 10;
/** Maximum attempts of a change while other changes of the same schedule interfere. */
const MAX_ATTEMPTS = 3;

export class Schedules {
  readonly #ports: SchedulePorts;

  constructor(ports: SchedulePorts) {
    this.#ports = ports;
  }

  async list(
    tenant: string,
    { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Page<ScheduleView>> {
    const afterId = checkedCursor(cursor);
    await this.#ports.synced();
    const rows = await this.#ports.store.list(tenant, { afterId, limit: limit + 1 });
    return pageOf(rows, limit, { item: listed, cursor: ({ id }) => id });
  }

  async get(tenant: string, id: string): Promise<ScheduleDetails> {
    return this.#details(await this.#read(tenant, id));
  }

  /** Fails with `invalid_input`, with an issue for each field, or with `conflict` for a taken id. */
  async add(
    tenant: string,
    {
      id = this.#ports.randomId(),
      paused,
      ...definition
    }: ScheduleDefinition & {
      readonly id?: string | undefined;
      readonly paused: boolean;
    },
  ): Promise<ScheduleDetails> {
    await this.#ports.synced();
    await this.#check(tenant, definition);
    const nowMs = this.#ports.clock.now();
    const nextAtMs = paused ? null : timesOf(definition).next(nowMs);
    const place = { tenant, id, source: "stored", paused, nextAtMs } as const;
    const schedule = newSchedule(definition, place, nowMs);
    await this.#ports.gateOf?.(tenant)?.admit("schedules", 1);
    if (await this.#ports.store.add(schedule)) return this.#details(schedule);
    throw new EngineError(
      "conflict",
      `schedule ${preview(id)} already exists: change it with PATCH, or use another id`,
    );
  }

  /** Changes a schedule. Slots during a pause, and slots of the old cron alone, do not count as missed. */
  async change(tenant: string, id: string, changes: Changes): Promise<ScheduleDetails> {
    const { paused: _, ...fields } = changes;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const schedule = await this.#read(tenant, id);
      if (schedule.source === "code" && Object.values(fields).some((value) => value !== undefined))
        throw ofTheCode(id);
      const definition = { ...schedule.definition, ...defined(fields) };
      if (schedule.source === "stored") await this.#check(tenant, definition);
      const paused = changes.paused ?? schedule.paused;
      const nowMs = this.#ports.clock.now();
      const retimed =
        paused !== schedule.paused ||
        definition.cron !== schedule.definition.cron ||
        definition.timeZone !== schedule.definition.timeZone;
      const nextAtMs = paused ? null : timesOf(definition).next(nowMs);
      const change = { definition, paused, updatedAtMs: nowMs };
      if (await this.#ports.store.change(schedule, retimed ? { ...change, nextAtMs } : change))
        return this.get(tenant, id);
    }
    throw new EngineError(
      "conflict",
      `schedule "${id}" was changed by other requests at the same time; try again`,
      {
        retryable: true,
      },
    );
  }

  async delete(tenant: string, id: string): Promise<void> {
    const { source } = await this.#read(tenant, id);
    if (source === "code") throw ofTheCode(id);
    await this.#ports.store.delete(tenant, id);
  }

  /** Starts a run now, in addition to the slots. */
  async run(tenant: string, id: string, runId = this.#ports.randomId()): Promise<Run> {
    const { definition } = await this.#read(tenant, id);
    const { target, inputs } = definition;
    const { store, starter, clock } = this.#ports;
    const trigger = { kind: "schedule", id } as const;
    const fields = triggerFields(definition);
    const run = await starter.start({ id: runId, tenant, target, inputs, fields, trigger });
    const firing = { atMs: clock.now(), slotMs: null, outcome: "started", runId } as const;
    await store.record(tenant, id, firing);
    return run;
  }

  async #read(tenant: string, id: string): Promise<Schedule> {
    await this.#ports.synced();
    const schedule = await this.#ports.store.get(tenant, id);
    if (schedule === undefined)
      throw new EngineError("not_found", `there is no schedule ${preview(id)}`);
    return schedule;
  }

  async #check(tenant: string, definition: ScheduleDefinition): Promise<void> {
    const { cron, timeZone, target, inputs } = definition;
    const { starter, clock } = this.#ports;
    const issues = [
      ...cronIssues({ cron, timeZone, nowMs: clock.now() }),
      ...(await targetIssues(starter, {
        tenant,
        target,
        inputs,
        fields: triggerFields(definition),
      })),
    ];
    if (issues.length > 0) throw invalidInput("the schedule cannot be used", issues);
  }

  async #details(schedule: Schedule): Promise<ScheduleDetails> {
    const { tenant, id, paused, definition } = schedule;
    const nowMs = this.#ports.clock.now();
    const next = paused ? [] : timesOf(definition).after(nowMs, SHOWN_SLOTS);
    const firings = await this.#ports.store.firings(tenant, id, SHOWN_FIRINGS);
    return { ...viewOf(schedule, next), runs: firings.map(firingView) };
  }
}

function ofTheCode(id: string): EngineError {
  return new EngineError(
    "conflict",
    `schedule "${id}" is part of the deployed code: change it there; over HTTP it can only be paused and run`,
  );
}

function timesOf({ cron, timeZone }: ScheduleDefinition): CronTimes {
  return new CronTimes(cron, timeZone);
}

function defined(fields: Omit<Changes, "paused">): Partial<ScheduleDefinition> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function listed(schedule: Schedule): ScheduleView {
  return viewOf(schedule, schedule.nextAtMs === null ? [] : [schedule.nextAtMs]);
}

function viewOf(schedule: Schedule, next: readonly number[]): ScheduleView {
  const { id, source, definition, paused, createdAtMs, updatedAtMs } = schedule;
  return {
    id,
    source,
    ...definition,
    paused,
    next: next.map(isoTime),
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
}

function firingView({ atMs, slotMs, outcome, runId, untilMs, error }: Firing): FiringView {
  return {
    at: isoTime(atMs),
    ...(slotMs === null ? undefined : { slot: isoTime(slotMs) }),
    outcome,
    ...(runId === undefined ? undefined : { runId }),
    ...(untilMs === undefined ? undefined : { until: isoTime(untilMs) }),
    ...(error === undefined ? undefined : { error }),
  };
}
