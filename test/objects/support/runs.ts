// What tests do with runs: start them, look into their objects, tear these down.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { JsonObject } from "../../../src/base/json.ts";
import { systemClock } from "../../../src/base/system.ts";
import { D1RunIndex } from "../../../src/cloudflare/runs/d1-run-index.ts";
import { databaseOf } from "../../../src/cloudflare/runs/object-storage.ts";
import { SqlRunStore } from "../../../src/cloudflare/runs/sql-run-store.ts";
import type { OutboxEntry } from "../../../src/runtime/run-store.ts";
import { DurableRunDirectory } from "../../../src/cloudflare/runs/durable-run-directory.ts";
import { runObjectName } from "../../../src/cloudflare/runs/run-object-api.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import {
  isTerminal,
  type Run,
  type RunStart,
  type RunStatus,
  type Step,
} from "../../../src/runtime/run.ts";
import type { CrewRun } from "../worker.ts";

export const TENANT = "acme";

export type RunStub = DurableObjectStub<InstanceType<typeof CrewRun>>;

export const index = new D1RunIndex(env.DB);
export const runs = new DurableRunDirectory(env.CREW_RUN, index, { clock: systemClock });

/** For `expect.poll`: how long a test waits for something that should come about at once. */
export const SOON = { timeout: 15_000, interval: 5 };

/** Resolves once `condition` holds; rejects when it does not soon. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + SOON.timeout;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise<void>((resolve) => setTimeout(resolve, SOON.interval));
  }
}

let count = 0;

/** An id that no other test uses. */
export function newId(name: string): string {
  return `${name}-${++count}`;
}

export function stubOf(id: string, tenant = TENANT): RunStub {
  return env.CREW_RUN.getByName(runObjectName(tenant, id)) as RunStub;
}

/** Starts a run of a registered crew and answers its id. */
export async function start(
  name: string,
  options: { id?: string; inputs?: JsonObject; tenant?: string } = {},
): Promise<string> {
  const { id = newId(name), inputs = {}, tenant = TENANT } = options;
  await runs.start(startOf(name, { id, inputs, tenant }));
  return id;
}

export function startOf(name: string, options: Pick<RunStart, "id"> & Partial<RunStart>): RunStart {
  return { tenant: TENANT, kind: "crew", name, inputs: {}, ...options };
}

/** The run once it has this status; rejects when it has not soon. */
export async function reaches(id: string, status: RunStatus): Promise<Run> {
  let run = await runs.get(TENANT, id);
  await until(`run ${id} is ${status}`, async () => {
    run = await runs.get(TENANT, id);
    return run.status === status || isTerminal(run.status);
  }).catch((error: unknown) => {
    throw new Error(`run ${id} is ${run.status}, and shall become ${status}`, { cause: error });
  });
  if (run.status !== status)
    throw new Error(
      `run ${id} is ${run.status}, and shall become ${status}: ${JSON.stringify(run.error)}`,
    );
  return run;
}

export async function stepsOf(id: string): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await runs.steps(TENANT, id, { limit: 1000, values: true, cursor });
    steps.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return steps;
  }
}

export async function stepOf(id: string, key: string): Promise<Step> {
  const step = (await stepsOf(id)).find((each) => each.key === key);
  if (step === undefined) throw new Error(`run ${id} has no step ${key}`);
  return step;
}

/** Looks at what the object of a run has stored, past what it has in memory. */
export function inStorage<T>(
  id: string,
  look: (store: SqlRunStore) => T,
  tenant = TENANT,
): Promise<T> {
  return runInDurableObject(stubOf(id, tenant), (_, state) => {
    const result = look(new SqlRunStore(databaseOf(state.storage)));
    if (result instanceof Promise) throw new TypeError("looking is done at once");
    return result;
  });
}

/** Changes what the object of a run has stored, and has it read that anew. */
export async function changeStorage(
  id: string,
  change: (store: SqlRunStore) => void,
  tenant = TENANT,
): Promise<void> {
  await inStorage(id, (store) => store.transaction(() => change(store)), tenant);
  await evictDurableObject(stubOf(id, tenant));
}

/** Everything that the object keeps, as it is stored. */
export function storedRows(id: string, tenant = TENANT): Promise<readonly object[]> {
  return runInDurableObject(stubOf(id, tenant), (_, state) => [
    ...state.storage.sql.exec(`SELECT * FROM schema_version ORDER BY n`),
  ]);
}

/** All kept events, as they are stored. */
export function eventsOf(id: string): Promise<readonly RunEvent[]> {
  return inStorage(id, ({ events }) => events.read(0, events.lastSeq()));
}

/** What a run still has to deliver. */
export function owedBy(id: string, tenant = TENANT): Promise<readonly OutboxEntry[]> {
  return inStorage(id, (store) => store.outbox().map((entry) => ({ ...entry })), tenant);
}

export function alarmOf(id: string): Promise<number | null> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.getAlarm());
}

/** Takes the object out of memory in good order. */
export function evict(id: string): Promise<void> {
  return evictDurableObject(stubOf(id));
}

/** Runs SQL in the object of a run. */
export function query<Row extends Record<string, SqlStorageValue>>(
  id: string,
  text: string,
  ...bindings: SqlStorageValue[]
): Promise<Row[]> {
  return runInDurableObject(stubOf(id), (_, state) => [
    ...state.storage.sql.exec<Row>(text, ...bindings),
  ]);
}

/** Has the object serve its alarm now, whether one is set or not; resolves when it has. */
export async function serveAlarm(id: string, times = 1): Promise<void> {
  await runInDurableObject<InstanceType<typeof CrewRun>, unknown>(stubOf(id), (object) =>
    Promise.all(Array.from({ length: times }, () => object.alarm())),
  );
}
