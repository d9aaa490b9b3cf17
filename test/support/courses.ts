// A crew's run whose host dies after each stored step in turn: what comes of it must be the same every time.
import type { JsonValue } from "../../src/base/json.ts";
import type { Crew } from "../../src/crew/crew.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import type { ResumeRequest } from "../../src/runtime/run-handle.ts";
import { isTerminal, type Run, type Wait } from "../../src/runtime/run.ts";
import { faultyRunStore } from "./faulty-run-store.ts";
import { openSqlStore } from "./run-stores.ts";
import { RunWorld } from "./run-world.ts";

/** What a run came to: how it ended, what it told, and what it called. */
export type Course = {
  readonly status: string;
  readonly output: JsonValue | undefined;
  readonly error: Run["error"];
  readonly events: readonly string[];
  readonly calls: readonly string[];
};

export type Cast = {
  readonly crew: Crew;
  /** What the crew calls is noted here. */
  readonly calls: string[];
  readonly answer?: (wait: Wait) => ResumeRequest;
};

/** Events that tell of the host, not of the run's course. */
const OF_THE_HOST = /^(run_waiting|run_resumed|step_restarted)/;

/** The course of a whole run, and that of each run whose host died once. `cast` makes everything anew for each. */
export async function coursesOf(
  cast: () => Cast,
): Promise<{ readonly whole: Course; readonly cut: readonly Course[] }> {
  const whole = await courseOf(cast(), Number.POSITIVE_INFINITY);
  const cut: Course[] = [];
  for (let after = 1; ; after++) {
    const course = await courseOf(cast(), after);
    if (!course.died) return { whole: whole.course, cut };
    cut.push(course.course);
  }
}

async function courseOf(
  { crew, calls, answer }: Cast,
  cutAfter: number,
): Promise<{ readonly course: Course; readonly died: boolean }> {
  let stored = 0;
  let dead = false;
  let died = false;
  const world = new RunWorld((scope, inputs) => crew.program().run(scope, inputs), {
    fixture: openSqlStore(),
    models: modelCatalog({ variables: {} }),
    wrap: (store) =>
      faultyRunStore(store, (write) => {
        if (dead) return true;
        if (/^put .* (done|error|waiting)$/.test(write) && ++stored === cutAfter)
          dead = died = true;
        return false;
      }),
  });
  await world.start();
  for (let turn = 0; turn < 200; turn++) {
    const run = await world.rest();
    if (dead) {
      dead = false;
      world.restart();
      await world.clock.advance(10_000);
    } else if (isTerminal(run.status)) {
      const events = world.store.events.read(0, 1000).map(({ id }) => id);
      const { status, output, error } = run;
      const course = { status, output, error, calls, events: told(events) };
      return { course, died };
    } else {
      const [wait] = run.waits;
      if (wait === undefined || answer === undefined)
        throw new Error(`the run is ${run.status} and waits for nobody`);
      await world.host.resume({ key: wait.key, ...answer(wait) }).catch((error: unknown) => {
        if (!dead) throw error; // the host died before it took the answer: it is given again
      });
    }
  }
  throw new Error("the run does not end");
}

function told(events: readonly string[]): readonly string[] {
  return events.filter((id) => !OF_THE_HOST.test(id)).toSorted();
}
