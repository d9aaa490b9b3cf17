// Definitions of guardrails: checks of an answer. run-guardrails.ts runs them.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview, type JsonValue } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";
import { outputShape, type OutputShape } from "../loop/structured-output.ts";

/**
 * Verdict of a guardrail: a pair of pass or fail and the replacement or reason, or the same as an object. Without
 * `value` the answer passes unchanged. A text replaces the answer's text, an output (anything with a `raw`) replaces
 * the output, any other value changes nothing; null is refused.
 */
export type GuardrailVerdict =
  | readonly [ok: boolean, value: unknown]
  | { readonly ok: true; readonly value?: unknown }
  | { readonly ok: false; readonly error: unknown };

export type GuardrailFunction<Output> = (
  output: Output,
) => GuardrailVerdict | Promise<GuardrailVerdict>;

/** Guardrail with a model as judge. Make one with `llmGuardrail` or `hallucinationGuardrail`. */
export type ModelGuardrail = {
  readonly type: "llm" | "hallucination";
  /** Name in events and errors. */
  readonly name: string;
  readonly llm?: ModelSpec | undefined;
  readonly shape: OutputShape;
  readonly question: (
    prompts: Prompts,
    about: { readonly raw: string; readonly reference: string },
  ) => { readonly system: string; readonly user: string };
  readonly read: (json: JsonValue) => Verdict;
};

/** Guardrail: a function, a rule in words for a model to judge, or a ready-made one. */
export type Guardrail<Output> = GuardrailFunction<Output> | string | ModelGuardrail;

/** A guardrail after `checkGuardrails`. */
export type CheckedGuardrail<Output> = GuardrailFunction<Output> | ModelGuardrail;

/** Checked verdict, as recorded. */
export type Verdict =
  | { readonly ok: true; readonly value?: JsonValue }
  | { readonly ok: false; readonly error: string };

const RULE_SHAPE = outputShape({
  type: "object",
  properties: {
    valid: { type: "boolean", description: "Whether the answer keeps the rule." },
    feedback: {
      type: ["string", "null"],
      description: "What has to change, if it does not keep the rule; else null.",
    },
  },
  required: ["valid", "feedback"],
  additionalProperties: false,
});

const SCORE_SHAPE = outputShape({
  type: "object",
  properties: {
    score: { type: "number", minimum: 0, maximum: 10 },
    feedback: {
      type: "string",
      description: "The statements that the reference does not support, or an empty text.",
    },
  },
  required: ["score", "feedback"],
  additionalProperties: false,
});

type RuleOptions = { readonly description: string; readonly llm?: ModelSpec };

const RULE_OPTIONS = definitionOptions<RuleOptions>("llmGuardrail()", {
  description: true,
  llm: true,
});

/** Creates a guardrail from a rule in words. `llm` judges; by default the model of the agent that answered. */
export function llmGuardrail(options: RuleOptions): ModelGuardrail {
  refuseUnknownOptions(options, RULE_OPTIONS);
  const { description, llm } = options;
  if (typeof description !== "string" || description.trim() === "")
    throw invalidDefinition(`a guardrail's text must not be empty, got ${preview(description)}`);
  return {
    type: "llm",
    name: description,
    llm,
    shape: RULE_SHAPE,
    question: ({ guardrails }, { raw }) => ({
      system: guardrails.ruleJudge,
      user: fill(guardrails.ruleQuestion, { guardrail: description, task_output: raw }),
    }),
    read: (json) => {
      const { valid, feedback } = json as {
        readonly valid: boolean;
        readonly feedback: string | null;
      };
      if (valid) return { ok: true };
      return { ok: false, error: feedback?.trim() || `it does not keep the rule: ${description}` };
    },
  };
}

/** Minimum passing score, of 10. */
const DEFAULT_THRESHOLD = 7;

export type HallucinationGuardrailOptions = {
  /** Text that must support the answer. @default the task with its context */
  readonly context?: string;
  /** Minimum passing score, from 0 (invented) to 10 (fully supported). @default 7 */
  readonly threshold?: number;
  /** Results of tools, as further support. @default none */
  readonly toolResponse?: string;
  /** Judging model. @default the model of the agent that answered */
  readonly llm?: ModelSpec;
};

const SUPPORT_OPTIONS = definitionOptions<HallucinationGuardrailOptions>(
  "hallucinationGuardrail()",
  {
    context: true,
    threshold: true,
    toolResponse: true,
    llm: true,
  },
);

/** Refuses answers with unsupported statements: a model scores them from 0 to 10 against a reference. */
export function hallucinationGuardrail(
  options: HallucinationGuardrailOptions = {},
): ModelGuardrail {
  refuseUnknownOptions(options, SUPPORT_OPTIONS);
  const { context, threshold = DEFAULT_THRESHOLD, toolResponse, llm } = options;
  if (!(threshold >= 0 && threshold <= 10))
    throw invalidDefinition(
      `hallucinationGuardrail: threshold must be a number from 0 to 10, got ${preview(threshold)}`,
    );
  return {
    type: "hallucination",
    name: "hallucination",
    llm,
    shape: SCORE_SHAPE,
    question: ({ guardrails }, { raw, reference }) => ({
      system: guardrails.faithfulnessJudge,
      user: fill(guardrails.faithfulnessQuestion, {
        context: [context ?? reference, toolResponse ?? ""]
          .filter((text) => text !== "")
          .join("\n\n"),
        task_output: raw,
      }),
    }),
    read: (json) => {
      const { score, feedback } = json as { readonly score: number; readonly feedback: string };
      if (score >= threshold) return { ok: true };
      const scored = `it scored ${score} of 10 for being supported by the reference, and ${threshold} are needed`;
      return {
        ok: false,
        error: feedback.trim() === "" ? scored : `${scored}: ${feedback.trim()}`,
      };
    },
  };
}

/**
 * Reads guardrails; a text becomes a rule for a model to judge. Throws `invalid_definition` for anything else, for a
 * function with more parameters than the output, and for a rule that needs a model if there is no model.
 */
export function checkGuardrails<Output>(
  input: unknown,
  { owner, field, hasModel }: { owner: string; field: string; hasModel: boolean },
): ReadonlyArray<CheckedGuardrail<Output>> {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  return list.map((each, index) => {
    const where = Array.isArray(input) ? `${owner}: ${field}[${index}]` : `${owner}: ${field}`;
    if (typeof each === "function") {
      if (each.length > 1)
        throw invalidDefinition(
          `${where} must be a function of one parameter, got one of ${each.length}`,
        );
      return each as GuardrailFunction<Output>;
    }
    const judged = typeof each === "string" ? llmGuardrail({ description: each }) : each;
    if (!isModelGuardrail(judged))
      throw invalidDefinition(`${where} must be a function or a text, got ${preview(each)}`);
    if (judged.llm === undefined && !hasModel)
      throw invalidDefinition(
        `${where} is judged by the agent's model, and there is no agent: name one`,
      );
    return judged;
  });
}

function isModelGuardrail(value: unknown): value is ModelGuardrail {
  if (typeof value !== "object" || value === null) return false;
  const { question, read }: Partial<ModelGuardrail> = value;
  return typeof question === "function" && typeof read === "function";
}
