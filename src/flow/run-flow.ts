// One execution of a flow, as durable steps.
//
//   RF1. A method is a step: finished, it replays as one row, which holds its result and what it did to the state.
//   RF2. A method works on a copy of the state as it was when the method began. What it changed is merged into the flow's
//        state when it ends (see state-change.ts): parallel methods do not see each other half done, with or without a crash.
//   RF3. The result of a flow is that of the method that ended last.
//   - The n-th execution of a method has the key `method:<name>`, from the second on with `~<n>`. The save after it has the
//     key `save:<name>`, with the same number.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Prompts } from "../agent/prompts/prompts.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, toJson, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ActiveHooks } from "../hooks/dispatch.ts";
import type { Hook } from "../hooks/hook.ts";
import type { ConversationTools } from "./conversational/conversation-tools.ts";
import { shownState } from "./event-state.ts";
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
import { checkState, type StateSchema } from "./flow-state.ts";
import { applyChange, changeOf, type StateChange } from "./state-change.ts";

/** A run needs these parts of a flow. */
export type RunnableFlow = {
  readonly definition: FlowDefinition;
  /** True when its name is that of a class. */
  readonly isUnnamed?: boolean;
  readonly graph: FlowGraph;
  readonly schema: StateSchema;
  /** The state before the inputs. */
  readonly initial: JsonObject;
  readonly prompts: Prompts;
  readonly run: (method: string, call: MethodCall) => unknown;
  /** Where its states are kept; beats the deployment's. */
  readonly persistence?: FlowStore | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** Answers `ask` in place of a person. */
  readonly inputProvider?: InputProvider | undefined;
  /** What its methods remember. @default what the deployment makes for it */
  readonly memory?: MemoryOption | undefined;
};

/** One execution of a method. */
export type MethodCall = {
  /** The method's own copy of the state; what it holds at the end counts. */
  state: JsonObject;
  /** What woke the method: the result of the method or the label that it listens to. Undefined for a start. */
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  /** The feedback of people in this execution so far. */
  readonly feedback: readonly HumanFeedbackResult[];
  /** The results of the methods that had ended when this one began; a reviewed method has the person's feedback with it. */
  readonly outputs: JsonObject;
  readonly scope: RunScope;
  readonly inputProvider?: InputProvider | undefined;
  readonly methodName: string;
  readonly memory: MethodMemory;
  /** Of a turn; set before the method's code runs. */
  conversation?: ConversationTools;
};

/** The result of a flow. */
export type FlowRecord = { readonly value: JsonValue; readonly state: JsonObject };

/** A method's row. */
type MethodRecord = {
  readonly value: JsonValue;
  readonly change?: StateChange;
  readonly label?: string;
  readonly feedback?: HumanFeedbackResult;
};

/** The method whose code is running. */
export const currentCall: CurrentCall = new AsyncLocalStorage<MethodCall>();

/** Its own type, so that declarations which clients read name no module of Node. */
type CurrentCall = {
  getStore(): MethodCall | undefined;
  run<Result>(call: MethodCall, work: () => Result): Result;
};

/** Runs a flow at `scope`. */
export function runFlow(
  parent: RunScope,
  flow: RunnableFlow,
  start: FlowStart,
): Promise<FlowRecord> {
  const scope = learningScope(parent, flow);
  const hooks = flowHooks(scope, flow);
  return hooks.execution.around(() => runHooked(scope, flow, { start, hooks }));
}

