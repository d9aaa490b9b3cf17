// Converts a person's replacement for the result of a finished step to the journal's form.
import { EngineError } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { ToolRecord } from "../events/tool-record.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { ModelResponse, ToolCall } from "../llm/language-model.ts";
import { answerOf, type ResumeRequest } from "./resume.ts";

/**
 * Converts the new result: for a model call `{ text?, toolCalls? }`, for a tool a text or JSON, for a wait the answer
 * as its code receives it, for anything else any JSON. Throws `conflict` for an unfinished step; `invalid_input`, with
 * pointers into `/edit`, for a step of another kind and for a value that does not fit it.
 */
export function editedValue(row: StepRecord, value: JsonValue): JsonValue {
  checkEditable(row);
  switch (row.kind) {
    case "model":
      return modelAnswer(row, value);
    case "tool":
      return toolResult(row, value);
    case "wait":
      return waitAnswer(row, value);
    default:
      return value;
  }
}

const EDITABLE: ReadonlySet<StepRecord["kind"]> = new Set([
  "model",
  "tool",
  "effect",
  "value",
  "wait",
]);

function checkEditable({ key, kind, state }: StepRecord): void {
  if (!EDITABLE.has(kind))
    throw misfit(
      "/key",
      `expected a step of the kind ${[...EDITABLE].join(", ")}; ${preview(key)} is a ${kind}`,
    );
  if (state === "done") return;
  throw new EngineError(
    "conflict",
    `the result of ${preview(key)} cannot be edited: only a step that is done has one, and this one is in state ${state}`,
  );
}

function modelAnswer(row: StepRecord, value: JsonValue): JsonValue {
  const known = recorded(row);
  if (!isJsonObject(known) || !Array.isArray(known["toolCalls"]))
    throw misfit("/key", `expected a model call that answers in words, got ${preview(row.key)}`);
  if (typeof value === "string") return modelAnswer(row, { text: value });
  const { text, toolCalls, ...rest } = isJsonObject(value) ? value : { value };
  for (const field of Object.keys(rest))
    throw misfit(
      isJsonObject(value) ? `/value/${field}` : "/value",
      "expected an answer { text?, toolCalls? }",
    );
  if (text === undefined && toolCalls === undefined)
    throw misfit("/value", "expected an answer { text?, toolCalls? } with one of them, got none");
  if (text !== undefined && typeof text !== "string")
    throw misfit("/value/text", `expected a text, got ${preview(text)}`);
  if (toolCalls !== undefined && !Array.isArray(toolCalls))
    throw misfit("/value/toolCalls", `expected a list of calls, got ${preview(toolCalls)}`);
  const calls = ((toolCalls ?? []) as readonly JsonValue[]).map(toolCall);
  const answer: ModelResponse = {
    text: text ?? "",
    toolCalls: calls,
    finishReason: calls.length > 0 ? "tool_calls" : "stop",
    usage: NO_USAGE,
  };
  return answer;
}

function toolCall(call: JsonValue, index: number): ToolCall {
  const at = `/value/toolCalls/${index}`;
  if (!isJsonObject(call))
    throw misfit(at, `expected { name, arguments, id? }, got ${preview(call)}`);
  const { id = `edited-${index}`, name, arguments: input = {} } = call;
  if (typeof name !== "string" || name === "")
    throw misfit(`${at}/name`, `expected the name of a tool, got ${preview(name ?? "nothing")}`);
  if (typeof id !== "string" || id === "")
    throw misfit(`${at}/id`, `expected a text, got ${preview(id)}`);
  if (typeof input !== "string" && !isJsonObject(input))
    throw misfit(`${at}/arguments`, `expected an object, or its JSON, got ${preview(input)}`);
  return { id, name, arguments: typeof input === "string" ? input : JSON.stringify(input) };
}

function toolResult(row: StepRecord, value: JsonValue): JsonValue {
  const known = recorded(row);
  if (!isJsonObject(known) || typeof known["text"] !== "string") return value;
  const { startedAtMs, endedAtMs, value: kept } = known as unknown as ToolRecord;
  const isText = typeof value === "string";
  const record: ToolRecord = {
    text: isText ? value : JSON.stringify(value),
    ...(isText ? undefined : { isJson: true }),
    ...(kept === undefined || isText ? undefined : { value }),
    fromCache: false,
    startedAtMs,
    endedAtMs,
  };
  return record;
}

function waitAnswer({ key, wait }: StepRecord, value: JsonValue): JsonValue {
  if (wait === null || wait.kind === "timer" || wait.kind === "child")
    throw misfit(
      "/key",
      `expected a wait that somebody answers; ${preview(key)} waits for a ${wait?.kind ?? "time"}`,
    );
  if (wait.kind === "event") return value;
  const isWhole = wait.schema === undefined ? wait.kind === "human" : wait.declinable === true;
  const answer = isWhole && isChoiceFree(wait) ? wholeAnswer(value) : { value };
  try {
    return answerOf({ key, wait }, answer);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const issues = (error.issues ?? []).map(({ path, message }) => ({
      path: answer.value === value ? `/edit${path}` : `/edit/value${path}`,
      message,
    }));
    throw new EngineError("invalid_input", error.message, { issues, cause: error });
  }
}

function isChoiceFree({ schema, choices, freeText }: NonNullable<StepRecord["wait"]>): boolean {
  return schema !== undefined || choices === undefined || freeText === true;
}

/** Reads a person's answer in its journal form, `{ feedback?, value?, approve?, by? }`, or as its text alone. */
function wholeAnswer(value: JsonValue): ResumeRequest {
  if (typeof value === "string") return { feedback: value };
  if (typeof value === "boolean") return { approve: value };
  if (!isJsonObject(value))
    throw misfit(
      "/value",
      `expected a text, or an answer { feedback?, value?, approve? }, got ${preview(value)}`,
    );
  const { feedback, value: data, approve, by, ...rest } = value;
  for (const field of Object.keys(rest))
    throw misfit(`/value/${field}`, "expected an answer { feedback?, value?, approve? }");
  for (const [field, text] of Object.entries({ feedback, by }))
    if (text !== undefined && typeof text !== "string")
      throw misfit(`/value/${field}`, `expected a text, got ${preview(text)}`);
  if (approve !== undefined && typeof approve !== "boolean")
    throw misfit("/value/approve", `expected true or false, got ${preview(approve)}`);
  const answer: JsonObject = {
    ...(feedback === undefined ? undefined : { feedback }),
    ...(data === undefined ? undefined : { value: data }),
    ...(approve === undefined ? undefined : { approve }),
    ...(by === undefined ? undefined : { by }),
  };
  return answer;
}

function recorded({ value }: StepRecord): JsonValue {
  return value === null ? null : (JSON.parse(value) as JsonValue);
}

function misfit(path: string, message: string): EngineError {
  return invalidInput("the result cannot be edited", [{ path: `/edit${path}`, message }]);
}
