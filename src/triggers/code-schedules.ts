// Schedules of the code, kept in the store beside the others: it knows their next slot, and whether somebody has paused them.
import type { Schedule, ScheduleDefinition, ScheduleStore } from "./schedule-store.ts";
import { CronTimes } from "./cron-times.ts";

/** Makes the store hold what the code says. Writes nothing when it does already. */
export async function syncSchedules(
  given: Readonly<Record<string, ScheduleDefinition>>,
  { store, tenant, nowMs }: { store: ScheduleStore; tenant: string; nowMs: number },
): Promise<void> {
  const kept = await store.ofCode();
  for (const { tenant: owner, id } of kept)
    if (owner !== tenant || !Object.hasOwn(given, id)) await store.delete(owner, id);
  const known = new Map(kept.map((schedule) => [schedule.id, schedule]));
  for (const [id, definition] of Object.entries(given)) {
    const schedule = known.get(id);
    if (schedule === undefined) await add(id, definition, { store, tenant, nowMs });
    else if (!isSame(schedule.definition, definition))
      await store.change(schedule, {
        definition,
        paused: schedule.paused,
        updatedAtMs: nowMs,
        ...timing(schedule, definition, nowMs),
      });
  }
}

/** A stored schedule gives way to one of the code that has its id. */
async function add(
  id: string,
  definition: ScheduleDefinition,
  { store, tenant, nowMs }: { store: ScheduleStore; tenant: string; nowMs: number },
): Promise<void> {
  const nextAtMs = new CronTimes(definition.cron, definition.timeZone).next(nowMs);
  const schedule: Schedule = {
    tenant,
    id,
    source: "code",
    definition,
    paused: false,
    nextAtMs,
    dueAtMs: nextAtMs,
    lastRunId: null,
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  if (await store.add(schedule)) return;
  const present = await store.get(tenant, id);
  if (present?.source === "code") return; // added by another isolate just now
  await store.delete(tenant, id);
  await store.add(schedule);
}

function timing(
  { definition: { cron, timeZone }, paused }: Schedule,
  to: ScheduleDefinition,
  nowMs: number,
): { nextAtMs?: number | null } {
  if (paused || (cron === to.cron && timeZone === to.timeZone)) return {};
  return { nextAtMs: new CronTimes(to.cron, to.timeZone).next(nowMs) };
}

function isSame(one: ScheduleDefinition, other: ScheduleDefinition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
