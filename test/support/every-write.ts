// Runs of a crew that are cut off: once after every write to their store, each time with another process going on from there.
import type { JsonObject } from "../../src/base/json.ts";
import type { Crew } from "../../src/crew/crew.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import type { ScriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import { faultyRunStore } from "./faulty-run-store.ts";
import { RunWorld } from "./run-world.ts";
import { openSqlStore } from "./run-stores.ts";

/** A crew made anew for one run, with what can be told of the run afterwards. */
export type Subject = {
  readonly crew: Crew;
  readonly inputs?: JsonObject;
  readonly models: readonly ScriptedModel[];
  readonly services?: RunServices;
  /** What it did to the outside, beside calling models. */
  readonly traces?: () => unknown;
};

export type Ending = {
  readonly status: Run["status"];
  readonly output: Run["output"];
  readonly usage: Run["usage"];
  /** Ids of all events but those that tell of interruptions, in the order of the alphabet. */
  readonly events: readonly string[];
  /** The idempotency keys of all model calls, each once, likewise. */
  readonly calls: readonly string[];
  readonly traces: unknown;
};

const OF_INTERRUPTIONS: ReadonlySet<RunEvent["type"]> = new Set([
  "step_restarted",
  "step_retrying",
  "run_resumed",
]);

/** How the crew ends when nothing happens, and how when it is cut off after the first write since its start, the second, and so on. */
export async function endings(
  make: () => Subject,
): Promise<{ readonly undisturbed: Ending; readonly cutOff: readonly Ending[] }> {
  const undisturbed = await endOf(make(), Number.POSITIVE_INFINITY);
  const cutOff: Ending[] = [];
  for (let after = 1; after < undisturbed.writes; after++)
    cutOff.push((await endOf(make(), after)).ending);
  return { undisturbed: undisturbed.ending, cutOff };
}

async function endOf(
  subject: Subject,
  cutAfter: number,
): Promise<{ readonly ending: Ending; readonly writes: number }> {
  const { crew, inputs = {}, models, services, traces } = subject;
  let process = 0;
  let started = false;
  let writes = 0;
  const program = crew.program();
  const world = new RunWorld((scope, given) => program.run(scope, given), {
    fixture: openSqlStore(),
    tasks: program.tasks,
    models: modelCatalog({ variables: {} }),
    ...(services === undefined ? undefined : { services }),
    wrap: (store) => {
      const mine = ++process;
      return faultyRunStore(
        store,
        () => mine < process || (process === 1 && started && ++writes > cutAfter),
      );
    },
  });
  await world.start({ inputs });
  started = true;
  await world.rest().catch(() => undefined);
  if (writes > cutAfter) world.restart();
  let run = await world.rest();
  for (let rings = 0; !isTerminal(run.status) && rings < 100; rings++) {
    await world.clock.advance(Math.max(0, (world.alarm.dueAtMs ?? 0) - world.clock.now()));
    run = await world.rest();
  }
  const events = world.store.events.read(0, 10_000);
  const ending = {
    status: run.status,
    output: run.output,
    usage: run.usage,
    events: events.filter(({ type }) => !OF_INTERRUPTIONS.has(type)).map(({ id }) => id),
    calls: models.flatMap((model) => model.calls.map(({ idempotencyKey }) => idempotencyKey ?? "")),
    traces: traces?.(),
  };
  return {
    ending: {
      ...ending,
      events: ending.events.toSorted(),
      calls: [...new Set(ending.calls)].toSorted(),
    },
    writes,
  };
}
