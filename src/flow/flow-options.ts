import type * as z from "zod";
import type { PromptOverrides } from "../agent/prompts/prompts.ts";
import type { JsonObject } from "../base/json.ts";
import type { Hook } from "../hooks/hook.ts";
import type { MemoryOption } from "../memory/memory-service.ts";
import type { Conversational } from "./conversational/conversational-decorator.ts";
import type { FlowConfig, MethodDefinition } from "./flow-definition.ts";
import type { InputProvider } from "./input-provider.ts";
import type { FlowContext } from "./method-context.ts";
import type { FlowPersistence } from "./own-store.ts";

/** Method of `defineFlow`: its conditions and its code. */
export type FlowMethod<State> = MethodDefinition & {
  readonly run: (context: FlowContext<State>) => unknown;
};

/** Options of a flow without a class. */
export type FlowOptions<Schema extends z.ZodType<object>> = {
  /** Names the flow in events and step keys, and is its name in `defineApp`. */
  readonly name: string;
  /** Description for people; shown by the API and in pictures of the flow. */
  readonly description?: string;
  /** The schema of the state, a zod object. It types `state` in all methods. @default any JSON object */
  readonly state?: Schema;
  /** Fields of the state before the inputs are merged in. @default {} */
  readonly initial?: JsonObject;
  /** The methods by name, such as `{ draft: { start: true, run: … }, send: { listen: "draft", run: … } }`. */
  readonly methods: Readonly<Record<string, FlowMethod<z.output<Schema>>>>;
  /**
   * Maximum number of calls of one method in one execution; more fail the flow with `limit_exceeded`. An integer >= 1.
   * @default 100
   */
  readonly maxMethodCalls?: number;
  /** Saves the state after every method, and restores it by `inputs.id`. @default the `persist` of each method */
  readonly persist?: boolean;
  /**
   * Store of states. A store serves tenant "default" alone; a function makes the store of each tenant, once.
   * @default the deployment's store
   */
  readonly persistence?: FlowPersistence;
  /** Hooks of this flow, called after the deployment's; see `on()`. @default [] */
  readonly hooks?: readonly Hook[];
  /** Code to answer `ask` in place of a person. @default the run waits for a person */
  readonly inputProvider?: InputProvider;
  /** Leaves out the events of methods; those of the flow itself are still emitted. @default false */
  readonly suppressFlowEvents?: FlowConfig["suppressFlowEvents"];
  /** `"crewai"` follows CrewAI where Edgecrew's rules differ; docs/flows.md lists the differences. @default none */
  readonly compat?: FlowConfig["compat"];
  /**
   * Memory of its methods: a `Memory` of `edgecrew/memory`, or settings. @default one made by the deployment at
   * `/flow/<name>`
   */
  readonly memory?: MemoryOption | undefined;
  /** Makes the flow conversational: `conversational({ … })`. @default none */
  readonly conversational?: Conversational;
  /** Replaces single texts of `DEFAULT_PROMPTS`. @default {} */
  readonly prompts?: PromptOverrides;
};
