// Schedules defined in code. Each has a row in the store with its next slot and its paused state.
import {
  newSchedule,
  type Schedule,
  type ScheduleDefinition,
  type ScheduleStore,
} from "./schedule-store.ts";
import { CronTimes } from "../base/cron-times.ts";

/** Updates the store's rows to match the code. Writes nothing if they already match. */
export async function syncSchedules(
  definitions: Readonly<Record<string, ScheduleDefinition>>,
  { store, tenant, nowMs }: { store: ScheduleStore; tenant: string; nowMs: number },
): Promise<void> {
  const rows = await store.ofCode();
  for (const { tenant: owner, id } of rows)
    if (owner !== tenant || !Object.hasOwn(definitions, id)) await store.delete(owner, id);
  const known = new Map(rows.map((schedule) => [schedule.id, schedule]));
  for (const [id, definition] of Object.entries(definitions)) {
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

/** Adds a schedule of the code. It replaces a stored schedule with the same id. */
async function add(
  id: string,
  definition: ScheduleDefinition,
  { store, tenant, nowMs }: { store: ScheduleStore; tenant: string; nowMs: number },
): Promise<void> {
  const nextAtMs = new CronTimes(definition.cron, definition.timeZone).next(nowMs);
  const place = { tenant, id, source: "code", paused: false, nextAtMs } as const;
  const schedule = newSchedule(definition, place, nowMs);
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
