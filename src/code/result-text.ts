// Result of a piece of code as text for the model.
import { cut } from "../base/cut.ts";
import type { WorkspaceFile } from "../files/workspace.ts";
import { MAX_OUTPUT_CHARS, type CodeResult } from "./code-runner.ts";

/** The last output has the errors. This room is reserved for it, so earlier output never cuts it off. */
const MAX_ERROR_CHARS = 10_000;
const MAX_VALUE_CHARS = 16_000;

/** Returns the text for the model. `kept` are the files in the run's workspace. */
export function resultText(result: CodeResult, kept: readonly WorkspaceFile[]): string {
  const { exitCode, value, files, error } = result;
  const { text, shown, total } = outputOf(result);
  const parts = [text];
  if (error === "timeout") parts.push("Timeout");
  if (exitCode !== 0) parts.push(`[exit code: ${exitCode}]`);
  if (value !== undefined) parts.push(`Value: ${cut(JSON.stringify(value), MAX_VALUE_CHARS)}`);
  if (kept.length > 0)
    parts.push(`Files: ${kept.map(({ path, bytes }) => `${path} (${bytes} bytes)`).join(", ")}`);
  else if (files.length > 0)
    parts.push(
      `Files that were not kept, as this deployment has no file store: ${files.map(({ path }) => path).join(", ")}`,
    );
  if (total > shown) parts.push(`[truncated: showing first ${shown} of ${total} characters]`);
  return parts.filter((part) => part !== "").join("\n") || "(no output)";
}

function outputOf({ stdout, stderr, truncatedChars }: CodeResult): {
  readonly text: string;
  readonly shown: number;
  readonly total: number;
} {
  const errors = stderr.slice(0, MAX_ERROR_CHARS);
  const output = stdout.slice(0, MAX_OUTPUT_CHARS - errors.length);
  const text = [output, errors].map((part) => part.toWellFormed().trimEnd()).filter(Boolean);
  return {
    text: text.join("\n"),
    shown: output.length + errors.length,
    total: stdout.length + stderr.length + truncatedChars,
  };
}
