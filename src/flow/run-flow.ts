// One execution of a flow, as durable steps.
//
//   RF1. A method is a step: a finished one replays as one row, with its result and its changes to the state.
//   RF2. A method works on a copy of the state from the time it began. Its changes are merged into the flow's state
//        when it ends (see state-change.ts), after a person's review of it; of two assignments to the same field, the
//        later end wins. Parallel methods do not see each other's partial changes, with or without a crash.
//   RF3. The result of a flow is that of the last ended method.
//   RF4. A start gets the input `crewai_trigger_payload`, if there is one.
//   - The n-th execution of a method has the key `method:<name>`, from the second on with `~<n>`. The save after it has
//     the key `save:<name>`, with the same number.
import { cameFrom } from "../base/error-place.ts";
import type { Prompts } from "../agent/prompts/prompts.ts";
import { errorMessage } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { fromRecorded, jsonView, toRecorded } from "../base/recorded.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ActiveHooks } from "../hooks/dispatch.ts";
import type { Hook } from "../hooks/hook.ts";
import { shownState, type ShownState } from "./event-state.ts";
import { askFeedback, type HumanFeedbackResult } from "./feedback.ts";
import type { MemoryOption } from "../memory/memory-service.ts";
import { learningScope, MethodMemory } from "./flow-memory.ts";
import { FlowProgress, type MethodResult } from "./flow-progress.ts";
import type { FlowDefinition } from "./flow-definition.ts";
import {
  flowHooks,
  hookedOutput,
  hookedParams,
  hookedResult,
  type FlowHooks,
} from "./flow-hooks.ts";
import {
  persistsAfter,
  saveState,
  stateAtStart,
  storeOf,
  type FlowStart,
} from "./flow-persistence.ts";
import type { FlowGraph } from "./flow-graph.ts";
import type { FlowStore } from "./flow-store.ts";
import type { InputProvider } from "./input-provider.ts";
import type { MethodCall } from "./method-call.ts";
import { labelOf } from "./router-label.ts";
import { checkState, type StateSchema } from "./flow-state.ts";
import type { FlowPersistence } from "./own-store.ts";
import { applyChange, overwritten, type StateChange } from "./state-change.ts";
import { StateCopy } from "./state-copy.ts";

/** A run needs these parts of a flow. */
export type RunnableFlow = {
  readonly definition: FlowDefinition;
  /** True if its name is that of a class. */
  readonly isUnnamed?: boolean;
  readonly graph: FlowGraph;
  readonly schema: StateSchema;
  /** The state before the inputs. */
  readonly initial: JsonObject;
  readonly prompts: Prompts;
  readonly run: (method: string, call: MethodCall) => unknown;
  /** Store of its states; takes precedence over the deployment's. */
  readonly persistence?: FlowPersistence | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** Code to answer `ask` in place of a person. */
  readonly inputProvider?: InputProvider | undefined;
  /** Its methods need the time at which the flow began: it is read once, before the first of them. @default false */
  readonly readsTime?: boolean;
  /** Memory of its methods. @default one made by the deployment */
  readonly memory?: MemoryOption | undefined;
};

/** The result of a flow. */
export type FlowRecord = { readonly value: JsonValue; readonly state: JsonObject };

/** The same, with the notes of its methods in the order in which they ended. */
export type NotedRecord = FlowRecord & { readonly notes: readonly JsonValue[] };

/** A method's row. */
type MethodRecord = {
  readonly value: JsonValue;
  readonly change?: StateChange;
  readonly label?: string;
  readonly feedback?: HumanFeedbackResult;
  readonly notes?: readonly JsonValue[];
};

/** Maximum number of overwritten fields in one event. */
const MAX_REPORTED = 20;

/** Input with the payload of the run's trigger: the body of a webhook, a message of a queue. */
const TRIGGER_PAYLOAD = "crewai_trigger_payload";

/** Runs a flow at `scope`. */
export async function runFlow(
  parent: RunScope,
  flow: RunnableFlow,
  start: FlowStart,
): Promise<FlowRecord> {
  const { value, state } = await runNoted(parent, flow, start);
  return { value, state };
}

/** Runs a flow at `scope`, and also returns the notes of its methods. */
export function runNoted(
  parent: RunScope,
  flow: RunnableFlow,
  start: FlowStart,
): Promise<NotedRecord> {
  const scope = learningScope(parent, flow);
  const hooks = flowHooks(scope, flow);
  return hooks.execution.around(() => runHooked(scope, flow, { start, hooks }));
}

