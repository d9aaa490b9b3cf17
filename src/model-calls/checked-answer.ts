// Checks a model's answer before it is recorded: a user's own model may return anything.
//
//   CKA1. An invalid answer fails with `model_failed`, which names the model and the fault.
//   CKA2. Counts other than safe integers from 0 on are unknown: they count as 0, and the event of the call marks them.
//   CKA3. An error thrown by a model's own code names the model.
import { EngineError, errorMessage } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { PlatformFault } from "../base/platform-fault.ts";
import { NO_USAGE, type Usage } from "../base/usage.ts";
import { boundText } from "../llm/answer-bounds.ts";
import { askPrepared } from "../llm/ask-prepared.ts";
import type { LanguageModel, ModelResponse, ToolCall } from "../llm/language-model.ts";

/** Calls a model like `askPrepared`, and checks that its answer can be recorded. */
export async function askChecked(
  ...[model, request, options]: Parameters<typeof askPrepared>
): Promise<ModelResponse> {
  let answer: ModelResponse;
  try {
    answer = await askPrepared(model, request, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (EngineError.is(error) || PlatformFault.is(error)) throw error;
    const message = `${model.id} threw: ${errorMessage(error)}`;
    throw new EngineError("model_failed", message, { cause: error });
  }
  return checkedAnswer(model, answer);
}

/** Returns the answer itself, except for unknown counts. */
function checkedAnswer({ id }: LanguageModel, answer: ModelResponse): ModelResponse {
  const fields: Readonly<Record<string, unknown>> =
    typeof answer === "object" && answer !== null ? answer : {};
  const { text, toolCalls, finishReason, usage } = fields;
  if (typeof text !== "string") throw unfit(id, "text must be a string", text);
  boundText(id, text.length);
  if (!Array.isArray(toolCalls)) throw unfit(id, "toolCalls must be a list", toolCalls);
  if (!toolCalls.every(isCall))
    throw unfit(id, "each of toolCalls must have an id, a name and arguments as texts", toolCalls);
  if (typeof finishReason !== "string")
    throw unfit(id, "finishReason must be a string", finishReason);
  const counted = countedUsage(usage);
  return counted === usage ? answer : { ...answer, usage: counted };
}

function isCall(call: unknown): call is ToolCall {
  if (typeof call !== "object" || call === null) return false;
  const { id, name, arguments: text } = call as Readonly<Record<string, unknown>>;
  return typeof id === "string" && typeof name === "string" && typeof text === "string";
}

const NAMES = Object.keys(NO_USAGE) as ReadonlyArray<keyof Usage>;

function countedUsage(usage: unknown): Usage {
  if (typeof usage !== "object" || usage === null) return { ...NO_USAGE, requests: 1 };
  const counts = usage as Usage;
  if (NAMES.every((name) => isCount(name, counts[name]))) return counts;
  const known = NAMES.map((name) => [name, isCount(name, counts[name]) ? counts[name] : 0]);
  return Object.fromEntries(known) as Usage;
}

function isCount(name: keyof Usage, value: unknown): boolean {
  if (name === "costUsd") return Number.isFinite(value) && (value as number) >= 0;
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** True for an answer without token counts: a prompt always has tokens, and so does an answer. */
export function isUsageUnknown({
  usage,
  text,
  toolCalls,
}: Pick<ModelResponse, "usage" | "text" | "toolCalls">): boolean {
  if (usage.requests === 0) return false;
  const said = text !== "" || toolCalls.length > 0;
  return usage.promptTokens === 0 || (said && usage.completionTokens === 0);
}

function unfit(id: string, expected: string, got: unknown): EngineError {
  return new EngineError("model_failed", `${id} gave no answer: ${expected}, got ${preview(got)}`);
}
