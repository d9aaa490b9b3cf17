// Behaviour of Gemini's and Bedrock's models over their own APIs, like model-rows.ts for all others.
import type { ModelRow } from "./model-rows.ts";

/** Differences between these models, each read at one place. */
export type NativeBehaviour =
  /** Converse holds the model to a schema. */
  | "converse_schema"
  /** Converse caches prompts of the model up to a mark. */
  | "converse_caches"
  /** The first call of a turn has to be signed. */
  | "signed_calls"
  /** Thinking has a budget instead of a level. */
  | "thinking_budget";

export const NATIVE_ROWS: readonly ModelRow<NativeBehaviour>[] = [
  {
    id: "bedrock-schema",
    behaviour: "converse_schema",
    models:
      /claude-[a-z]+-(?:4-[5-9]|[5-9])|gpt-oss|qwen3|deepseek\.v3|gemma-3|mistral-large-3|ministral|magistral|voxtral|kimi|minimax|nemotron/,
  },
  {
    id: "bedrock-caches",
    behaviour: "converse_caches",
    models: /claude-(?:3-7|3-5-haiku|[a-z]+-[4-9])|\bnova-/,
  },
  { id: "gemini-signatures", behaviour: "signed_calls", models: /gemini-(?:[3-9]|\d\d)/ },
  { id: "gemini-budgets", behaviour: "thinking_budget", models: /gemini-[12]\b/ },
];

/** True for a model with this behaviour, by its name. */
export function behaves(model: string, behaviour: NativeBehaviour): boolean {
  return NATIVE_ROWS.some((row) => row.behaviour === behaviour && row.models.test(model));
}
