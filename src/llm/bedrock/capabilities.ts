// Abilities of Bedrock's models by their names. Sources are the pages on structured outputs and on prompt caching of its user guide,
// looked up in November 2026. A model that is taken for able and is not refuses once; one that is not taken for able has other ways.

/** True for models that are held to a schema; all others get it as a tool. */
export function takesSchema(modelId: string): boolean {
  return /claude-(?:opus|sonnet|haiku|fable|mythos)-(?:4-[5-9]|[5-9])|gpt-oss|qwen3|deepseek\.v3|gemma-3|mistral-large-3|ministral|magistral|voxtral|kimi-k2|minimax-m2|nemotron/.test(
    modelId,
  );
}

/** True for models whose prompts may be cached up to a point. */
export function cachesPrompts(modelId: string): boolean {
  return /claude-(?:3-7|3-5-haiku|(?:opus|sonnet|haiku|fable|mythos)-[4-9])|\bnova-/.test(modelId);
}
