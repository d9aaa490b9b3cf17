import { parseToolArguments } from "../../tools/tool-arguments.ts";

/**
 * Returns the arguments of a call in the form that the tool receives, for the check. Escapes could hide a text, so
 * arguments with escapes are serialized again, with the same meaning.
 */
export function argumentsText(input: string): string {
  if (!input.includes("\\")) return input;
  const parsed = parseToolArguments(input, "native");
  return parsed.kind === "ok" ? JSON.stringify(parsed.value) : input;
}
