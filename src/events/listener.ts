// Listeners: user code that receives events. Selects the listeners of an event and their order; delivery is elsewhere.
//
//   LI1. One event's listeners are called in layers: each after all its dependencies have finished with the event.
//        Layers are computed when the listeners are registered; a circular dependency is refused then.
//   LI2. An exception of a listener is reported, and harms neither the run nor other listeners.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { LiveType } from "./model-events.ts";
import type { EventOf, EventType, LiveEvent, RunEvent } from "./run-event.ts";
import type { Traced } from "./traced-event.ts";

/** An event as a handler of its type gets it. */
export type ReceivedEvent<Type extends EventType> = Type extends LiveType
  ? Traced<Extract<LiveEvent, { readonly type: Type }>>
  : Traced<EventOf<Type>>;

/** Second argument of a listener, after the event. */
export type ListenerContext = {
  readonly runId: string;
  /** True for events stored before this process subscribed: they may have been handled before, partly or completely. */
  readonly redelivered: boolean;
  /** Aborts when the handler has exceeded its time limit. */
  readonly signal: AbortSignal;
};

export type ListenOptions = {
  /** Name for dependencies and reports. @default the types, joined */
  readonly name?: string;
  /** Listeners of the same list, or their names, to be called before this one. */
  readonly dependsOn?: ReadonlyArray<Listener | string>;
  /** Called when the run waits or has ended, and all events were handled. */
  readonly atRest?: (rest: RestContext) => unknown;
};

/** Argument of a listener when its run waits or has ended. */
export type RestContext = {
  readonly runId: string;
  readonly signal: AbortSignal;
  /** All stored events of the run, from the first one. */
  readonly history: () => Iterable<RunEvent>;
  /** The last `seq` of the previous call. */
  readonly restedSeq: number;
  /** Trace of the run's start, and the run it comes from. */
  readonly trace: () => TraceRoots;
};

/** Links from a run's trace to other traces. */
export type TraceRoots = {
  /** `traceparent` of the run's start. */
  readonly parent?: string;
  /** Run of which this one is a child or a fork, with the `traceparent` of its start. */
  readonly origin?: { readonly runId: string; readonly parent?: string };
};

/** A handler and its event types. Make one with `onEvent()`. */
export type Listener = {
  readonly name: string;
  readonly types: ReadonlySet<string> | "*";
  readonly dependsOn: ReadonlyArray<Listener | string>;
  readonly handle: (event: Traced, context: ListenerContext) => unknown;
  readonly atRest: ListenOptions["atRest"];
  /** Returns the span of a place as a `traceparent` header. Only for listeners that create spans. */
  readonly traceparent?: (place: TracedPlace) => string | undefined;
};

/** A place in a run from which another service is called. */
export type TracedPlace = {
  readonly runId: string;
  /** `traceparent` of the run's start. */
  readonly parent: string | undefined;
  /** `id` of the event that opened the place. @default the event of the run */
  readonly eventId: string | undefined;
};

/** Listeners, in groups of any depth. */
export type Listeners = ReadonlyArray<Listener | RunEventListener | Listeners>;

/** Several listeners with shared state: extend this class and list them in `listeners`. */
export abstract class RunEventListener {
  abstract readonly listeners: Listeners;
}

const OPTIONS = definitionOptions<ListenOptions>("onEvent()", {
  name: true,
  dependsOn: true,
  atRest: true,
});

/** Has `handle` called with each event of the type or types; `"*"` is all of them, tokens included. */
export function onEvent<const Type extends EventType>(
  types: Type | readonly Type[] | "*",
  handle: (event: ReceivedEvent<Type>, context: ListenerContext) => unknown,
  options: ListenOptions = {},
): Listener {
  refuseUnknownOptions(options, OPTIONS);
  const list = typeof types === "string" ? [types] : types;
  if (list.length === 0 || typeof handle !== "function")
    throw invalid("onEvent() needs an event type and a handler");
  return {
    name: options.name ?? list.join(","),
    types: types === "*" ? "*" : new Set<string>(list),
    dependsOn: options.dependsOn ?? [],
    handle: handle as Listener["handle"],
    atRest: options.atRest,
  };
}

const MAX_NAMED = 5;

/** Listeners in their layers, ready to be called. */
export class ListenerPlan {
  readonly listeners: readonly Listener[];
  readonly #layers: ReadonlyArray<readonly Listener[]>;
  readonly #byType = new Map<string, ReadonlyArray<readonly Listener[]>>();

  /** Throws `invalid_definition` for a dependency outside the list, and for circular dependencies. */
  constructor(listeners: Listeners) {
    this.listeners = flatten(listeners);
    this.#layers = layersOf(this.listeners);
  }

  /** True if a listener names an event type for words of models. `"*"` takes words without requesting them. */
  get requestsWords(): boolean {
    return this.listeners.some(
      ({ types }) =>
        types !== "*" && (types.has("llm_stream_chunk") || types.has("llm_thinking_chunk")),
    );
  }

  /** The listeners for events of a type, layer by layer. */
  layers(type: string): ReadonlyArray<readonly Listener[]> {
    let known = this.#byType.get(type);
    if (known === undefined) {
      known = this.#layers
        .map((layer) => layer.filter(({ types }) => types === "*" || types.has(type)))
        .filter((layer) => layer.length > 0);
      this.#byType.set(type, known);
    }
    return known;
  }
}

function flatten(listeners: Listeners): Listener[] {
  const flat = listeners.flatMap((each): Listener[] => {
    if (Array.isArray(each)) return flatten(each as Listeners);
    if (each instanceof RunEventListener) return flatten(each.listeners);
    const candidate: Partial<Listener> | null | undefined = each as Listener;
    if (typeof candidate?.handle !== "function" || candidate.dependsOn === undefined)
      throw invalid(`a listener must be made with onEvent(), got ${preview(each)}`);
    return [each as Listener];
  });
  return [...new Set(flat)];
}

function layersOf(listeners: readonly Listener[]): Listener[][] {
  const dependencies = new Map(
    listeners.map((each) => [
      each,
      each.dependsOn.map((wanted) => {
        const found = listeners.find((other) => other === wanted || other.name === wanted);
        if (found !== undefined) return found;
        const name = typeof wanted === "string" ? wanted : wanted.name;
        throw invalid(`listener "${each.name}" depends on "${name}", which is not in its list`);
      }),
    ]),
  );
  const layers: Listener[][] = [];
  const placed = new Set<Listener>();
  while (placed.size < listeners.length) {
    const layer = listeners.filter(
      (each) => !placed.has(each) && dependencies.get(each)?.every((other) => placed.has(other)),
    );
    if (layer.length === 0) throw circular(listeners, placed, dependencies);
    for (const each of layer) placed.add(each);
    layers.push(layer);
  }
  return layers;
}

function circular(
  listeners: readonly Listener[],
  placed: ReadonlySet<Listener>,
  dependencies: ReadonlyMap<Listener, readonly Listener[]>,
): EngineError {
  const circle: Listener[] = [];
  let next = listeners.find((each) => !placed.has(each));
  while (next !== undefined && !circle.includes(next)) {
    circle.push(next);
    next = dependencies.get(next)?.find((other) => !placed.has(other));
  }
  const start = next === undefined ? 0 : circle.indexOf(next);
  const names = circle.slice(start).map(({ name }) => name);
  const shown = names.slice(0, MAX_NAMED).join(" → ");
  const rest = names.length > MAX_NAMED ? ` → … (${names.length} in all)` : ` → ${names[0]}`;
  return invalid(`circular dependency between listeners: ${shown}${rest}`);
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
