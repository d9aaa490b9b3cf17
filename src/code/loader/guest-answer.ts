// Reads the answer of an isolate as untrusted input: the guest shares the isolate with the harness.
import * as z from "zod";
import { errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { codeFailure, EXIT, type CodeResult } from "../code-runner.ts";
import { authorsStack, type CodeForm } from "./guest-code.ts";

/** Maximum length of the returned value as JSON text. */
export const MAX_VALUE_CHARS = 8 * 1024 * 1024;
export const MAX_FILES = 100;
export const MAX_FILE_BYTES = 25_000_000;
const MAX_DEPTH = 1_000;

const answerSchema = z.object({
  exitCode: z.int().min(0).max(255),
  stdout: z.string(),
  stderr: z.string(),
  truncatedChars: z.number().nonnegative(),
  value: z.string().max(MAX_VALUE_CHARS).optional(),
  files: z
    .array(z.object({ path: z.string(), bytes: z.instanceof(Uint8Array) }))
    .max(MAX_FILES)
    .refine(
      (files) => files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= MAX_FILE_BYTES,
      "too large",
    ),
  error: z.literal("timeout").optional(),
});

type Ran = { readonly form: CodeForm; readonly durationMs: number };

/** Makes a result of the harness's answer. An invalid answer is a failure. */
export function resultOf(answer: unknown, { form, durationMs }: Ran): CodeResult {
  const read = answerSchema.safeParse(answer);
  if (!read.success)
    return codeFailure(EXIT.failed, "The code has changed the record of its own end.", {
      durationMs,
    });
  const { value: text, error, stdout, stderr, ...rest } = read.data;
  const result = {
    ...rest,
    durationMs,
    stdout: authorsStack(stdout, form),
    stderr: authorsStack(stderr, form),
    ...(error === undefined ? undefined : { error }),
  };
  if (text === undefined) return result;
  const value = valueOf(text);
  return "value" in value
    ? { ...result, ...value }
    : { ...result, stderr: `${result.stderr}The value cannot be given back: ${value.fault}\n` };
}

function valueOf(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  if (depthOf(text) > MAX_DEPTH) return { fault: "it is nested too deeply" };
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return { fault: "it is no JSON" };
  }
}

/** Returns the nesting depth of lists and objects in a JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\" && isText) at++;
    else if (letter === '"') isText = !isText;
    else if (isText) continue;
    else if (letter === "[" || letter === "{") deepest = Math.max(deepest, ++depth);
    else if (letter === "]" || letter === "}") depth--;
  }
  return deepest;
}

/** Reason why an isolate did not start: its code has a syntax error or imports a missing module. */
export type StartFailure = { readonly isSyntax: boolean; readonly text: string };

/** Returns the reason why an isolate did not start. Undefined for any other error. */
export function startFailure(error: unknown): StartFailure | undefined {
  const [, text] = /^Failed to start Worker:\s*([^]*)$/.exec(errorMessage(error)) ?? [];
  if (text === undefined) return undefined;
  const own = text.replace(/^Uncaught /, "").trimEnd();
  return { isSyntax: /^SyntaxError\b/.test(own), text: own };
}

/** Result of code whose isolate did not answer because the runtime ended it. */
export function endedByRuntime(error: unknown, durationMs: number): CodeResult {
  const message = errorMessage(error);
  const [, exited] = /process\.exit\((-?\d+)?\) API was called/.exec(message) ?? [];
  if (exited !== undefined) return codeFailure(Number(exited) & 255, "", { durationMs });
  if (/process\.exit\(\S*\) API was called/.test(message))
    return codeFailure(0, "", { durationMs });
  if (/code had hung/.test(message))
    return codeFailure(EXIT.timeout, "", { error: "timeout", durationMs });
  if (/\bCPU\b|exceeded[^.]*limit|memory limit/i.test(message))
    return codeFailure(EXIT.limit, message, { error: "limit", durationMs });
  if (/limited to \d+ ?MiB/.test(message))
    return codeFailure(EXIT.failed, "What the code gives back is too large.", { durationMs });
  if (/^internal error|network connection lost|overloaded/i.test(message))
    return codeFailure(EXIT.unavailable, message, { error: "unavailable", durationMs });
  return codeFailure(EXIT.failed, message, { durationMs });
}
