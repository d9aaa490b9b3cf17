// A crew's run whose process dies right after a chosen write to its journal, and is looked after by another one from then on.
import type { JsonObject } from "../../src/base/json.ts";
import type { Crew } from "../../src/crew/crew.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import type { ResumeRequest } from "../../src/runtime/run-handle.ts";
import { RunHost } from "../../src/runtime/run-host.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { openSqlStore } from "./run-stores.ts";
import { HandAlarm } from "./run-world.ts";

/** What is run: a crew, or something that is done with one. */
export type Runnable = Pick<Crew, "name" | "program">;

export type CutOffOptions = {
  readonly inputs?: JsonObject;
  readonly services?: RunServices;
  /** What people answer, by the key of what waits for them. */
  readonly answer?: (key: string) => ResumeRequest;
  /** The process dies after this many writes of the journal. @default never */
  readonly afterWrites?: number;
};

export type CutOffRun = {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** Writes of the journal in the first life. */
  readonly writes: number;
};

/** Runs a crew to its end. */
export async function runCutOff(crew: Runnable, options: CutOffOptions = {}): Promise<CutOffRun> {
  const { inputs = {}, services = {}, answer, afterWrites = Number.POSITIVE_INFINITY } = options;
  const clock = new SimulatedClock();
  const alarm = new HandAlarm(clock);
  const fixture = openSqlStore();
  const life = { writes: 0, isOver: false };
  const hostOf = (store: RunStore): RunHost =>
    new RunHost({
      store,
      alarm,
      clock,
      program: () => crew.program(),
      models: modelCatalog({ variables: {} }),
      services: () => services,
      outbox: { index: async () => undefined },
    });
  const diedMeanwhile = (error: unknown): void => {
    if (!life.isOver) throw error;
  };
  let store = fixture.store;
  let host = hostOf(dying(store, life, afterWrites));
  await host.start({ id: "run-1", tenant: "acme", kind: "crew", name: crew.name, inputs });
  for (let turn = 0; turn < 500; turn++) {
    if (life.isOver) {
      life.isOver = false;
      store = fixture.reopen();
      host = hostOf(store);
    }
    const run = await host.status();
    if (isTerminal(run.status))
      return { run, events: store.events.read(0, 10_000), writes: life.writes };
    const asked = run.waits.find(({ kind }) => kind === "human");
    if (asked !== undefined && answer !== undefined && run.status === "waiting")
      await host.resume({ key: asked.key, ...answer(asked.key) }).catch(diedMeanwhile);
    if (alarm.dueAtMs !== null) {
      await clock.advance(Math.max(0, alarm.dueAtMs - clock.now()));
      alarm.dueAtMs = null;
      await settled(host.alarm(), clock, life);
    }
  }
  throw new Error("the run does not come to an end");
}

/** Runs a crew once undisturbed and then once with a death after each write. */
export async function runWithEveryCut(
  crew: () => Runnable,
  options: CutOffOptions = {},
): Promise<{ readonly whole: CutOffRun; readonly cut: readonly CutOffRun[] }> {
  const whole = await runCutOff(crew(), options);
  const cut: CutOffRun[] = [];
  for (let afterWrites = 1; afterWrites <= whole.writes; afterWrites++)
    cut.push(await runCutOff(crew(), { ...options, afterWrites }));
  return { whole, cut };
}

/** Lets time pass until the drive is over, or its process is dead. */
async function settled(
  drive: Promise<void>,
  clock: SimulatedClock,
  life: { readonly isOver: boolean },
): Promise<void> {
  const state = { isOver: false };
  const noted = drive.catch(() => undefined).finally(() => (state.isOver = true));
  const goesOn = (): boolean => !state.isOver && !life.isOver;
  for (let turn = 0; turn < 100 && goesOn(); turn++) {
    await clock.settle();
    if (goesOn() && clock.nextDueMs !== undefined)
      await clock.advance(clock.nextDueMs - clock.now());
  }
  if (!life.isOver) await noted;
}

/** A store whose process is gone after `afterWrites` rows: nothing is written any more. */
function dying(
  store: RunStore,
  life: { writes: number; isOver: boolean },
  afterWrites: number,
): RunStore {
  let isDead = false;
  const alive = (): void => {
    if (isDead) throw new Error("the process is dead");
  };
  return wrapped(store, {
    journal: wrapped(store.journal, {
      put: (row: StepRecord) => {
        alive();
        store.journal.put(row);
        if (++life.writes === afterWrites) {
          isDead = true;
          life.isOver = true;
          throw new Error("the process dies");
        }
      },
    }),
    events: wrapped(store.events, { append: (event) => (alive(), store.events.append(event)) }),
    save: (record) => (alive(), store.save(record)),
    setValue: (name, json) => (alive(), store.setValue(name, json)),
    putOutbox: (entry) => (alive(), store.putOutbox(entry)),
    removeOutbox: (entry) => (alive(), store.removeOutbox(entry)),
  });
}

function wrapped<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const replaced = (members as Record<PropertyKey, unknown>)[name];
      const member = (target as Record<PropertyKey, unknown>)[name];
      return replaced ?? (typeof member === "function" ? member.bind(target) : member);
    },
  });
}
