import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { ContentPart } from "../../llm/language-model.ts";

/** A tool as a foreign agent gets it. */
export type AdapterTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject;
  /** Answers with text for the model, also when the tool failed. */
  readonly call: (input: JsonObject) => Promise<string>;
};

/** Request to an agent of another framework, with its tools. */
export type AdapterRequest<Tools, Output> = {
  /** Text about the agent's identity, as in the prompts of Edgecrew's own agents. */
  readonly system: string;
  readonly prompt: string;
  /** Images and files of the user for the prompt. */
  readonly attachments: readonly ContentPart[];
  /** Result of `configureTools`. */
  readonly tools: Tools;
  /** Result of `configureStructuredOutput`; undefined for plain text. */
  readonly output: Output | undefined;
  /** The limit of the agent's model calls. */
  readonly maxIter: number;
  readonly signal: AbortSignal;
  /** The same on every repetition of this work. */
  readonly idempotencyKey: string;
};

/** Answer and usage of an agent of another framework. */
export type AdapterAnswer = {
  readonly text: string;
  /** Usage of the foreign agent's model calls, as far as it knows. */
  readonly usage?: Partial<Usage>;
  /**
   * Usage of model calls that were steps of this run. The run has counted them already; they also count for the work.
   */
  readonly usageOfRun?: Usage;
};

/**
 * Lets an agent of another framework (the AI SDK, OpenAI Agents, LangGraph) do tasks. Holds no state of a run:
 * `execute` receives the results of the two `configure` functions.
 */
export interface AgentAdapter<Tools = unknown, Output = unknown> {
  /** Puts our tools into the form of the framework. */
  configureTools(tools: readonly AdapterTool[]): Tools;
  /** Puts a JSON Schema for the answer into the form of the framework. The answer is checked against it afterwards. */
  configureStructuredOutput(schema: JsonObject): Output;
  /** Does the work. May be called again for the same work, with the same key, after a crash. */
  execute(request: AdapterRequest<Tools, Output>): Promise<AdapterAnswer>;
}
