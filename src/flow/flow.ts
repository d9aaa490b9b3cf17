// Flows as classes, with methods marked by decorators.
import type * as z from "zod";
import type { MemoryOption } from "../memory/memory-service.ts";
import { DEFAULT_PROMPTS, mergePrompts, type PromptOverrides } from "../agent/prompts/prompts.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Hook } from "../hooks/hook.ts";
import type { LocalRunOptions } from "../runtime/handle/local-run.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import type { RunStream } from "../runtime/handle/run-stream.ts";
import { BuiltFlow, type FlowKickoff, type FlowOutput, type PlotOptions } from "./built-flow.ts";
import type { TurnOptions, TurnStream } from "./conversational/conversation.ts";
import type { ConversationTools } from "./conversational/conversation-tools.ts";
import type { Conversational } from "./conversational/conversational-decorator.ts";
import type { TurnOutput } from "./conversational/run-turn.ts";
import { conversingAs, isPersisting, methodsOf } from "./decorators.ts";
import type { HumanFeedbackResult } from "./feedback.ts";
import { configField } from "./flow-definition.ts";
import type { FlowReplay } from "./flow-replay.ts";
import type { InputProvider } from "./input-provider.ts";
import { conversationOf } from "./method-context.ts";
import { MethodTools } from "./method-tools.ts";
import type { NumberField } from "./state-copy.ts";
import type { FlowPersistence } from "./own-store.ts";
import { currentCall, runInCall, type MethodCall } from "./method-call.ts";
import type { FlowRecord } from "./run-flow.ts";

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

/** A flow as an object of a class. Its methods see the state of their run; the object itself holds none. */
export abstract class FlowObject<State> {
  #built: BuiltFlow<State> | undefined;
  /** Names the flow in events and stored states. @default the name it is registered under, else the class name */
  readonly name: string | undefined;
  /** Store of states; see `FlowOptions.persistence`. @default the deployment's store */
  readonly persistence: FlowPersistence | undefined;
  /** Maximum number of calls of one method in one execution; more fail the flow with `limit_exceeded`. @default 100 */
  readonly maxMethodCalls: number | undefined;
  /** Leaves out the events of methods; those of the flow itself are still emitted. @default false */
  readonly suppressFlowEvents: boolean | undefined;
  /** Hooks of this flow, called after the deployment's; see `on()`. @default [] */
  readonly hooks: readonly Hook[] | undefined;
  /** Code to answer `ask` in place of a person. @default the run waits for a person */
  readonly inputProvider: InputProvider | undefined;
  /** Replaces single texts of `DEFAULT_PROMPTS`. @default {} */
  readonly prompts: PromptOverrides | undefined;
  /** Memory of its methods; see `FlowOptions.memory`. */
  readonly memory: MemoryOption | undefined;
  /** `"crewai"` follows CrewAI where Edgecrew's rules differ; docs/flows.md lists the differences. @default none */
  readonly compat: "crewai" | undefined;
  /** Makes the flow conversational: `conversational({ … })`, which is a class decorator too. @default none */
  readonly conversational: Conversational | undefined;

  /** State, inside a method: its own copy, whose content at the end counts. */
  get state(): State & { id: string } {
    return this.#call("state").copy.state as State & { id: string };
  }

  set state(state: State & { id: string }) {
    this.#call("state").copy.state = state;
  }

  get inputs(): JsonObject {
    return this.#call("inputs").inputs;
  }

  /** See `MethodContext.add`. */
  protected add(
    field: NumberField<State> | readonly [keyof State & string, ...string[]],
    amount?: number,
  ): number {
    return this.#call("add").copy.add(field, amount);
  }

  /** Fields of the state before the inputs are put in. */
  protected initialState(): JsonObject {
    return {};
  }

  protected schemaOfState(): z.ZodType<object> | undefined {
    return undefined;
  }

  /** Feedback of people in this execution so far. */
  protected get feedback(): readonly HumanFeedbackResult[] {
    return this.#call("feedback").feedback;
  }

  /** The conversation, in a turn of a conversational flow. */
  protected get conversation(): ConversationTools {
    return conversationOf(this.#call("conversation"));
  }

  /** See `MethodTools.ask`. */
  protected get ask(): MethodTools["ask"] {
    return this.#tools("ask").ask;
  }

  /** See `MethodTools.step`. */
  protected get step(): MethodTools["step"] {
    return this.#tools("step").step;
  }

  /** See `MethodTools.sleep`. */
  protected get sleep(): MethodTools["sleep"] {
    return this.#tools("sleep").sleep;
  }

  /** See `MethodTools.sleepUntil`. */
  protected get sleepUntil(): MethodTools["sleepUntil"] {
    return this.#tools("sleepUntil").sleepUntil;
  }

  /** See `MethodTools.waitForEvent`. */
  protected get waitForEvent(): MethodTools["waitForEvent"] {
    return this.#tools("waitForEvent").waitForEvent;
  }

  /** See `MethodTools.messages`. */
  protected get messages(): MethodTools["messages"] {
    return this.#tools("messages").messages;
  }

  /** See `MethodTools.remember`. */
  protected get remember(): MethodTools["remember"] {
    return this.#tools("remember").remember;
  }

  /** See `MethodTools.recall`. */
  protected get recall(): MethodTools["recall"] {
    return this.#tools("recall").recall;
  }

  /** See `MethodTools.extractMemories`. */
  protected get extractMemories(): MethodTools["extractMemories"] {
    return this.#tools("extractMemories").extractMemories;
  }

  /** Runnable form of the flow; made once. Throws `invalid_definition` and names the method and its fault. */
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
        run: (method, call) => runInCall(call, () => methods[method]?.call(this, call.value)),
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
  startTurn(message: string, options?: TurnOptions & LocalRunOptions): RunHandle<TurnOutput> {
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
  replay(
    run: RunHandle,
    options: FlowReplay & Omit<LocalRunOptions, "id">,
  ): Promise<RunHandle<FlowRecord>> {
    return this.flow.replay(run, options);
  }

  /** See `BuiltFlow.start`. */
  start(options?: FlowKickoff & LocalRunOptions): RunHandle<FlowRecord> {
    return this.flow.start(options);
  }

  /** See `BuiltFlow.plot`. */
  plot(options?: PlotOptions): Promise<string> {
    return this.flow.plot(options);
  }

  #tools(tool: string): MethodTools {
    return new MethodTools(this.#call(tool));
  }

  #call(what: string): MethodCall {
    const call = currentCall();
    if (call !== undefined) return call;
    throw new EngineError(
      "conflict",
      `${what} of flow ${this.constructor.name} is available only while one of its methods runs: read it from the output of kickoff()`,
    );
  }
}
