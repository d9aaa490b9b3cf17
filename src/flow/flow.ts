// Flows as code: classes whose methods are marked by decorators, or a plain object of methods.
import type * as z from "zod";
import { DEFAULT_PROMPTS, mergePrompts, type PromptOverrides } from "../agent/prompts.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-hooks.ts";
import { keySegment } from "../journal/step-key.ts";
import type { StepContext } from "../journal/step-spec.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/local-run.ts";
import type { RunHandle } from "../runtime/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { methodsOf } from "./decorators.ts";
import type { HumanFeedbackResult } from "./feedback.ts";
import { initialState } from "./flow-state.ts";
import { checkFlow, type FlowDefinition, type MethodDefinition } from "./flow-definition.ts";
import { planOf } from "./flow-plan.ts";
import { currentCall, runFlow, type MethodCall, type RunnableFlow } from "./run-flow.ts";

/** What a flow gave: the result of the method that ended last, and the state at the end. */
export type FlowOutput<State> = {
  readonly value: JsonValue;
  readonly state: State & { readonly id: string };
};

export type FlowKickoff = {
  /** Put into the state before the first method runs. */
  readonly inputs?: JsonObject;
};

/** A flow that can be run. A value: one serves any number of runs at once. */
export class BuiltFlow<State = JsonObject> {
  readonly definition: FlowDefinition;
  readonly #runnable: RunnableFlow;

  constructor(flow: Omit<RunnableFlow, "plan">) {
    checkFlow(flow.definition);
    this.definition = flow.definition;
    this.#runnable = { ...flow, plan: planOf(flow.definition) };
  }

  get name(): string {
    return this.definition.name;
  }

  /** What it is made of, for a flow that runs its methods in another way. */
  get parts(): RunnableFlow {
    return this.#runnable;
  }

  /** Itself: what it has in common with objects of flow classes. */
  get flow(): this {
    return this;
  }

  /** Runs the flow and answers what it gave. Inside another flow, a tool or a crew it joins the run that is under way. */
  async kickoff({ inputs = {} }: FlowKickoff = {}): Promise<FlowOutput<State>> {
    const scope = RunScope.current();
    const record =
      scope === undefined
        ? await this.#local(inputs, { services: servicesHere({}) }).outputUnattended()
        : await runFlow(
            scopeHere(scope.atNext(`flow:${keySegment(this.name)}`)),
            this.#runnable,
            inputs,
          );
    return record as unknown as FlowOutput<State>;
  }

  /** Starts a run in this process and returns its handle. */
  start({ inputs = {}, ...options }: FlowKickoff & LocalRunOptions = {}): RunHandle {
    return this.#local(inputs, { ...options, services: servicesHere(options.services ?? {}) });
  }

  /** Throws `invalid_input` with one issue for each input that does not fit the state. */
  checkKickoff(inputs: JsonObject): void {
    initialState(this.#runnable, inputs, "");
  }

  /** What a host runs for this flow. */
  program(): RunProgram {
    return {
      run: (scope, inputs) => runFlow(scope, this.#runnable, inputs),
      tasks: [],
    };
  }

  #local(inputs: JsonObject, options?: LocalRunOptions): LocalRun {
    return new LocalRun({ kind: "flow", name: this.name, inputs }, this.program(), options);
  }
}

/** What a method of `defineFlow` gets. */
export type FlowContext<State> = {
  /** The method's own copy of the state; what it holds at the end counts. */
  state: State & { id: string };
  /** The result of the method, or the label, that woke this one. */
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  /** What people have said in this execution so far. */
  readonly feedback: readonly HumanFeedbackResult[];
} & FlowTools;

/** A method of `defineFlow`: what wakes it, and what it does. */
export type FlowMethod<State> = MethodDefinition & {
  readonly run: (context: FlowContext<State>) => unknown;
};

export type FlowOptions<Schema extends z.ZodType<object>> = {
  readonly name: string;
  readonly description?: string;
  /** The shape of the state: a zod object. */
  readonly state?: Schema;
  /** Fields of the state before the inputs are put in. */
  readonly initial?: JsonObject;
  readonly methods: Readonly<Record<string, FlowMethod<z.output<Schema>>>>;
  readonly maxMethodCalls?: number;
  /** Replaces texts that are said to models. */
  readonly prompts?: PromptOverrides;
};

/** Defines a flow without decorators. Throws `invalid_definition` that names the method and what is wrong with it. */
export function defineFlow<Schema extends z.ZodType<object> = z.ZodType<Record<string, JsonValue>>>(
  options: FlowOptions<Schema>,
): BuiltFlow<z.output<Schema>> {
  const { name, description, state, initial = {}, methods, maxMethodCalls, prompts = {} } = options;
  const definitions = Object.fromEntries(
    Object.entries(methods).map(([method, given]) => {
      const { run: _, ...definition } = given;
      return [method, definition];
    }),
  );
  return new BuiltFlow({
    definition: {
      name,
      ...(description === undefined ? undefined : { description }),
      methods: definitions,
      ...(maxMethodCalls === undefined ? undefined : { config: { maxMethodCalls } }),
    },
    schema: state,
    initial,
    prompts: mergePrompts(prompts),
    run: (method, call) => methods[method]?.run(new CallContext(call)),
  });
}

export type AskOptions = {
  /** Proposals; other words are an answer too. */
  readonly choices?: readonly string[];
  /** After which the answer is null. @default no limit */
  readonly timeoutSeconds?: number;
  readonly metadata?: JsonObject;
};

/** What a method can do besides its own work. */
export type FlowTools = {
  /** Asks a person for a text; null when nobody answered in time. Nothing runs meanwhile. */
  readonly ask: (message: string, options?: AskOptions) => Promise<string | null>;
  /** Performs an effect of one's own once: its result is on record. */
  readonly step: <T>(name: string, action: (context: StepContext) => Promise<T>) => Promise<T>;
  /** A durable timer, in milliseconds. */
  readonly sleep: (name: string, delayMs: number) => Promise<void>;
};

function toolsOf({ scope }: MethodCall): FlowTools {
  return {
    step: (name, action) =>
      scope
        .at(keySegment(name))
        .step({ kind: "effect", run: (step, inside) => inside.run(() => action(step)) }),
    sleep: (name, delayMs) => scope.at(`sleep:${keySegment(name)}`).sleep(delayMs),
    ask: (message, options) => askPerson(scope.atNext("ask"), message, options),
  };
}

async function askPerson(
  scope: RunScope,
  message: string,
  { choices, timeoutSeconds, metadata = {} }: AskOptions = {},
): Promise<string | null> {
  scope.emit("flow_input_requested", { message, metadata });
  const answer = await scope.wait<JsonValue>({
    kind: "input",
    prompt: message,
    ...(choices === undefined ? undefined : { choices, freeText: true }),
    ...(timeoutSeconds === undefined
      ? undefined
      : { dueAtMs: scope.at("asked").now() + timeoutSeconds * 1000, otherwise: null }),
  });
  const response = answer === null || typeof answer === "string" ? answer : JSON.stringify(answer);
  scope.emit("flow_input_received", { message, response });
  return response;
}

/** What a method of `defineFlow` is handed; each tool is made when it is asked for, as most methods use none. */
class CallContext<State> implements FlowContext<State> {
  readonly #call: MethodCall;
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  readonly feedback: readonly HumanFeedbackResult[];

