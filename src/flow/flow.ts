// Flows as code: classes whose methods are marked by decorators, or a plain object of methods.
import type * as z from "zod";
import type { FlowMemory, MemoryGiven } from "../agent/memory-kit.ts";
import { checkSources } from "../agent/agent-sources.ts";
import { DEFAULT_PROMPTS, mergePrompts, type PromptOverrides } from "../agent/prompts.ts";
import { EngineError } from "../base/error.ts";
import { flowPart } from "./flow-part.ts";
import type { FlowStore } from "../base/flow-store.ts";
import { preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import { checkHooks, type Hook } from "../hooks/hook.ts";
import type { RememberOptions } from "../memory/memory-view.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-hooks.ts";
import { keySegment } from "../journal/step-key.ts";
import type { StepContext } from "../journal/step-spec.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/local-run.ts";
import { OutsideEvents } from "../runtime/outside-events.ts";
import type { RunHandle } from "../runtime/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { RunStream } from "../runtime/run-stream.ts";
import type { Conversation, TurnOptions, TurnStream } from "./conversational/conversation.ts";
import type { ConversationTools } from "./conversational/conversation-tools.ts";
import type { Conversational } from "./conversational/conversational.ts";
import type { TurnOutput } from "./conversational/run-turn.ts";
import { conversingAs, isPersisting, methodsOf } from "./decorators.ts";
import type { HumanFeedbackResult } from "./feedback.ts";
import { checkStart } from "./flow-state.ts";
import {
  checkFlow,
  type FlowConfig,
  type FlowDefinition,
  type MethodDefinition,
} from "./flow-definition.ts";
import { replayFlow, type FlowCheckpoint, type FlowReplay } from "./flow-replay.ts";
import { restoreEntry } from "./restore-entry.ts";
import { restoredFrom, type FlowStart } from "./flow-persistence.ts";
import { planOf } from "./flow-plan.ts";
import {
  askProvider,
  sleepUntil,
  waitForEvent,
  type EventWait,
  type InputProvider,
} from "./flow-tools.ts";
import type { Picture, PlotFormat, PlotRequest } from "./plot/picture.ts";
import { currentCall, runFlow, type MethodCall, type RunnableFlow } from "./run-flow.ts";

/** What a flow gave: the result of the method that ended last, and the state at the end. */
export type FlowOutput<State> = {
  readonly value: JsonValue;
  readonly state: State & { readonly id: string };
};

export type FlowKickoff = {
  /** Put into the state before the first method runs. With an `id`, a flow that persists goes on with the state kept under it. */
  readonly inputs?: JsonObject;
  /** Begins with the newest state kept under this flow id, under an id of its own: `inputs.id`, or a new one. */
  readonly restoreFromStateId?: string;
  /** Goes on from a checkpoint of another run of this flow, in a run of its own. Not together with `restoreFromStateId`. */
  readonly fromCheckpoint?: FlowCheckpoint;
};

export type PlotOptions = {
  /** @default "html" */
  readonly format?: PlotFormat;
};

/** A flow that can be run. A value: one serves any number of runs at once. */
export class BuiltFlow<State = JsonObject> {
  readonly definition: FlowDefinition;
  /** What can be done with a flow that takes turns; undefined for others. */
  readonly conversation: Conversation | undefined;
  readonly #runnable: RunnableFlow;
  readonly #given: Omit<RunnableFlow, "plan">;
  readonly #turns: Turns | undefined;

  constructor(given: Omit<RunnableFlow, "plan">, turns?: Turns) {
    this.#given = given;
    this.#turns = turns;
    const conversational = conversationalOf(turns?.conversational, given.definition.name);
    const flow = conversational?.extend(given) ?? given;
    checkFlow(flow.definition);
    checkHooks(flow.hooks as readonly Hook[] | undefined, `flow "${flow.definition.name}"`);
    checkSources({ memory: flow.memory }, `flow "${flow.definition.name}"`);
    this.definition = flow.definition;
    this.#runnable = { ...flow, plan: planOf(flow.definition) };
    this.conversation = conversational?.open(this.#runnable, turns?.owns ?? (() => false));
  }

  get name(): string {
    return this.definition.name;
  }

  /** What it is made of, for a flow that runs its methods in another way. */
  get parts(): RunnableFlow {
    return this.#runnable;
  }

  /** The flow by the name that it is found under, where its own is only that of a class: minifiers change those. */
  registeredAs(name: string): BuiltFlow<State> {
    const { isUnnamed, definition } = this.#given;
    if (isUnnamed !== true || definition.name === name) return this;
    const named = { ...this.#given, definition: { ...definition, name } };
    return new BuiltFlow<State>(named, this.#turns);
  }

  /** Itself: what it has in common with objects of flow classes. */
  get flow(): this {
    return this;
  }

  /** Runs the flow and answers what it gave. Inside another flow, a tool or a crew it joins the run that is under way. */
  async kickoff(kickoff: FlowKickoff & LocalRunOptions = {}): Promise<FlowOutput<State>> {
    const scope = RunScope.current();
    if (scope !== undefined && kickoff.fromCheckpoint !== undefined)
      throw new EngineError(
        "conflict",
        "a checkpoint of another run cannot be gone on from inside a run: use replay() outside of it",
      );
    if (scope === undefined) {
      const run = await this.#begun(kickoff);
      return (await run.outputUnattended()) as unknown as FlowOutput<State>;
    }
    const place = scopeHere(scope.atNext(`flow:${keySegment(this.name)}`));
    const record =
      this.conversation === undefined
        ? await runFlow(place, this.#runnable, startOf(kickoff))
        : await this.conversation.program().run(place, startOf(kickoff).inputs);
    return record as unknown as FlowOutput<State>;
  }

  /** Starts a run in this process and returns its handle. */
  start({ fromCheckpoint, ...kickoff }: FlowKickoff & LocalRunOptions = {}): RunHandle {
    if (fromCheckpoint !== undefined)
      throw new EngineError(
        "invalid_input",
        "start() begins a run anew: use replay() or kickoff() to go on from a checkpoint",
      );
    return this.#local(startOf(kickoff), this.#localOptions(kickoff));
  }

  /** The words that its models say, and at last what it gave. The run starts in this process when the stream is first read. */
  stream(kickoff: FlowKickoff & LocalRunOptions = {}): RunStream<FlowOutput<State>> {
    return new RunStream(
      () => this.start(kickoff),
      (output) => output as unknown as FlowOutput<State>,
    );
  }

  /**
   * Goes on from where another run of this process was: what was on record when a method began, or at a checkpoint, is taken over.
   * A new run with a state id of its own, and its handle.
   */
  replay(run: RunHandle, options: FlowReplay & Omit<LocalRunOptions, "id">): Promise<RunHandle> {
    return replayFlow(this, run, options);
  }

  /** Throws `invalid_input` with one issue for each input that does not fit the state. What a restored state may have is not missed. */
  checkKickoff(inputs: JsonObject, restoreFromStateId?: string): void {
    if (this.conversation !== undefined) return this.conversation.checkKickoff(inputs);
    const restores = restoredFrom(this.#runnable, { inputs, restoreFromStateId }) !== undefined;
    checkStart(this.#runnable, inputs, { restores });
  }

  /** Takes a turn of a conversation. Inside another flow, a tool or a crew it joins the run that is under way. */
  handleTurn(message: string, options?: TurnOptions & LocalRunOptions): Promise<TurnOutput> {
    return talking(this).handleTurn(message, options);
  }

  /** Starts a turn as a run in this process and returns its handle: for turns that wait for people. */
  startTurn(message: string, options?: TurnOptions & LocalRunOptions): RunHandle {
    return talking(this).startTurn(message, options);
  }

  /** A turn's frames as they come, the words of models among them. */
  streamTurn(message: string, options?: TurnOptions & LocalRunOptions): TurnStream {
    return talking(this).streamTurn(message, options);
  }

  /** The store of the flow's own, where it has one. */
  get persistence(): FlowStore | undefined {
    return this.#runnable.persistence;
  }

  /** Makes the part that a Worker needs to run flows: it comes along with the flows, and is in no Worker without any. */
  get part(): typeof flowPart {
    return flowPart;
  }

  /** What a host runs for this flow. `entry` is what the run was started with beside its inputs. */
  program(entry?: JsonObject): RunProgram {
    if (this.conversation !== undefined) return this.conversation.program(entry);
    const { restoreFromStateId } = (entry ?? {}) as { restoreFromStateId?: string };
    return {
      run: (scope, inputs) => runFlow(scope, this.#runnable, { inputs, restoreFromStateId }),
      outsideEvents: (host) => new OutsideEvents(host),
      tasks: [],
    };
  }

  /** The flow as a picture: a page with everything in it, an SVG, Mermaid's text, or its structure as JSON. */
  async plot({ format = "html" }: PlotOptions = {}): Promise<string> {
    return (await this.picture({ format })).body;
  }

  /** A picture as the API sends it, of the flow, of a run of it, or `locked`: a page that asks for a key. */
  async picture(request: PlotRequest | "locked"): Promise<Picture> {
    const { drawPicture, lockedPicture } = await import("./plot/picture.ts");
    return request === "locked" ? lockedPicture() : drawPicture(this.definition, request);
  }

  async #begun(kickoff: FlowKickoff & LocalRunOptions): Promise<LocalRun> {
    const { fromCheckpoint, inputs, restoreFromStateId } = kickoff;
    if (fromCheckpoint === undefined)
      return this.#local(startOf(kickoff), this.#localOptions(kickoff));
    refuseBoth(restoreFromStateId);
    const { run, checkpoint } = fromCheckpoint;
    const point = checkpoint === undefined ? {} : { fromCheckpoint: checkpoint };
    return replayFlow(this, run, { ...this.#localOptions(kickoff), ...point, inputs });
  }

  #localOptions(kickoff: FlowKickoff & LocalRunOptions): LocalRunOptions {
    const { inputs: _, restoreFromStateId: __, fromCheckpoint: ___, ...options } = kickoff;
    return { ...options, services: servicesHere(options.services ?? {}) };
  }

  #local(start: FlowStart, options: LocalRunOptions): LocalRun {
    const { inputs, restoreFromStateId } = start;
    const entry = restoreFromStateId === undefined ? undefined : restoreEntry(restoreFromStateId);
    const begin = { kind: "flow" as const, name: this.name, inputs };
    return new LocalRun(
      entry === undefined ? begin : { ...begin, entry },
      this.program(entry),
      options,
    );
  }
}

/** What makes a flow take turns, and which methods it has itself. */
type Turns = {
  readonly conversational: Conversational | undefined;
  readonly owns: (method: string) => boolean;
};

function conversationalOf(given: unknown, flow: string): Conversational | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "function" && "extend" in given) return given as Conversational;
  throw new EngineError(
    "invalid_definition",
    `flow "${flow}": conversational must be what conversational({ ... }) of edgecrew/flow gives, got ${preview(given)}`,
  );
}

function talking({
  conversation,
  name,
}: {
  readonly conversation: Conversation | undefined;
  readonly name: string;
}): Conversation {
  if (conversation !== undefined) return conversation;
  throw new EngineError(
    "conflict",
    `flow "${name}" takes no turns: make it conversational with conversational() of edgecrew/flow, or kick it off`,
  );
}

function startOf({ inputs = {}, restoreFromStateId }: FlowKickoff): FlowStart {
  return { inputs, restoreFromStateId };
}

/** Throws `invalid_input` when a state is named beside a checkpoint. */
function refuseBoth(restoreFromStateId: string | undefined): void {
  if (restoreFromStateId === undefined) return;
  throw new EngineError(
    "invalid_input",
    `fromCheckpoint and restoreFromStateId exclude each other: the first goes on with a run, the second begins with a state; got restoreFromStateId ${preview(restoreFromStateId)} beside a checkpoint`,
  );
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
  /** In turns of a conversational flow. */
  readonly conversation: ConversationTools;
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
  /** Saves the state after every method, and restores it by `inputs.id`. @default as each method says */
  readonly persist?: boolean;
  /** Where the states are kept. @default the deployment's */
  readonly persistence?: FlowStore;
  /** Code that steps in, after the deployment's; see `on()`. */
  readonly hooks?: readonly Hook[];
  /** Answers `ask`. @default the run waits for a person */
  readonly inputProvider?: InputProvider;
  readonly suppressFlowEvents?: FlowConfig["suppressFlowEvents"];
  readonly compat?: FlowConfig["compat"];
  /** What its methods remember: a `Memory` of `edgecrew/memory`, or settings. @default one that the deployment makes at `/flow/<name>` */
  readonly memory?: MemoryGiven | undefined;
  /** Makes it take turns: `conversational({ ... })`. */
  readonly conversational?: Conversational;
  /** Replaces texts that are said to models. */
  readonly prompts?: PromptOverrides;
};

/** Defines a flow without decorators. Throws `invalid_definition` that names the method and what is wrong with it. */
export function defineFlow<Schema extends z.ZodType<object> = z.ZodType<Record<string, JsonValue>>>(
  options: FlowOptions<Schema>,
): BuiltFlow<z.output<Schema>> {
  const { name, description, state, initial = {}, methods, persist, prompts = {} } = options;
  const definitions = Object.fromEntries(
    Object.entries(methods).map(([method, given]) => {
      const { run: _, ...definition } = given;
      return [method, definition];
    }),
  );
  const flow = {
    definition: {
      name,
      ...(description === undefined ? undefined : { description }),
      methods: definitions,
      ...(persist === undefined ? undefined : { persist }),
      ...configField(options),
    },
    persistence: options.persistence,
    hooks: options.hooks,
    inputProvider: options.inputProvider,
    memory: options.memory,
    schema: state,
    initial,
    prompts: mergePrompts(prompts),
    run: (method: string, call: MethodCall) => methods[method]?.run(new CallContext(call)),
  };
  const { conversational } = options;
  const owns = (method: string): boolean => Object.hasOwn(methods, method);
  return new BuiltFlow(flow, { conversational, owns });
}

/** What is set of a flow's configuration. */
function configField({
  maxMethodCalls,
  suppressFlowEvents,
  compat,
}: {
  readonly [Field in keyof FlowConfig]: FlowConfig[Field] | undefined;
}): Pick<FlowDefinition, "config"> {
  const config: FlowConfig = {
    ...(maxMethodCalls === undefined ? undefined : { maxMethodCalls }),
    ...(suppressFlowEvents === undefined ? undefined : { suppressFlowEvents }),
    ...(compat === undefined ? undefined : { compat }),
  };
  return Object.keys(config).length === 0 ? {} : { config };
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
  /** A durable timer up to a point in time. */
  readonly sleepUntil: (name: string, time: Date | string | number) => Promise<void>;
  /** Parks until an event of this name is sent to the run, and gives its payload. One that came before counts, too. */
  readonly waitForEvent: <Payload = JsonValue>(
    name: string,
    wait?: EventWait<Payload>,
  ) => Promise<Payload>;
} & Omit<FlowMemory, "drain">;

export function toolsOf(call: MethodCall): FlowTools {
  const { scope } = call;
  return {
    remember: (async (content: string, options?: RememberOptions) =>
      call.memory.get().remember(content, options)) as FlowMemory["remember"],
    recall: async (query, options) => call.memory.get().recall(query, options),
    extractMemories: async (content) => call.memory.get().extractMemories(content),
    sleepUntil: (name, time) => sleepUntil(scope, name, time),
    waitForEvent: (name, wait) => waitForEvent(scope, name, wait),
    step: (name, action) =>
      scope
        .at(keySegment(name))
        .step({ kind: "effect", run: (step, inside) => inside.run(() => action(step)) }),
    sleep: (name, delayMs) => scope.at(`sleep:${keySegment(name)}`).sleep(delayMs),
    ask: (message, options) => askPerson(call, message, options),
  };
}

async function askPerson(
  call: MethodCall,
  message: string,
  options: AskOptions = {},
): Promise<string | null> {
  const { choices, timeoutSeconds, metadata = {} } = options;
  const scope = call.scope.atNext("ask");
  scope.emit("flow_input_requested", { message, metadata });
  if (call.inputProvider !== undefined) {
    const { provided } = await askProvider(scope, call.inputProvider, {
      message,
      methodName: call.methodName,
      metadata,
      choices,
      timeoutSeconds,
    });
    scope.emit("flow_input_received", { message, ...provided });
    return provided.response;
  }
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

  get sleepUntil(): FlowTools["sleepUntil"] {
    return toolsOf(this.#call).sleepUntil;
  }

  get waitForEvent(): FlowTools["waitForEvent"] {
    return toolsOf(this.#call).waitForEvent;
  }

  get remember(): FlowTools["remember"] {
    return toolsOf(this.#call).remember;
  }

  get recall(): FlowTools["recall"] {
    return toolsOf(this.#call).recall;
  }

  get extractMemories(): FlowTools["extractMemories"] {
    return toolsOf(this.#call).extractMemories;
  }

  get conversation(): ConversationTools {
    return conversationOf(this.#call);
  }
}

/** Throws `conflict` outside turns. */
export function conversationOf({ conversation }: MethodCall): ConversationTools {
  if (conversation !== undefined) return conversation;
  throw new EngineError(
    "conflict",
    "conversation is there only in the turns of a conversational flow: see conversational()",
  );
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
  /** In events, and of its kept states. @default the name that it is registered by; without one, that of the class */
  readonly name: string | undefined;
  /** Where its states are kept. @default the deployment's */
  readonly persistence: FlowStore | undefined;
  /** How often one method may be woken in one execution. @default 100 */
  readonly maxMethodCalls: number | undefined;
  /** Leaves out the events of methods. @default false */
  readonly suppressFlowEvents: boolean | undefined;
  /** Code that steps in, after the deployment's; see `on()`. */
  readonly hooks: readonly Hook[] | undefined;
  /** Answers `ask`. @default the run waits for a person */
  readonly inputProvider: InputProvider | undefined;
  /** Replaces texts that are said to models. */
  readonly prompts: PromptOverrides | undefined;
  /** What its methods remember; see `FlowOptions.memory`. */
  readonly memory: MemoryGiven | undefined;
  /** Keeps to CrewAI's rules where ours are others. */
  readonly compat: "crewai" | undefined;
  /** Makes it take turns: `conversational({ ... })`, which is a decorator of the class as well. */
  readonly conversational: Conversational | undefined;

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

  /** The conversation, in a turn of a conversational flow. */
  protected get conversation(): ConversationTools {
    return conversationOf(this.#call("conversation"));
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

  /** A durable timer up to a point in time. */
  protected sleepUntil(name: string, time: Date | string | number): Promise<void> {
    return toolsOf(this.#call("sleepUntil")).sleepUntil(name, time);
  }

  /** See `FlowTools.waitForEvent`. */
  protected waitForEvent<Payload = JsonValue>(
    name: string,
    wait?: EventWait<Payload>,
  ): Promise<Payload> {
    return toolsOf(this.#call("waitForEvent")).waitForEvent(name, wait);
  }

  /** Saves one thing, or several; see `FlowTools.remember`. */
  protected get remember(): FlowMemory["remember"] {
    return toolsOf(this.#call("remember")).remember;
  }

  /** What is remembered on something, best first. */
  protected get recall(): FlowMemory["recall"] {
    return toolsOf(this.#call("recall")).recall;
  }

  /** Single statements that a text holds. */
  protected get extractMemories(): FlowMemory["extractMemories"] {
    return toolsOf(this.#call("extractMemories")).extractMemories;
  }

  /** The flow that can be run; made once. Throws `invalid_definition` that names the method and what is wrong with it. */
  get flow(): BuiltFlow<State> {
    const methods = this as unknown as Record<string, (value?: JsonValue) => unknown>;
    this.#built ??= new BuiltFlow<State>(
      {
        definition: {
          name: this.name ?? this.constructor.name,
          methods: methodsOf(this),
          ...(isPersisting(this) ? { persist: true } : undefined),
          ...configField(this),
        },
        isUnnamed: this.name === undefined,
        schema: this.schemaOfState(),
        initial: this.initialState(),
        prompts: this.prompts === undefined ? DEFAULT_PROMPTS : mergePrompts(this.prompts),
        persistence: this.persistence,
        hooks: this.hooks,
        inputProvider: this.inputProvider,
        memory: this.memory,
        run: (method, { value }) => methods[method]?.call(this, value),
      },
      {
        conversational: this.conversational ?? conversingAs(this),
        owns: (method) => typeof methods[method] === "function",
      },
    );
    return this.#built;
  }

  /** See `BuiltFlow.kickoff`. */
  kickoff(options?: FlowKickoff & LocalRunOptions): Promise<FlowOutput<State>> {
    return this.flow.kickoff(options);
  }

  /** See `BuiltFlow.startTurn`. */
  startTurn(message: string, options?: TurnOptions & LocalRunOptions): RunHandle {
    return this.flow.startTurn(message, options);
  }

  /** See `BuiltFlow.handleTurn`. */
  handleTurn(message: string, options?: TurnOptions & LocalRunOptions): Promise<TurnOutput> {
    return this.flow.handleTurn(message, options);
  }

  /** See `BuiltFlow.streamTurn`. */
  streamTurn(message: string, options?: TurnOptions & LocalRunOptions): TurnStream {
    return this.flow.streamTurn(message, options);
  }

  /** See `BuiltFlow.stream`. */
  stream(options?: FlowKickoff & LocalRunOptions): RunStream<FlowOutput<State>> {
    return this.flow.stream(options);
  }

  /** See `BuiltFlow.replay`. */
  replay(run: RunHandle, options: FlowReplay & Omit<LocalRunOptions, "id">): Promise<RunHandle> {
    return this.flow.replay(run, options);
  }

  /** See `BuiltFlow.start`. */
  start(options?: FlowKickoff & LocalRunOptions): RunHandle {
    return this.flow.start(options);
  }

  /** See `BuiltFlow.plot`. */
  plot(options?: PlotOptions): Promise<string> {
    return this.flow.plot(options);
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
