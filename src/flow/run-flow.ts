// One execution of a flow, as durable steps.
//
//   RF1. A method is a step: finished, it replays as one row, which holds its result and what it did to the state.
//   RF2. A method works on a copy of the state as it was when the method began. What it changed is merged into the flow's
//        state when it ends (see state-change.ts): parallel methods do not see each other half done, with or without a crash.
//   RF3. The result of a flow is that of the method that ended last.
//   RF4. The n-th execution of a method has the key `method:<name>`, from the second on with `~<n>`.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Prompts } from "../agent/prompts.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, toJson, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { askFeedback, type HumanFeedbackResult } from "./feedback.ts";
import { FlowCourse, type MethodResult } from "./flow-course.ts";
import type { FlowDefinition } from "./flow-definition.ts";
import type { FlowPlan } from "./flow-plan.ts";
import { checkState, initialState, type StateSchema } from "./flow-state.ts";
import { applyChange, changeOf, type StateChange } from "./state-change.ts";

/** What of a flow a run needs. */
export type RunnableFlow = {
  readonly definition: FlowDefinition;
  readonly plan: FlowPlan;
  readonly schema: StateSchema;
  /** The state before the inputs. */
  readonly initial: JsonObject;
  readonly prompts: Prompts;
  readonly run: (method: string, call: MethodCall) => unknown;
};

/** One execution of a method. */
export type MethodCall = {
  /** The method's own copy of the state; what it holds at the end counts. */
  state: JsonObject;
  /** What woke the method: the result of the method or the label that it listens to. Undefined for a start. */
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  /** What people have said in this execution so far. */
  readonly feedback: readonly HumanFeedbackResult[];
  /** What each method gave that had ended when this one began; where a person looked at it, their feedback with it. */
  readonly outputs: JsonObject;
  readonly scope: RunScope;
};

/** What a flow gave. */
export type FlowRecord = { readonly value: JsonValue; readonly state: JsonObject };

/** A method's row. */
type MethodRecord = {
  readonly value: JsonValue;
  readonly change?: StateChange;
  readonly label?: string;
  readonly feedback?: HumanFeedbackResult;
};

/** The method whose code is running. */
export const currentCall = new AsyncLocalStorage<MethodCall>();

/** Runs a flow at `scope`. */
export async function runFlow(
  scope: RunScope,
  flow: RunnableFlow,
  inputs: JsonObject,
): Promise<FlowRecord> {
  const flowName = flow.definition.name;
  const state = initialState(flow, inputs, scope.at("state").uuid());
  const inner = scope.open("flow_started", { flowName, inputs });
  try {
    const record = await new FlowExecution(inner, flow, { inputs, state }).run();
    scope.emit("flow_finished", { flowName, result: record.value, state: record.state });
    return record;
  } catch (error) {
    scope.emit("flow_failed", { flowName, error: errorMessage(error) });
    throw error;
  }
}

class FlowExecution {
  readonly #scope: RunScope;
  readonly #flow: RunnableFlow;
  readonly #inputs: JsonObject;
  #state: JsonObject;
  #value: JsonValue = null;
  readonly #feedback: HumanFeedbackResult[] = [];
  #outputs: JsonObject = {};

  constructor(
    scope: RunScope,
    flow: RunnableFlow,
    { inputs, state }: { inputs: JsonObject; state: JsonObject },
  ) {
    this.#scope = scope;
    this.#flow = flow;
    this.#inputs = inputs;
    this.#state = state;
  }

  async run(): Promise<FlowRecord> {
    await new FlowCourse(this.#flow.plan, (name, value) => this.#execute(name, value)).run();
    return { value: this.#value, state: this.#state };
  }

  async #execute(methodName: string, value: JsonValue | undefined): Promise<MethodResult> {
    const named = { flowName: this.#flow.definition.name, methodName };
    const place = this.#scope.atNext(`method:${methodName}`);
    const merge = this.#mergeOnce();
    let record: MethodRecord;
    try {
      record = await place.group<MethodRecord>("group", (inside) => {
        const inner = inside.open("method_execution_started", {
          ...named,
          ...(value === undefined ? undefined : { params: { _0: value } }),
          state: this.#state,
        });
        return this.#method(inner, { name: methodName, value, merge });
      });
    } catch (error) {
      place.emit("method_execution_failed", { ...named, error: errorMessage(error) });
      throw error;
    }
    merge(record.change);
    const { label, feedback } = record;
    this.#value = record.value;
    if (feedback !== undefined) this.#feedback.push(feedback);
    this.#outputs = {
      ...this.#outputs,
      [methodName]: (feedback as JsonObject | undefined) ?? record.value,
    };
    place.emit("method_execution_finished", {
      ...named,
      result: label ?? record.value,
      state: this.#state,
    });
    if (label === undefined) return { value: record.value };
    return feedback === undefined
      ? { value: record.value, label: { name: label, value: record.value } }
      : {
          value: label,
          label: { name: label, value: feedback, isFeedback: true },
        };
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

  /** A method's own work, and what a person says of it. */
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
    if (feedback === undefined) return this.#body(scope, name, value);
    const done = await scope.at("body").group("group", (inside) => this.#body(inside, name, value));
    merge(done.change); // the flow goes on while the person thinks
    const result = await askFeedback(scope, {
      feedback,
      methodName: name,
      output: done.value,
      prompts: this.#flow.prompts,
    });
    return result.outcome === null
      ? { ...done, value: result as unknown as JsonValue, feedback: result }
      : { ...done, label: result.outcome, feedback: result };
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
    };
    const returned = await currentCall.run(call, () =>
      scope.run(async () => this.#flow.run(method, call)),
    );
    const after = toJson(call.state, "state") as JsonObject;
    const change = changeOf(before, after);
    if (change !== undefined) checkState(this.#flow.schema, after, method);
    const result = toJson(returned, "the result");
    const isPlainRouter = this.#flow.definition.methods[method]?.router === true;
    const label = isPlainRouter ? this.#labelOf(method, result) : undefined;
    return {
      value: result,
      ...(change === undefined ? undefined : { change }),
      ...(label === undefined ? undefined : { label }),
    };
  }

  /**
   * The label that a router's result stands for; undefined for null. `true` and `false` are heard as `True` and `False` too;
   * of what a crew or an agent gave it is the text.
   */
  #labelOf(method: string, given: JsonValue): string | undefined {
    if (given === null) return undefined;
    const raw = isJsonObject(given) ? given["raw"] : undefined;
    const result = typeof raw === "string" ? raw.trim() : given;
    if (typeof result === "object")
      throw new EngineError(
        "invalid_input",
        `router ${method} must return a label: a text, a number, a boolean or null; got ${preview(result)}`,
      );
    const label = String(result);
    const capital = label.charAt(0).toUpperCase() + label.slice(1);
    const { audienceOf } = this.#flow.plan;
    return typeof result === "boolean" && !audienceOf.has(label) && audienceOf.has(capital)
      ? capital
      : label;
  }
}