  constructor(call: MethodCall) {
    this.#call = call;
    this.value = call.value;
    this.inputs = call.inputs;
    this.feedback = call.feedback;
  }

  get state(): State & { id: string } {
    return this.#call.state as State & { id: string };
  }

  set state(state: State & { id: string }) {
    this.#call.state = state;
  }

  get ask(): FlowTools["ask"] {
    return toolsOf(this.#call).ask;
  }

  get step(): FlowTools["step"] {
    return toolsOf(this.#call).step;
  }

  get sleep(): FlowTools["sleep"] {
    return toolsOf(this.#call).sleep;
  }
}

/** The base of flow classes: `class Triage extends Flow(z.object({ ... })) { ... }`. */
export function Flow<Schema extends z.ZodType<object> = z.ZodType<Record<string, JsonValue>>>(
  schema?: Schema,
): new () => FlowObject<z.output<Schema>> {
  return class extends FlowObject<z.output<Schema>> {
    protected override schemaOfState(): z.ZodType<object> | undefined {
      return schema;
    }
  };
}

/** A flow as an object of a class. Its methods see the state of the run that they run in; the object itself holds none. */
export abstract class FlowObject<State> {
  #built: BuiltFlow<State> | undefined;

  /** The state, in a method: its own copy, of which what it holds at the end counts. */
  get state(): State & { id: string } {
    return this.#call("state").state as State & { id: string };
  }

  set state(state: State & { id: string }) {
    this.#call("state").state = state;
  }

  get inputs(): JsonObject {
    return this.#call("inputs").inputs;
  }

  /** Fields of the state before the inputs are put in. */
  protected initialState(): JsonObject {
    return {};
  }

  protected schemaOfState(): z.ZodType<object> | undefined {
    return undefined;
  }

  /** What people have said in this execution so far. */
  protected get feedback(): readonly HumanFeedbackResult[] {
    return this.#call("feedback").feedback;
  }

  /** See `FlowTools.ask`. */
  protected ask(message: string, options?: AskOptions): Promise<string | null> {
    return toolsOf(this.#call("ask")).ask(message, options);
  }

  /** Performs an effect of one's own once, however often the run is replayed. */
  protected step<T>(name: string, action: (context: StepContext) => Promise<T>): Promise<T> {
    return toolsOf(this.#call("step")).step(name, action);
  }

  /** A durable timer, in milliseconds. */
  protected sleep(name: string, delayMs: number): Promise<void> {
    return toolsOf(this.#call("sleep")).sleep(name, delayMs);
  }

  /** The flow that can be run; made once. Throws `invalid_definition` that names the method and what is wrong with it. */
  get flow(): BuiltFlow<State> {
    this.#built ??= new BuiltFlow<State>({
      definition: { name: this.constructor.name, methods: methodsOf(this) },
      schema: this.schemaOfState(),
      initial: this.initialState(),
      prompts: DEFAULT_PROMPTS,
      run: (method, { value }) => {
        const body = (this as unknown as Record<string, (value?: JsonValue) => unknown>)[method];
        return body?.call(this, value);
      },
    });
    return this.#built;
  }

  /** See `BuiltFlow.kickoff`. */
  kickoff(options?: FlowKickoff): Promise<FlowOutput<State>> {
    return this.flow.kickoff(options);
  }

  /** See `BuiltFlow.start`. */
  start(options?: FlowKickoff & LocalRunOptions): RunHandle {
    return this.flow.start(options);
  }

  #call(what: string): MethodCall {
    const call = currentCall.getStore();
    if (call !== undefined) return call;
    throw new EngineError(
      "conflict",
      `${what} of flow ${this.constructor.name} is there only while one of its methods runs: take it from the output of kickoff()`,
    );
  }
}
