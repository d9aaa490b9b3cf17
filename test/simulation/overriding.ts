import { RunScope } from "../../src/events/run-scope.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { GroupKind, WaitRequest } from "../../src/journal/journal-store.ts";
import type { StepContext, StepSpec } from "../../src/journal/step-spec.ts";
import type { RunHostPorts } from "../../src/runtime/run-host.ts";
import type { RunStore } from "../../src/runtime/run-store.ts";

/** `target` with some of its members replaced; all others are its own. */
export function overriding<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name) as unknown;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? (own.bind(target) as unknown) : own;
    },
  });
}

/** A store that does some things in another way. */
export function withStore(
  ports: RunHostPorts,
  change: (store: RunStore) => Partial<Omit<RunStore, "journal" | "events">> & {
    readonly journal?: Partial<RunStore["journal"]>;
    readonly events?: Partial<RunStore["events"]>;
  },
): RunHostPorts {
  const { store } = ports;
  const { journal, events, ...members } = change(store);
  return {
    ...ports,
    store: overriding(store, {
      ...members,
      journal: overriding(store.journal, journal ?? {}),
      events: overriding(store.events, events ?? {}),
    }),
  };
}

export type ScopeStep<T> = Omit<StepSpec<T>, "run"> & {
  readonly run: (context: StepContext, scope: RunScope) => Promise<T>;
};

/** What a program asks its scope for, done in another way. */
export type ScopeChanges = {
  /** "never": the step does not come about. */
  readonly step?: <T>(spec: ScopeStep<T>, scope: RunScope) => ScopeStep<T> | "never";
  /** `isReplayed`: the step's result is on record. */
  readonly stepResult?: <T>(result: T, isReplayed: boolean) => T;
  readonly wait?: <T>(scope: RunScope, wait: () => Promise<T>) => Promise<T>;
  readonly callOnce?: <T>(
    scope: RunScope,
    code: () => T | Promise<T>,
    record: () => Promise<T>,
  ) => Promise<T>;
  /** `emitted` is the scope of the event. */
  readonly emit?: (type: string, emitted: RunScope, emit: (at: RunScope) => string) => string;
  /** `isReplayed`: the group had finished, and its result is on record. */
  readonly group?: <T>(result: T, isReplayed: boolean) => T;
};

/** A program whose scope, and all scopes below it, do some things in another way. */
export function withScope(
  ports: RunHostPorts,
  changes: ScopeChanges,
  onReturn: () => void = () => undefined,
): RunHostPorts {
  return {
    ...ports,
    program: (start) => {
      const program = ports.program(start);
      return overriding(program, {
        run: async (scope, inputs) => {
          const output = await program.run(changed(scope, changes), inputs);
          onReturn();
          return output;
        },
      });
    },
  };
}

function changed(scope: RunScope, changes: ScopeChanges): RunScope {
  const { step, stepResult, wait, callOnce, group, emit } = changes;
  const self: RunScope = overriding(scope, {
    at: (segment) => changed(scope.at(segment), changes),
    atNext: (segment) => changed(scope.atNext(segment), changes),
    run: <T>(code: () => T): T => RunScope.prototype.run.call(self, code) as T,
    emit: (...event: Parameters<RunScope["emit"]>) => {
      const [type] = event;
      if (emit === undefined) return scope.emit(...event);
      return emit(type, scope, (at) => at.emit(...event));
    },
    open: (...opened: Parameters<RunScope["open"]>) => changed(scope.open(...opened), changes),
    offering: (services) => changed(scope.offering(services), changes),
    group: async <T>(kind: GroupKind, run: (inside: RunScope) => Promise<T>) => {
      let isReplayed = true;
      const result = await scope.group(kind, (inside) => {
        isReplayed = false;
        return run(changed(inside, changes));
      });
      return group === undefined ? result : group(result, isReplayed);
    },
    callOnce: <T>(code: () => T | Promise<T>) => {
      const record = (): Promise<T> => scope.callOnce(code);
      return callOnce === undefined ? record() : callOnce(scope, code, record);
    },
    step: <T>(spec: ScopeStep<T>) => {
      const other = step === undefined ? spec : step(spec, scope);
      if (other === "never") return new Promise<T>(() => {});
      const { run } = other;
      let isReplayed = true;
      const result = scope.step<T>({
        ...other,
        run: (context, inside) => {
          isReplayed = false;
          return run(context, changed(inside, changes));
        },
      });
      if (stepResult === undefined) return result;
      return result.then((value) => stepResult(value, isReplayed));
    },
    wait: <T extends JsonValue>(request: WaitRequest) =>
      wait === undefined ? scope.wait<T>(request) : wait(scope, () => scope.wait<T>(request)),
  });
  return self;
}

/** A step's context with some of it replaced. */
export function otherContext(
  context: StepContext,
  members: Partial<Pick<StepContext, "idempotencyKey" | "signal">>,
): StepContext {
  return overriding<StepContext>(context, members);
}
