import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { evaluate, PATRONUS_HOSTS, PATRONUS_KEY } from "./patronus.ts";

const said = () =>
  z
    .union([z.string(), z.looseObject({ description: z.string() })])
    .transform((value) => (typeof value === "string" ? value : value.description));
const evaluators = () =>
  z.array(z.looseObject({ evaluator: z.string(), criteria: z.string().optional() })).min(1);

/** Judges a model's work with the evaluators of Patronus AI named in the definition. */
export const patronusPredefinedCriteriaEval = catalogTool({
  className: "PatronusPredefinedCriteriaEvalTool",
  displayName: "Call Patronus API tool for evaluation of model inputs and outputs",
  group: "automation",
  service: "Patronus AI",
  effectClass: "R",
  description: "Has evaluators judge what a model did with its input.",
  input: () =>
    z.object({
      evaluated_model_input: said().describe("What the model was asked"),
      evaluated_model_output: said().describe("What it answered"),
      evaluated_model_retrieved_context: said().optional().describe("What it was given to know"),
      evaluated_model_gold_answer: said().optional().describe("What the right answer is, if known"),
      evaluators: evaluators().describe("Who judges, and by what"),
    }),
  options: () => z.object({}),
  fixable: ["evaluators"],
  env: [PATRONUS_KEY],
  hosts: PATRONUS_HOSTS,
  run: (input, _, io) => evaluate(io, input),
});
