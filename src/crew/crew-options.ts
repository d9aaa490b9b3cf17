import type { Agent } from "../agent/agent.ts";
import type { PromptOverrides } from "../agent/prompts.ts";
import type { StepCallback } from "../agent/step-callback.ts";
import type { JsonObject } from "../base/json.ts";
import type { Training } from "../base/training.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Task } from "./task.ts";
import type { CrewOutput, TaskOutput } from "./task-output.ts";

export type CrewOptions<Tasks extends readonly Task[] = readonly Task[]> = {
  /** @default "crew" */
  readonly name?: string;
  readonly agents?: readonly Agent[];
  /** Values of inputs that a run does not give. */
  readonly inputs?: JsonObject;
  /** Done in this order. */
  readonly tasks: Tasks;
  /** Lets agents reuse the results of equal tool calls within one run. @default false */
  readonly cache?: boolean;
  /** Model calls per minute of all agents together that have no limit of their own. Integer >= 1. @default no limit */
  readonly maxRpm?: number;
  /** No model call is made once the run has spent this much, in US dollars. */
  readonly maxCostUsd?: number;
  /** No model call is made once the run has used this many tokens. */
  readonly maxTokens?: number;
  /** Sends the models' words to whoever listens as they come. @default false */
  readonly stream?: boolean;
  /** Replaces texts that are said to models, for all agents; an agent's own come on top. */
  readonly prompts?: PromptOverrides;
  /**
   * What people taught the crew: the name it is kept under, `true` for the crew's own name, or what `train()` gave. A name that
   * nothing is kept under teaches nothing.
   * @default false
   */
  readonly trained?: boolean | string | Training;
  /** The model that `chat()` talks with. @default the environment's model */
  readonly chatLlm?: ModelSpec;
  /** Each gets the inputs and returns those that count. Called once per run, also when it is replayed. */
  readonly beforeKickoff?: ReadonlyArray<(inputs: JsonObject) => JsonObject | Promise<JsonObject>>;
  /** Each gets the output, with its objects as plain JSON, and returns the one that counts. Called once per run. */
  readonly afterKickoff?: ReadonlyArray<(output: CrewOutput) => CrewOutput | Promise<CrewOutput>>;
  /** For tasks without a callback of their own. */
  readonly taskCallback?: (output: TaskOutput) => unknown;
  /** For agents without a callback of their own. */
  readonly stepCallback?: StepCallback;
};
