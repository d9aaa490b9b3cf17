// One tool call of an agent, as a durable step.
//
//   TC1. Whatever goes wrong in a tool is a text for the model, never an error of the run, unless a policy says `raise`.
//   TC2. A call that was answered from the cache is on record like any other, so that replay does not depend on the cache.
//   TC3. A tool's events have the order: started, then finished or error.
//   TC4. Failures are not kept in the cache, and neither is a result of nothing: a tool that gave nothing is asked again.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview, toJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import { envOf } from "./env-vars.ts";
import { rawOf, type KeptResult, type ToolCache } from "./tool-cache.ts";
import { failureOf, failureText, isToolFailure, type ToolFailure } from "./tool-failure.ts";
import { ToolReport, type ToolWork } from "./tool-report.ts";
import { toolContext, type Tool, type ToolCaller } from "./tool.ts";

export type ToolCallOutcome = {
  /** Whether the tool's code was run: not with arguments that do not fit, and not for a result from the cache. */
  readonly ran: boolean;
} & (
  | {
      readonly kind: "result";
      readonly text: string;
      /** What the tool returned, as JSON. */
      readonly raw: () => JsonValue;
      /** The result itself, where `keepsValue` asks for it. */
      readonly value?: JsonValue;
      readonly work?: ToolWork | undefined;
    }
  /** The tool said that it failed, or it threw. */
  | { readonly kind: "failure"; readonly failure: ToolFailure; readonly error?: EngineError }
);

export type ToolCallOptions = {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly caller: ToolCaller;
  readonly cache?: ToolCache | undefined;
  /** Milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
  /** Leaves a failure that the tool reports out of its events. @default false */
  readonly ignoresFailure?: boolean;
  /** Keeps the result as JSON beside its text; a text alone is not kept twice. @default false */
  readonly keepsValue?: boolean;
};

type Recorded = {
  readonly text: string;
  /** What the tool returned, where its text is not that. */
  readonly raw?: JsonValue;
  /** The text is the JSON of what the tool returned. */
  readonly isJson?: true;
  readonly value?: JsonValue;
  readonly fromCache: boolean;
  /** What it had agents do. */
  readonly work?: ToolWork;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly failure?: ToolFailure;
  /** The tool gave nothing. */
  readonly empty?: true;
};

export async function callTool(
  scope: RunScope,
  options: ToolCallOptions,
): Promise<ToolCallOutcome> {
  const { tool, caller, cache, deadlineAtMs } = options;
  const input = tool.typed?.(options.input) ?? options.input;
  const named = { toolName: tool.safeName, toolArgs: input, agentRole: caller.agentRole };
  try {
    const recorded = await scope.step<Recorded>({
      kind: "tool",
      label: tool.safeName,
      effect: tool.effect,
      retry: tool.retry ?? NO_RETRY,
      timeoutMs: tool.timeoutMs,
      deadlineAtMs,
      run: async (context, inside) => {
        const startedAtMs = scope.clock.now();
        const inner = inside.open("tool_usage_started", { ...named, runAttempts: context.attempt });
        const times = (): Pick<Recorded, "startedAtMs" | "endedAtMs"> => ({
          startedAtMs,
          endedAtMs: scope.clock.now(),
        });
        const cached = cache?.read(tool, input);
        if (cached !== undefined) return { ...cached, fromCache: true, ...times() };
        const env = envOf(tool, scope.services.variables);
        const made = toolContext(context, inner, { ...caller, env });
        const result = await inner.run(() => tool.call(input, made));
        if (isToolFailure(result)) {
          if (result.retryable && context.attempt < (tool.retry?.maxAttempts ?? 1))
            throw new EngineError("tool_failed", failureText(result), { retryable: true });
          return {
            text: failureText(result),
            fromCache: false,
            ...times(),
            failure: { ...result },
          };
        }
        if (result instanceof ToolReport)
          return { text: result.text, fromCache: false, ...times(), work: result.work };
        const empty = result === undefined || result === null ? { empty: true as const } : {};
        const kept = options.keepsValue === true ? keptValue(result, tool) : undefined;
        return { ...resultFields(result, tool), ...kept, fromCache: false, ...times(), ...empty };
      },
    });
    const { text, fromCache, failure, empty, startedAtMs, endedAtMs } = recorded;
    if (failure === undefined) tool.recorded?.(rawOf(recorded));
    if (failure === undefined && empty === undefined) cache?.write(tool, input, recorded);
    const flag = failure === undefined || options.ignoresFailure === true ? undefined : { failure };
    scope.emit("tool_usage_finished", {
      ...named,
      output: cut(text, MAX_EVENT_TEXT),
      fromCache,
      ...flag,
      startedAt: isoTime(startedAtMs),
      finishedAt: isoTime(endedAtMs),
    });
    return failure === undefined
      ? {
          kind: "result",
          ran: !fromCache,
          text,
          raw: () => rawOf(recorded),
          ...(options.keepsValue === true
            ? { value: recorded.value === undefined ? text : recorded.value }
            : undefined),
          work: recorded.work,
        }
      : { kind: "failure", ran: true, failure };
  } catch (thrown) {
    scope.emit("tool_usage_error", { ...named, error: errorMessage(thrown) });
    const error = EngineError.is(thrown)
      ? thrown
      : new EngineError("tool_failed", errorMessage(thrown));
    const ran = error.code !== "invalid_input";
    return { kind: "failure", ran, failure: failureOf(error), error };
  }
}

function keptValue(
  result: unknown,
  { resultSchema }: Tool,
): { readonly value: JsonValue } | undefined {
  const parsed = resultSchema?.safeParse(result);
  const value = parsed?.success === true ? parsed.data : result;
  return typeof value === "string" ? undefined : { value: toJson(value, "the result") };
}

/** The text for the model: the tool's own, else text as it is, and everything else as compact JSON of what `resultSchema` makes of it. */
function resultFields(result: unknown, tool: Tool): KeptResult {
  const text = toText(result, tool);
  if (text === result || result === undefined || result === null) return { text };
  if (tool.format === undefined && tool.resultSchema === undefined) return { text, isJson: true };
  try {
    if (text === JSON.stringify(result)) return { text, isJson: true };
    return { text, raw: toJson(result, "the result") };
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
  if (parsed?.success === true) return JSON.stringify(value) ?? "";
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}