async function runHooked(
  scope: RunScope,
  flow: RunnableFlow,
  { start, hooks }: { readonly start: FlowStart; readonly hooks: FlowHooks },
): Promise<NotedRecord> {
  const flowName = flow.definition.name;
  const { execution, active } = hooks;
  const inputs = await execution.input(await execution.start(start.inputs));
  const store = storeOf(flow, scope.services);
  const state = await stateAtStart(scope, flow, { start: { ...start, inputs }, store });
  const inner = scope.open("flow_started", { flowName, inputs });
  try {
    const options = { inputs, state, store, active };
    const record = await new FlowExecution(inner, flow, options).run();
    const value = await hookedResult(hooks, record.value);
    scope.emit("flow_finished", {
      flowName,
      result: jsonView(value),
      ...shownState(record.state),
    });
    return { ...record, value };
  } catch (error) {
    scope.emit("flow_failed", { flowName, error: errorMessage(error) });
    throw error;
  }
}

type Execution = {
  readonly inputs: JsonObject;
  readonly state: JsonObject;
  readonly store: FlowStore | undefined;
  readonly active: ActiveHooks | undefined;
};

type MethodWork = {
  readonly name: string;
  readonly value: JsonValue | undefined;
  /** Called when its code begins, with the state at this time. */
  readonly begins: () => void;
};

class FlowExecution {
  readonly #scope: RunScope;
  readonly #flow: RunnableFlow;
  readonly #inputs: JsonObject;
  readonly #store: FlowStore | undefined;
  readonly #hooks: ActiveHooks | undefined;
  readonly #emitsMethodEvents: boolean;
  readonly #startedAtMs: number | undefined;
  #state: JsonObject;
  /** Shown form of a state in events: both events of a method show the same, and so do many methods. */
  #shown: { readonly of: JsonObject; readonly view: ShownState } | undefined;
  #value: JsonValue = null;
  readonly #feedback: HumanFeedbackResult[] = [];
  readonly #notes: JsonValue[] = [];
  /** Outputs of methods, in the order of their ends. */
  readonly #outputs: Array<readonly [method: string, output: JsonValue]> = [];

  constructor(scope: RunScope, flow: RunnableFlow, { inputs, state, store, active }: Execution) {
    this.#scope = scope;
    this.#flow = flow;
    this.#inputs = inputs;
    this.#state = state;
    this.#store = store;
    this.#hooks = active;
    this.#startedAtMs = flow.readsTime === true ? scope.at("now").now() : undefined;
    this.#emitsMethodEvents = flow.definition.config?.suppressFlowEvents !== true;
  }

