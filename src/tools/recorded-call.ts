// The recorded result of a tool call: its text for the model, and its data where a text is not enough.
import { EngineError } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { toRecorded, viewOf } from "../base/recorded.ts";
import type { ToolRecord } from "../events/tool-record.ts";
import type { KeptResult } from "./tool-cache.ts";
import { failureText, isToolFailure, type ToolFailure } from "./tool-failure.ts";
import { ToolReport, type ToolWork } from "./tool-report.ts";
import { ToolResult, type ResultExtras } from "./tool-result.ts";
import type { Tool } from "./tool.ts";

/** Result of a tool call, as its step stores it. */
export type RecordedCall = ToolRecord & {
  /** Work of agents on behalf of the tool. */
  readonly work?: ToolWork;
  readonly extras?: ResultExtras;
  /** Number of executions, if more than one. */
  readonly attempts?: number;
  readonly failure?: ToolFailure;
  /** Set if the tool returned no result. */
  readonly empty?: true;
};

/** Converts the return value of a tool. `extras` are those of a `ToolResult`, with images in storage. */
export function recordedFields(
  result: unknown,
  { tool, keepsValue = false }: { readonly tool: Tool; readonly keepsValue?: boolean },
  extras: ResultExtras | undefined,
): Omit<RecordedCall, "fromCache" | "startedAtMs" | "endedAtMs"> {
  if (isToolFailure(result)) return { text: failureText(result), failure: { ...result } };
  if (result instanceof ToolReport) return { text: result.text, work: result.work };
  if (result instanceof ToolResult) {
    const { text, data } = result.fields;
    return {
      text: dataText(data, tool) ?? text,
      ...(data === undefined ? undefined : { raw: data }),
      ...(keepsValue && data !== undefined ? { value: toRecorded(data) } : undefined),
      ...(extras === undefined ? undefined : { extras }),
    };
  }
  return {
    ...resultFields(result, tool),
    ...(keepsValue ? keptValue(result, tool) : undefined),
    ...(result === undefined || result === null ? { empty: true as const } : undefined),
  };
}

/** Returns the text of data for tools with `format` or `resultSchema`. */
function dataText(data: JsonValue | undefined, tool: Tool): string | undefined {
  if (data === undefined || (tool.format === undefined && tool.resultSchema === undefined))
    return undefined;
  return toText(data, tool);
}

function keptValue(
  result: unknown,
  { resultSchema }: Tool,
): { readonly value: JsonValue } | undefined {
  const parsed = resultSchema?.safeParse(result);
  const value = parsed?.success === true ? parsed.data : result;
  return typeof value === "string" ? undefined : { value: toRecorded(value) };
}

/**
 * Returns the text for the model: the tool's own, else text unchanged, and other results as compact JSON after
 * `resultSchema`.
 */
function resultFields(result: unknown, tool: Tool): KeptResult {
  const text = toText(result, tool);
  if (text === result || result === undefined || result === null) return { text };
  if (tool.format === undefined && tool.resultSchema === undefined) return { text, isJson: true };
  try {
    const raw = viewOf(result);
    return text === JSON.stringify(raw) ? { text, isJson: true } : { text, raw };
  } catch {
    return { text };
  }
}

function toText(result: unknown, { resultSchema, format }: Tool): string {
  const parsed = resultSchema?.safeParse(result);
  const value = parsed?.success === true ? parsed.data : result;
  if (format !== undefined) {
    const text: unknown = format(value);
    if (typeof text === "string") return text;
    throw new EngineError("tool_failed", `format must return a text, got ${preview(text)}`);
  }
  if (parsed?.success === true) return jsonOf(value);
  return typeof result === "string" ? result : jsonOf(result);
}

/** Returns the JSON form of a result for a model. Fails with `output_invalid` and the path of an unsupported value. */
function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(viewOf(value));
}
