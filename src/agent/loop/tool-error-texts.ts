// Texts for the model about calls that failed or were changed.
import type { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Tool } from "../../tools/tool.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";

/** The result of a call whose input a person has edited. */
export function editedText(
  { errors }: Prompts,
  { safeName }: Tool,
  { input, result }: { readonly input: JsonObject; readonly result: string },
): string {
  return fill(errors.toolInputEdited, { tool: safeName, input: JSON.stringify(input), result });
}

/** The error of a call, with the arguments that the tool accepts. */
export function failedText(prompts: Prompts, tool: Tool, error: EngineError): string {
  if (error.code === "invalid_input") return badArguments(prompts, tool, error.message);
  const { toolUsageException, toolOutcomeUnknown } = prompts.errors;
  if (error.code === "outcome_unknown")
    return fill(toolOutcomeUnknown, { tool: tool.safeName, error: error.message });
  return fill(toolUsageException, {
    tool: tool.safeName,
    error: error.message,
    tool_inputs: JSON.stringify(tool.parameters),
  });
}

/** The fault of the arguments, with their schema. */
export function badArguments({ errors }: Prompts, tool: Tool, error: string): string {
  return fill(errors.toolArgumentsError, {
    tool: tool.safeName,
    error,
    schema: JSON.stringify(tool.parameters),
  });
}
