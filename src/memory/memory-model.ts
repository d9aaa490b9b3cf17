import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";

/** What a memory asks a model: texts, and the shape of the answer. */
export type MemoryQuestion = {
  readonly system: string;
  readonly user: string;
  /** JSON Schema of the answer; without it the answer is text. */
  readonly schema?: JsonObject;
};

/**
 * How a memory asks a model: a step `llm` of the run at `place`, or a plain call outside of runs. The answer is JSON, not yet checked
 * against the schema, or a text. What it throws ends no save and no recall.
 */
export type MemoryModel = (
  question: MemoryQuestion,
  options: { readonly place: RunScope | undefined; readonly llm: ModelSpec | undefined },
) => Promise<JsonValue>;