  async run(): Promise<NotedRecord> {
    const progress = new FlowProgress(
      this.#flow.graph,
      (name, value, eventId) => this.#execute(name, value, eventId),
      {
        onNothing: () => this.#scope.setOffNothing(),
        lastFeedback: () => this.#feedback.at(-1),
      },
    );
    await progress.run();
    return { value: this.#value, state: this.#state, notes: this.#notes };
  }

  async #execute(
    methodName: string,
    value: JsonValue | undefined,
    triggeredBy: string | undefined,
  ): Promise<MethodResult> {
    const named = { flowName: this.#flow.definition.name, methodName };
    const place = this.#scope.atNext(`method:${methodName}`);
    let before = this.#state;
    let record: MethodRecord;
    let after: JsonObject;
    try {
      const params = value === undefined ? this.#inputs[TRIGGER_PAYLOAD] : value;
      // A method may begin after its trigger, for example after a pause or hooks.
      const begins = (): void => void (before = this.#state);
      const perform = (inside: RunScope): Promise<MethodRecord> => {
        const work = { name: methodName, value: params, begins };
        if (!this.#emitsMethodEvents) return this.#method(inside, work);
        const started = {
          ...named,
          ...(params === undefined ? undefined : { params: { _0: jsonView(params) } }),
          ...this.#shownState(this.#state),
        };
        const inner = inside.open("method_execution_started", started, triggeredBy);
        return this.#method(inner, work);
      };
      const marks = { label: methodName, mark: "checkpoint" } as const;
      record = await place.group("method", perform, marks);
      this.#reportOverwritten(place, named, { record, before });
      if (record.change !== undefined)
        this.#state = applyChange(this.#state, record.change) as JsonObject;
      // Other methods may end while the state is saved, in another order on replay.
      after = this.#state;
      this.#note(methodName, record);
      if (this.#store !== undefined) await this.#save(place, this.#store, methodName);
    } catch (error) {
      if (this.#emitsMethodEvents)
        place.emit("method_execution_failed", { ...named, error: errorMessage(error) });
      throw cameFrom(
        `method "${methodName}" of flow "${named.flowName}"`,
        this.#scope.runId,
        error,
      );
    }
    const eventId = this.#emitsMethodEvents
      ? place.emit("method_execution_finished", {
          ...named,
          result: record.label ?? jsonView(record.value),
          ...this.#shownState(after),
        })
      : undefined;
    return resultOf(record, eventId === undefined ? undefined : { eventId });
  }

  #shownState(state: JsonObject): ShownState {
    if (this.#shown?.of !== state) this.#shown = { of: state, view: shownState(state) };
    return this.#shown.view;
  }

  #note(methodName: string, { value, feedback, notes = [] }: MethodRecord): void {
    this.#notes.push(...notes);
    this.#value = value;
    if (feedback !== undefined) this.#feedback.push(feedback);
    this.#outputs.push([methodName, feedback ?? value]);
  }

  /**
   * Reports a field assigned by two concurrent methods, which may be a mistake, such as a counter. The run continues.
   */
  #reportOverwritten(
    place: RunScope,
    named: { readonly flowName: string; readonly methodName: string },
    { record, before }: { readonly record: MethodRecord; readonly before: JsonObject },
  ): void {
    if (record.change === undefined) return;
    const fields = overwritten(record.change, { before, now: this.#state }).slice(0, MAX_REPORTED);
    if (fields.length > 0) place.emit("flow_state_overwritten", { ...named, fields });
  }

  /** Saves the present state, if the method persists (FP1). */
  async #save(place: RunScope, store: FlowStore, method: string): Promise<void> {
    const { definition } = this.#flow;
    if (!persistsAfter(definition, method)) return;
    const what = { flow: definition.name, method, state: this.#state };
    // Beside the method's row and not below it: replay skips steps below a finished row.
    const execution = place.path.slice(place.path.lastIndexOf("method:") + "method:".length);
    await saveState(this.#scope.at(`save:${execution}`), store, what);
  }

  /** Runs a method's own work and asks for a person's feedback on it. */
  async #method(scope: RunScope, work: MethodWork): Promise<MethodRecord> {
    const { name, value } = work;
    const { humanFeedback: feedback, router } = this.#flow.definition.methods[name] ?? {};
    const labelled = (record: MethodRecord, result: JsonValue): MethodRecord => {
      const label = router === true ? labelOf(name, jsonView(result), this.#flow.graph) : undefined;
      return label === undefined ? record : { ...record, label };
    };
    const hooks = this.#hooks;
    const params =
      hooks === undefined ? value : await hookedParams(scope, hooks, { methodName: name, value });
    if (feedback === undefined) {
      const done = await this.#body(scope, { ...work, value: params });
      if (hooks === undefined) return labelled(done, done.value);
      const result = await hookedOutput(scope, hooks, { methodName: name, value: done.value });
      return labelled({ ...done, value: result }, result);
    }
    const done = await scope
      .at("body")
      .group("group", (inside) => this.#body(inside, { ...work, value: params }));
    const shown = jsonView(done.value);
    const answer = await askFeedback(scope, {
      feedback,
      methodName: name,
      output: shown,
      prompts: this.#flow.prompts,
      compat: this.#flow.graph.compat,
    });
    const result = answer.output === shown ? { ...answer, output: done.value } : answer;
    const returned = result.outcome ?? result;
    const hooked = await hookedOutput(scope, this.#hooks, { methodName: name, value: returned });
    if (result.outcome === null)
      return labelled({ ...done, value: hooked, feedback: result }, done.value);
    return typeof hooked === "string"
      ? { ...done, value: result.output, label: hooked, feedback: result }
      : { ...done, value: hooked, feedback: result };
  }

  async #body(scope: RunScope, { name: method, value, begins }: MethodWork): Promise<MethodRecord> {
    begins();
    const copy = new StateCopy(this.#state);
    const outputs = this.#outputs;
    const ended = outputs.length;
    const call: MethodCall = {
      copy,
      value: fromRecorded(value) as JsonValue | undefined,
      inputs: this.#inputs,
      startedAtMs: this.#startedAtMs,
      feedback: fromRecorded(this.#feedback) as readonly HumanFeedbackResult[],
      outputs: () => fromRecorded(Object.fromEntries(outputs.slice(0, ended))) as JsonObject,
      scope,
      methodName: method,
      inputProvider: this.#flow.inputProvider,
      memory: new MethodMemory(scope, this.#flow),
      notes: [],
      earlierNotes: [...this.#notes],
    };
    let returned: unknown;
    try {
      returned = await scope.run(() => this.#flow.run(method, call));
    } finally {
      if (call.memory.isUsed) await call.memory.drain();
    }
    const { change, state } = copy.change();
    if (change !== undefined) checkState(this.#flow.schema, state, method);
    return {
      value: toRecorded(returned),
      ...(change === undefined ? undefined : { change }),
      ...(call.notes.length === 0 ? undefined : { notes: call.notes }),
    };
  }
}

/** Returns the result of a method, with the label for its listeners. */
function resultOf(
  { value, label, feedback }: MethodRecord,
  event: Pick<MethodResult, "eventId"> | undefined,
): MethodResult {
  if (label === undefined) return { value, ...event };
  return feedback === undefined
    ? { value, label: { name: label, value }, ...event }
    : {
        value: feedback.outcome === null ? value : label,
        label: { name: label, value: feedback, isFeedback: true },
        ...event,
      };
}
