// How a memory does things: as steps of a run, or plainly where there is none. The pipelines are written once for both.
import type { Clock } from "../base/clock.ts";
import { randomId } from "../base/system.ts";
import type { EventPayloads, EventType } from "../events/run-event.ts";
import type { RunScope } from "../events/run-scope.ts";

type StepHand = {
  readonly signal: AbortSignal;
  /** The same for every execution of this step, another one for each step. */
  readonly key: string;
  /** The time as it is; what follows from it is recorded with the step's result. */
  readonly nowMs: number;
};

export interface MemorySteps {
  /** Where in a run this is; undefined outside. */
  readonly scope: RunScope | undefined;
  at(segment: string): MemorySteps;
  /** Does something once and for all at `segment`. What it gives is JSON. */
  step<T>(segment: string, run: (hand: StepHand) => Promise<T>): Promise<T>;
  /** A UUID: in a run the same in every replay. */
  id(): string;
  /** Once it has finished, replay skips it whole. `segment` may come again: the second is `<segment>~2`. */
  whole<T>(segment: string, run: (steps: MemorySteps) => Promise<T>): Promise<T>;
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type]): void;
  open<Type extends EventType>(type: Type, payload: EventPayloads[Type]): MemorySteps;
}

/** Steps of a run, recorded. */
export function runSteps(scope: RunScope): MemorySteps {
  return {
    scope,
    at: (segment) => runSteps(scope.at(segment)),
    step: (segment, run) =>
      scope.at(segment).step({
        kind: "effect",
        run: ({ signal, idempotencyKey }, inside) =>
          inside.run(() => run({ signal, key: idempotencyKey, nowMs: scope.clock.now() })),
      }),
    id: () => scope.uuid(),
    whole: (segment, run) =>
      scope.atNext(segment).group("group", (inside) => run(runSteps(inside))),
    emit: (type, payload) => void scope.emit(type, payload),
    open: (type, payload) => runSteps(scope.open(type, payload)),
  };
}

/** Called with the events of what is done outside of runs. */
export type MemoryListener = <Type extends EventType>(
  type: Type,
  payload: EventPayloads[Type],
) => void;

/** Steps outside of runs: done at once and not recorded. Their events go to the listener alone. */
export function plainSteps(clock: Clock, listener: MemoryListener = () => undefined): MemorySteps {
  const { signal } = new AbortController();
  const steps: MemorySteps = {
    scope: undefined,
    at: () => steps,
    step: (_, run) => run({ signal, key: randomId(), nowMs: clock.now() }),
    id: randomId,
    whole: (_, run) => run(steps),
    emit: listener,
    open: (type, payload) => {
      listener(type, payload);
      return steps;
    },
  };
  return steps;
}
