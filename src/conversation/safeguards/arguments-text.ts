import { parseToolArguments } from "../../tools/tool-arguments.ts";

/**
 * The arguments of a call as they are checked: what the tool would receive. Escapes could hide a text in them, so arguments that have
 * some are written anew; they mean the same.
 */
export function argumentsText(input: string): string {
  if (!input.includes("\\")) return input;
  const parsed = parseToolArguments(input, "native");
  return parsed.kind === "ok" ? JSON.stringify(parsed.value) : input;
}
