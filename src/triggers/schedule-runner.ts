// Starts the runs of due schedules.
//
//   SR1. A slot starts one run. The run's id is made of the schedule's id and the slot, so starting a slot again starts
//        nothing.
//   SR2. A due schedule is claimed by one caller for two minutes. If that caller dies, the next one starts the same slots,
//        and so the same runs.
//   SR3. A slot that cannot be started now is retried a minute later. A slot that can never be started is recorded as
//        failed, and the schedule continues with the next.
//   SR4. A tick is limited in schedules and in time. The rest is due at the next tick.
//   SR5. With `overlap: "skip"`, no slot is started while the run of an earlier slot has not ended.
import { noted, type LogFields } from "../base/log.ts";
import type { Clock } from "../base/clock.ts";
import { mapAtMost } from "../base/concurrency.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { Firing, Schedule, ScheduleStore, Settlement } from "./schedule-store.ts";
import { isTerminal } from "../runtime/run.ts";
import { CronTimes } from "../base/cron-times.ts";
import { dueSlots } from "./due-slots.ts";
import { triggerFields } from "./trigger-fields.ts";
import type { TargetStarter } from "./target-starter.ts";

const LEASE_MS = 120_000;
const RETRY_MS = 60_000;
/** Number of schedules in one claim. */
const CLAIM_SIZE = 60;
/** Number of concurrent starts; an invocation has six connections. */
const STARTS_AT_ONCE = 6;
const MAX_TICK_MS = 45_000;
const MAX_SCHEDULES_PER_TICK = 3_000;

export type RunnerPorts = {
  readonly store: Pick<ScheduleStore, "claim" | "settle">;
  readonly starter: TargetStarter;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
};

/** Starts the due slots that fit into one tick. Resolves to the number of handled schedules. */
export async function runDue({ store, starter, clock, report }: RunnerPorts): Promise<number> {
  const beganMs = clock.now();
  let done = 0;
  while (done < MAX_SCHEDULES_PER_TICK && clock.now() - beganMs < MAX_TICK_MS) {
    const nowMs = clock.now();
    const claimed = await store.claim({ nowMs, untilMs: nowMs + LEASE_MS, limit: CLAIM_SIZE });
    if (claimed.length === 0) break;
    const settlements = await mapAtMost(claimed, STARTS_AT_ONCE, (schedule) =>
      fire(schedule, nowMs, { starter, report }),
    );
    await store.settle(settlements);
    done += claimed.length;
  }
  return done;
}

/** Returns the id of a slot's run: `digest-20261120T0700Z`. */
export function slotRunId(scheduleId: string, slotMs: number): string {
  return `${scheduleId}-${slotOf(slotMs).replaceAll(/:00\.000|[-:]/g, "")}`;
}

/** Returns the slot in ISO 8601, UTC. */
function slotOf(slotMs: number): string {
  return new Date(slotMs).toISOString();
}

async function fire(
  schedule: Schedule,
  nowMs: number,
  { starter, report }: Pick<RunnerPorts, "starter" | "report">,
): Promise<Settlement> {
  const { definition, nextAtMs } = schedule;
  const { cron, timeZone, missed: policy } = definition;
  try {
    const times = new CronTimes(cron, timeZone);
    const { slots, missed } =
      nextAtMs === null ? { slots: [] } : dueSlots(times, { nextAtMs, missed: policy }, nowMs);
    const firings: Firing[] = [];
    if (missed !== undefined)
      firings.push({
        atMs: nowMs,
        slotMs: missed.fromMs,
        outcome: "missed",
        untilMs: missed.untilMs,
      });
    let { lastRunId } = schedule;
    for (const slotMs of slots) {
      const firing = await startSlot({ ...schedule, lastRunId }, { slotMs, nowMs, starter });
      if (firing === "later") {
        const message = `schedule ${schedule.id}: slot ${slotOf(slotMs)} could not be started`;
        report(noted(new Error(message), "start_failed", fieldsOf(schedule)));
        return { schedule, nextAtMs: slotMs, dueAtMs: nowMs + RETRY_MS, firings };
      }
      firings.push(firing);
      if (firing.outcome === "started") lastRunId = firing.runId ?? null;
    }
    const next = times.next(nowMs);
    return { schedule, nextAtMs: next, dueAtMs: next, firings };
  } catch (error) {
    // No known error gets here. An unknown one must not stop the other schedules.
    report(noted(error, "start_failed", fieldsOf(schedule)));
    return { schedule, nextAtMs, dueAtMs: nowMs + RETRY_MS, firings: [] };
  }
}

function fieldsOf({ id, tenant }: Schedule): LogFields {
  return { name: id, tenant };
}

async function startSlot(
  { tenant, id, definition, lastRunId }: Schedule,
  { slotMs, nowMs, starter }: { slotMs: number; nowMs: number; starter: TargetStarter },
): Promise<Firing | "later"> {
  const { target, inputs, overlap } = definition;
  const about = { atMs: nowMs, slotMs };
  const runId = slotRunId(id, slotMs);
  try {
    if (overlap === "skip" && lastRunId !== runId && (await isRunning(starter, tenant, lastRunId)))
      return { ...about, outcome: "skipped" };
    const trigger = { kind: "schedule", id, slot: slotOf(slotMs) } as const;
    const fields = triggerFields(definition);
    await starter.start({ id: runId, tenant, target, inputs, fields, trigger });
    return { ...about, outcome: "started", runId };
  } catch (error) {
    if (!EngineError.is(error) || error.retryable) return "later";
    return { ...about, outcome: "failed", error: errorMessage(error) };
  }
}

async function isRunning(
  { runs }: TargetStarter,
  tenant: string,
  runId: string | null,
): Promise<boolean> {
  if (runId === null) return false;
  try {
    return !isTerminal((await runs.get(tenant, runId)).status);
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return false; // deleted meanwhile
    throw error;
  }
}
