export { patronusEval } from "./patronus-eval.ts";
export { patronusLocalEvaluator } from "./patronus-local-evaluator.ts";
export { patronusPredefinedCriteriaEval } from "./patronus-predefined-criteria-eval.ts";