async function runHooked(
  scope: RunScope,
  flow: RunnableFlow,
  { start, hooks }: { readonly start: FlowStart; readonly hooks: FlowHooks },
): Promise<FlowRecord> {
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
    scope.emit("flow_finished", { flowName, result: value, ...shownState(record.state) });
    return { value, state: record.state };
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

class FlowExecution {
  readonly #scope: RunScope;
  readonly #flow: RunnableFlow;
  readonly #inputs: JsonObject;
  readonly #store: FlowStore | undefined;
  readonly #hooks: ActiveHooks | undefined;
  readonly #emitsMethodEvents: boolean;
  #state: JsonObject;
  #value: JsonValue = null;
  readonly #feedback: HumanFeedbackResult[] = [];
  #outputs: JsonObject = {};

  constructor(scope: RunScope, flow: RunnableFlow, { inputs, state, store, active }: Execution) {
    this.#scope = scope;
    this.#flow = flow;
    this.#inputs = inputs;
    this.#state = state;
    this.#store = store;
    this.#hooks = active;
    this.#emitsMethodEvents = flow.definition.config?.suppressFlowEvents !== true;
  }

  async run(): Promise<FlowRecord> {
    const progress = new FlowProgress(this.#flow.graph, (name, value, eventId) =>
      this.#execute(name, value, eventId),
    );
    await progress.run();
    return { value: this.#value, state: this.#state };
  }

  async #execute(
    methodName: string,
    value: JsonValue | undefined,
    triggeredBy: string | undefined,
  ): Promise<MethodResult> {
    const named = { flowName: this.#flow.definition.name, methodName };
    const place = this.#scope.atNext(`method:${methodName}`);
    const merge = this.#mergeOnce();
    let record: MethodRecord;
    try {
      const perform = (inside: RunScope): Promise<MethodRecord> => {
        const inner = this.#emitsMethodEvents
          ? inside
              .triggeredBy(triggeredBy)
              .open("method_execution_started", {
                ...named,
                ...(value === undefined ? undefined : { params: { _0: value } }),
                ...shownState(this.#state),
              })
              .triggeredBy(undefined)
          : inside;
        return this.#method(inner, { name: methodName, value, merge });
      };
      const marks = { label: methodName, mark: "checkpoint" } as const;
      record = await place.group("method", perform, marks);
      merge(record.change);
      await this.#save(place, methodName);
    } catch (error) {
      if (this.#emitsMethodEvents)
        place.emit("method_execution_failed", { ...named, error: errorMessage(error) });
      throw error;
    }
    const { label, feedback } = record;
    this.#value = record.value;
    if (feedback !== undefined) this.#feedback.push(feedback);
    this.#outputs = {
      ...this.#outputs,
      [methodName]: feedback ?? record.value,
    };
    const eventId = this.#emitsMethodEvents
      ? place.emit("method_execution_finished", {
          ...named,
          result: label ?? record.value,
          ...shownState(this.#state),
        })
      : undefined;
    const event = eventId === undefined ? undefined : { eventId };
    if (label === undefined) return { value: record.value, ...event };
    const stale = this.#flow.graph.compat ? this.#feedback.at(-1) : undefined;
    return feedback === undefined
      ? { value: record.value, label: { name: label, value: stale ?? record.value }, ...event }
      : { value: label, label: { name: label, value: feedback, isFeedback: true }, ...event };
  }

  /** Keeps the state as it is now, where the method persists (FP1). */
  async #save(place: RunScope, method: string): Promise<void> {
    const { definition } = this.#flow;
    if (this.#store === undefined || !persistsAfter(definition, method)) return;
    const what = { flow: definition.name, method, state: this.#state };
    // Beside the method's row and not below it: what lies below a finished row is not replayed.
    const execution = place.path.slice(place.path.lastIndexOf("method:") + "method:".length);
    await saveState(this.#scope.at(`save:${execution}`), this.#store, what);
  }

  /** Merges a change into the state, the first time it is called with one. */
  #mergeOnce(): (change: StateChange | undefined) => void {
    let merged = false;
    return (change) => {
      if (change === undefined || merged) return;
      merged = true;
      this.#state = applyChange(this.#state, change) as JsonObject;
    };
  }

  /** Runs a method's own work and asks for a person's feedback on it. */
  async #method(
    scope: RunScope,
    {
      name,
      value,
      merge,
    }: {
      name: string;
      value: JsonValue | undefined;
      merge: (change: StateChange | undefined) => void;
    },
  ): Promise<MethodRecord> {
    const feedback = this.#flow.definition.methods[name]?.humanFeedback;
    const params = await hookedParams(scope, this.#hooks, { methodName: name, value });
    if (feedback === undefined) {
      const { value: returned, change } = await this.#body(scope, name, params);
      const result = await hookedOutput(scope, this.#hooks, { methodName: name, value: returned });
      const isPlainRouter = this.#flow.definition.methods[name]?.router === true;
      const label = isPlainRouter ? this.#labelOf(name, result) : undefined;
      return {
        value: result,
        ...(change === undefined ? undefined : { change }),
        ...(label === undefined ? undefined : { label }),
      };
    }
    const done = await scope
      .at("body")
      .group("group", (inside) => this.#body(inside, name, params));
    merge(done.change); // the flow goes on while the person thinks
    const result = await askFeedback(scope, {
      feedback,
      methodName: name,
      output: done.value,
      prompts: this.#flow.prompts,
    });
    const returned = result.outcome ?? result;
    const hooked = await hookedOutput(scope, this.#hooks, { methodName: name, value: returned });
    return result.outcome === null || typeof hooked !== "string"
      ? { ...done, value: hooked, feedback: result }
      : { ...done, value: result.output, label: hooked, feedback: result };
  }

  async #body(
    scope: RunScope,
    method: string,
    value: JsonValue | undefined,
  ): Promise<MethodRecord> {
    const before = this.#state;
    const call: MethodCall = {
      state: toJson(before) as JsonObject,
      value,
      inputs: this.#inputs,
      feedback: this.#feedback,
      outputs: this.#outputs,
      scope,
      methodName: method,
      inputProvider: this.#flow.inputProvider,
      memory: new MethodMemory(scope, this.#flow),
    };
    let returned: unknown;
    try {
      returned = await currentCall.run(call, () =>
        scope.run(async () => this.#flow.run(method, call)),
      );
    } finally {
      if (call.memory.isUsed) await call.memory.drain();
    }
    const after = toJson(call.state, "state") as JsonObject;
    const change = changeOf(before, after);
    if (change !== undefined) checkState(this.#flow.schema, after, method);
    return {
      value: toJson(returned, "the result"),
      ...(change === undefined ? undefined : { change }),
    };
  }

  /**
   * The label that a router's result stands for; undefined for null. `true` and `false` also match `True` and `False`;
   * for the output of a crew or an agent the label is its text.
   */
  #labelOf(method: string, returned: JsonValue): string | undefined {
    if (returned === null) return undefined;
    const raw = isJsonObject(returned) ? returned["raw"] : undefined;
    const result = typeof raw === "string" ? raw.trim() : returned;
    if (typeof result === "object")
      throw new EngineError(
        "invalid_input",
        `router ${method} must return a label: a text, a number, a boolean or null; got ${preview(result)}`,
      );
    const label = String(result);
    const capital = label.charAt(0).toUpperCase() + label.slice(1);
    const { subscribersOf, compat } = this.#flow.graph;
    if (typeof result !== "boolean") return label;
    return compat || (!subscribersOf.has(label) && subscribersOf.has(capital)) ? capital : label;
  }
}
