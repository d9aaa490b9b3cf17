import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { isTarget, type FunctionTargetResult } from "../targets.ts";

/** What a target function returned. Throws `invalid_input` for what is no `{ target }`. */
export function checkedFunctionResult(result: unknown): FunctionTargetResult {
  const target = (result as FunctionTargetResult | undefined)?.target;
  if (isTarget(target)) return result as FunctionTargetResult;
  throw new EngineError(
    "invalid_input",
    `a target function returns { target, messages?, contextVariables? } with a target such as agentTarget("name"), got ${preview(result)}`,
  );
}
