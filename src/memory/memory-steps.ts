// Steps of a memory: recorded in a run, plain calls outside of runs. The pipelines are written once for both.
import type { Clock } from "../base/clock.ts";
import { WAITING_RETRY } from "../base/retry.ts";
import { randomId } from "../base/system.ts";
import type { EventPayloads, EventType } from "../events/run-event.ts";
import type { RunScope } from "../events/run-scope.ts";

export type StepHand = {
  readonly signal: AbortSignal;
  /** Key of this step, equal in all its executions and different for each step. */
  readonly key: string;
  /** Current time. Values derived from it are recorded in the step's result. */
  readonly nowMs: number;
};

/** `waitsOutage`: a step of a run waits for an unavailable embedder, within the run's limits. @default false */
export type StepOptions = { readonly waitsOutage?: boolean };

export interface MemorySteps {
  /** Place in the run; undefined outside of runs. */
  readonly scope: RunScope | undefined;
  at(segment: string): MemorySteps;
  /** Runs a step once at `segment`. Its result is JSON. */
  step<T>(segment: string, run: (hand: StepHand) => Promise<T>, options?: StepOptions): Promise<T>;
  /** Returns a UUID, in a run the same in every replay. */
  id(): string;
  /** Runs a group of steps. Replay skips a finished group. A repeated `segment` becomes `<segment>~2`. */
  whole<T>(segment: string, run: (steps: MemorySteps) => Promise<T>): Promise<T>;
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type]): void;
  open<Type extends EventType>(type: Type, payload: EventPayloads[Type]): MemorySteps;
}

/** Creates recorded steps of a run. */
export function runSteps(scope: RunScope): MemorySteps {
  return {
    scope,
    at: (segment) => runSteps(scope.at(segment)),
    step: (segment, run, { waitsOutage = false } = {}) =>
      scope.at(segment).step({
        kind: "effect",
        ...(waitsOutage ? { retry: WAITING_RETRY } : undefined),
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

/** Receives the events of calls outside of runs. */
export type MemoryListener = <Type extends EventType>(
  type: Type,
  payload: EventPayloads[Type],
) => void;

/** Creates unrecorded steps for calls outside of runs. Only the listener receives their events. */
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
