// Runs that lose their process at a chosen point and go on in another one: what comes of them must not depend on where.
import type { JsonObject } from "../../src/base/json.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import type { ResumeRequest } from "../../src/runtime/handle/run-handle.ts";
import type { RunProgram } from "../../src/runtime/run-program.ts";
import type { RunHostPorts } from "../../src/runtime/run-host.ts";
import { isTerminal, type Run, type RunStart, type Wait } from "../../src/runtime/run.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { faultyRunStore, type Write } from "./faulty-run-store.ts";
import { settledElsewhere } from "./pending-work.ts";
import { openSqlStore, type StoreFixture } from "./run-stores.ts";
import { RunWorld } from "./run-world.ts";

/** What is run, made anew for each run, so that what it notes belongs to that run alone. */
export type Subject = {
  readonly program: RunProgram;
  readonly inputs?: JsonObject;
  readonly services?: RunServices;
  /** What it is started with besides its inputs, and the record that it takes over, of a fork. */
  readonly start?: Partial<RunStart>;
  readonly rows?: readonly StepRecord[];
  readonly recordPage?: RunHostPorts["recordPage"];
  /** @default in SQLite */
  readonly fixture?: StoreFixture;
  /** What people answer. */
  readonly answer?: (wait: Wait) => ResumeRequest;
  /** What it called outside, in order. */
  readonly calls?: readonly string[];
};

export type CutOffRun = {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  readonly calls: readonly string[];
  /** All that must be the same wherever the process died. */
  readonly course: Course;
};

export type Course = {
  readonly status: Run["status"];
  readonly output: Run["output"] | undefined;
  readonly error: Run["error"] | undefined;
  readonly usage: Run["usage"];
  /** As `untimed` tells them, in the order of the alphabet: branches that run at once may take turns otherwise. */
  readonly events: readonly string[];
  /** Each once, in the order of the alphabet: what was under way at the end of a process is called again by the next. */
  readonly calls: readonly string[];
};

/** Whether a process may die after a write. */
type IsPoint = (write: Write) => boolean;

/** Events that tell of processes, not of what the run does. */
const OF_PROCESSES: ReadonlySet<RunEvent["type"]> = new Set([
  "run_waiting",
  "run_resumed",
  "step_restarted",
]);

type EveryCut = { readonly whole: CutOffRun; readonly cut: readonly CutOffRun[] };

/** Runs to the end undisturbed, and then once for each write to the run's store, after which the process dies. */
export function cutAfterEveryWrite(make: () => Subject): Promise<EveryCut> {
  return everyCut(make, () => true);
}

/** As above, but dies only after writes of what a step came to: where nothing runs beside it, no call is made twice. */
export function cutAfterEveryResult(make: () => Subject): Promise<EveryCut> {
  return everyCut(make, (write) => /^put .* (done|error|waiting)$/.test(write));
}

/** Runs to the end undisturbed. */
export async function runWhole(subject: Subject): Promise<CutOffRun> {
  return runCutOff(subject, { after: [], isPoint: () => true });
}

/** The first process dies after so many writes to the run's store, the second after so many more, and so on. */
export async function runCutAfter(
  subject: Subject,
  writes: readonly number[],
): Promise<CutOffRun & { readonly died: boolean }> {
  return runCutOff(subject, { after: writes, isPoint: () => true });
}

/** Events as texts, without their times, numbers, attempts and triggers (which of two branches was the last to end may change), and without those that tell of processes. */
export function untimed(events: readonly RunEvent[]): readonly string[] {
  return events
    .filter(({ type }) => !OF_PROCESSES.has(type))
    .map((event) =>
      JSON.stringify(event, (name, value: unknown) =>
        name === "seq" ||
        name === "runAttempts" ||
        name === "attempts" ||
        name === "triggeredByEventId" ||
        /^at$|At(?:Ms)?$/.test(name)
          ? 0
          : value,
      ),
    );
}

async function everyCut(make: () => Subject, isPoint: IsPoint): Promise<EveryCut> {
  const whole = await runCutOff(make(), { after: [], isPoint });
  const cut: CutOffRun[] = [];
  for (let after = 1; ; after++) {
    const { died, ...ended } = await runCutOff(make(), { after: [after], isPoint });
    if (!died && cut.length === 0) throw new Error("there is nothing to cut off");
    if (!died) return { whole, cut };
    cut.push(ended);
  }
}

/** From so many points on as `after` says for a process, nothing more of it reaches the store, until another takes over. */
async function runCutOff(
  {
    program,
    inputs = {},
    services = {},
    start,
    rows,
    recordPage,
    fixture = openSqlStore(),
    answer,
    calls = [],
  }: Subject,
  { after, isPoint }: { readonly after: readonly number[]; readonly isPoint: IsPoint },
): Promise<CutOffRun & { readonly died: boolean }> {
  const clock = new SimulatedClock();
  const life = { process: 0, points: 0, started: false, isDead: false };
  const world = new RunWorld(program.run, {
    clock,
    fixture,
    ...(recordPage === undefined ? undefined : { recordPage }),
    tasks: program.tasks,
    listeners: program.listeners,
    models: modelCatalog({ variables: {} }),
    services,
    wrap: (store) => {
      const mine = ++life.process;
      return faultyRunStore(store, (write) => {
        if (mine < life.process) return true;
        if (!life.started) return false;
        if (life.points >= (after[mine - 1] ?? Number.POSITIVE_INFINITY))
          return (life.isDead = true);
        if (isPoint(write)) life.points++;
        return false;
      });
    },
  });
  await world.start({ ...start, inputs }, rows);
  life.started = true;
  for (let turn = 0; turn < 500; turn++) {
    if (life.isDead) {
      life.isDead = false;
      life.points = 0;
      world.restart();
    }
    const run = await world.host.status();
    if (isTerminal(run.status)) {
      const events = world.store.events.read(0, 10_000);
      const course = {
        status: run.status,
        output: run.output,
        error: run.error,
        usage: run.usage,
        events: untimed(events).toSorted(),
        calls: [...new Set(calls)].toSorted(),
      };
      return { run, events, calls, course, died: life.process > 1 };
    }
    const wait = run.waits.find(({ kind }) => kind === "human" || kind === "input");
    if (wait !== undefined && answer !== undefined && run.status === "waiting")
      await world.host.resume({ key: wait.key, ...answer(wait) }).catch((error: unknown) => {
        if (!life.isDead) throw error; // it died before it took the answer, which is given again
      });
    const { dueAtMs } = world.alarm;
    if (dueAtMs === null) continue;
    await clock.advance(Math.max(0, dueAtMs - clock.now()));
    world.alarm.dueAtMs = null;
    await settled(world.host.alarm(), clock, life);
  }
  throw new Error("the run does not come to an end");
}

/** Lets time pass until the drive is over, or its process is dead. */
async function settled(
  drive: Promise<void>,
  clock: SimulatedClock,
  life: { readonly isDead: boolean },
): Promise<void> {
  const state = { isOver: false };
  const noted = drive.finally(() => (state.isOver = true));
  const goesOn = (): boolean => !state.isOver && !life.isDead;
  for (let turn = 0; turn < 100 && goesOn(); turn++) {
    await clock.settle();
    await settledElsewhere();
    if (goesOn() && clock.nextDueMs !== undefined)
      await clock.advance(clock.nextDueMs - clock.now());
  }
  if (!life.isDead) await noted;
}
