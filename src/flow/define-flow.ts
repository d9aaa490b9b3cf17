// Flows without decorators: a plain object of methods.
import type * as z from "zod";
import type { MemoryGiven } from "../agent/memory-kit.ts";
import { mergePrompts, type PromptOverrides } from "../agent/prompts.ts";
import type { FlowStore } from "../base/flow-store.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Hook } from "../hooks/hook.ts";
import { BuiltFlow } from "./built-flow.ts";
import type { Conversational } from "./conversational/conversational.ts";
import { configField, type FlowConfig, type MethodDefinition } from "./flow-definition.ts";
import type { InputProvider } from "./input-provider.ts";
import { MethodContext, type FlowContext } from "./method-context.ts";
import type { MethodCall } from "./run-flow.ts";

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
    Object.entries(methods).map(([method, { run: _run, ...definition }]) => [method, definition]),
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
    run: (method: string, call: MethodCall) => methods[method]?.run(new MethodContext(call)),
  };
  const { conversational } = options;
  const owns = (method: string): boolean => Object.hasOwn(methods, method);
  return new BuiltFlow(flow, { conversational, owns });
}
