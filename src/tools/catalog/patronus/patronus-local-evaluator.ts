import * as z from "zod";
import { scoreWork } from "../../../evaluation/agent-evaluator.ts";
import { METRICS, type Metric } from "../../../evaluation/metric.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";

const metrics = () =>
  (z.unknown() as unknown as z.ZodType<readonly Metric[], readonly Metric[]>).optional();
const modelSpec = () => (z.unknown() as unknown as z.ZodType<ModelSpec, ModelSpec>).optional();

/** Judges a model's work by a metric of `edgecrew/evaluation`: a built-in one, or one of the option `evaluators`. */
export const patronusLocalEvaluator = catalogTool({
  className: "PatronusLocalEvaluatorTool",
  displayName: "Patronus Local Evaluator Tool",
  group: "automation",
  service: "evaluation",
  effectClass: "R",
  description: "Judges what a model did with its input: a score from 0 to 10, and why.",
  input: () =>
    z.object({
      evaluator: z.string().min(1).describe("Who judges"),
      evaluated_model_input: z.string().describe("What the model was asked"),
      evaluated_model_output: z.string().describe("What it answered"),
      evaluated_model_retrieved_context: z
        .string()
        .optional()
        .describe("What it was given to know"),
      evaluated_model_gold_answer: z.string().optional().describe("What the right answer is"),
    }),
  options: () =>
    z.object({
      /** Your own metrics, beside the built-in ones. */
      evaluators: metrics(),
      /** Model for judging by criteria. @default the deployment's */
      llm: modelSpec(),
    }),
  codeOptions: ["evaluators"],
  fixable: ["evaluator", "evaluated_model_gold_answer"],
  run: async (input, { evaluators = [], llm }, io) => {
    const all: readonly Metric[] = [...evaluators, ...Object.values(METRICS)];
    const metric = all.find(({ name }) => name === input.evaluator);
    if (metric === undefined)
      throw serviceFailure({
        code: "not_found",
        message: `There is no evaluator ${JSON.stringify(input.evaluator)} here: name a metric of edgecrew/evaluation, or pass one as the option evaluators. There are ${all.map(({ name }) => name).join(", ")}.`,
      });
    const { evaluated_model_output: output } = input;
    const prompt = [
      input.evaluated_model_input,
      labelled("Context", input.evaluated_model_retrieved_context),
      labelled("The right answer", input.evaluated_model_gold_answer),
    ];
    const trace = {
      agentRole: io.context.agentRole,
      iteration: 1,
      prompt: prompt.filter((part) => part !== "").join("\n\n"),
      tools: [],
      toolCalls: [],
      modelCalls: [{ text: output, tools: [] }],
      totalTokens: 0,
      seconds: 0,
      output,
    };
    const model = io.scope.model(llm);
    const place = io.scope.at(`evaluate:${metric.name}`);
    const { score, feedback, error } = await scoreWork(place, {
      metric,
      subject: { trace },
      model,
    });
    const result = score === null ? "none" : `${score} of 10`;
    return toolResult({
      text: `Evaluation result: ${result}, Explanation: ${error ?? feedback}`,
      data: { score, feedback, ...(error === undefined ? undefined : { error }) },
    });
  },
});

function labelled(label: string, text = ""): string {
  return text === "" ? "" : `${label}: ${text}`;
}
