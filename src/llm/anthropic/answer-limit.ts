// Longest answers of Claude, which a request has to name: platform.claude.com/docs/en/about-claude/models, looked up in November 2026.

/** Maximum tokens, by the model's name. The first matching row counts. */
const ANSWER_LIMITS: readonly (readonly [models: RegExp, tokens: number])[] = [
  [/^claude-(?:2|instant|3-(?![57]))/, 4_096],
  [/^claude-3-5/, 8_192],
  [/^claude-opus-4(?:-[01])?(?:[-@]\d{8})?$/, 32_000],
  [/^claude-(?:opus|sonnet)-(?:4-[6-9]|[5-9])|^claude-(?:fable|mythos)/, 128_000],
];

/**
 * Maximum tokens of a model without a row. A model with a smaller limit refuses and is asked again with its own limit.
 */
const OTHER_LIMIT = 64_000;

/** Longest answer of one of Claude's models. */
export function answerLimitOf(model: string): number {
  return ANSWER_LIMITS.find(([models]) => models.test(model))?.[1] ?? OTHER_LIMIT;
}
