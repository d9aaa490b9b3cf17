// Runs that lose their process after each result that they store, and go on in another one.
import { expect } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import type { ModelSpec } from "../../src/llm/resolve-model.ts";
import type { RunProgram } from "../../src/runtime/run-program.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import { faultyRunStore } from "./faulty-run-store.ts";
import { RunWorld } from "./run-world.ts";

/** Everything of one run that must not depend on when its process died. */
export type Course = {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** Results that were stored. */
  readonly stored: number;
};

export type CutOffProgram = {
  /** Made anew for each course, so that what it notes belongs to that course alone. */
  readonly make: () => {
    readonly program: RunProgram;
    /** What the program called outside, in order. */
    readonly calls: readonly string[];
  };
  readonly inputs?: JsonObject;
};

const models = (spec: ModelSpec | undefined): LanguageModel => spec as LanguageModel;

/**
 * Runs a program undisturbed, and then once for each result that it stores, cut off right after that result. Expects the
 * same output, usage and events each time, and no call but those that were under way made twice.
 */
export async function expectSameWhereverCutOff({
  make,
  inputs = {},
}: CutOffProgram): Promise<Course> {
  const whole = make();
  const undisturbed = await course(whole.program, inputs, Infinity);
  expect(isTerminal(undisturbed.run.status)).toBe(true);
  expect(undisturbed.stored).toBeGreaterThan(1);
  for (let cut = 1; cut < undisturbed.stored; cut++) {
    const made = make();
    const { run, events } = await course(made.program, inputs, cut);
    expect({ cut, ...visible(run, events, made.calls) }).toEqual({
      cut,
      ...visible(undisturbed.run, undisturbed.events, whole.calls),
    });
  }
  return undisturbed;
}

/** What must be the same. Of calls that were made twice because they were under way at the cut, one counts. */
function visible(
  { status, output, error, usage }: Run,
  events: readonly RunEvent[],
  calls: readonly string[],
): object {
  const made = [...new Set(calls)].toSorted();
  return { status, output, error, usage, events: told(events), calls: made };
}

async function course(program: RunProgram, inputs: JsonObject, cut: number): Promise<Course> {
  let stored = 0;
  let isDead = false;
  const world = new RunWorld(program.run, {
    models,
    tasks: program.tasks,
    wrap: (store) =>
      faultyRunStore(store, (write) => {
        if (isDead) return true;
        if (stored >= cut) return (isDead = true);
        if (/^put .* (done|error)$/.test(write)) stored++;
        return false;
      }),
  });
  const rest = async (): Promise<Run> => {
    for (let turn = 0; turn < 200; turn++) {
      const run = await world.rest();
      const dueAtMs = world.alarm.dueAtMs;
      if (isTerminal(run.status) || dueAtMs === null) return run;
      await world.clock.advance(Math.max(1, dueAtMs - world.clock.now()));
    }
    throw new Error("the run does not end");
  };
  await world.start({ inputs });
  if (cut === Infinity) return { run: await rest(), events: eventsOf(world), stored };
  await world.ring().catch(() => undefined);
  isDead = false;
  cut = Infinity;
  world.restart();
  world.alarm.dueAtMs ??= world.clock.now();
  return { run: await rest(), events: eventsOf(world), stored };
}

function eventsOf(world: RunWorld): readonly RunEvent[] {
  return world.store.events.read(0, 10_000);
}

/** The events without what tells of the cut itself, and without times and places in the order of parallel work. */
function told(events: readonly RunEvent[]): readonly string[] {
  return events
    .filter(({ type }) => type !== "step_restarted")
    .map((event) =>
      JSON.stringify(event, (name, value: unknown) =>
        name === "seq" || /^at$|At(?:Ms)?$/.test(name) ? 0 : value,
      ),
    )
    .toSorted();
}
