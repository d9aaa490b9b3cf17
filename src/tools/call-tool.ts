// One tool call of an agent, as a durable step.
//
//   TC1. Whatever goes wrong in a tool is a text for the model, never an error of the run, unless a policy says `raise`.
//   TC2. A call that was answered from the cache is on record like any other, so that replay does not depend on the cache.
//   TC3. A tool's events have the order: started, then finished or error.
//   TC4. Failures are not kept in the cache, and neither is a result of nothing: a tool that gave nothing is asked again.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { toJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import { envOf } from "./env-vars.ts";
import type { ToolCache } from "./tool-cache.ts";
import { failureOf, failureText, isToolFailure, type ToolFailure } from "./tool-failure.ts";
import { ToolReport, type ToolWork } from "./tool-report.ts";
import { toolContext, type Tool, type ToolCaller } from "./tool.ts";

export type ToolCallOutcome =
  | {
      readonly kind: "result";
      readonly text: string;
      /** The result itself, where `keepsValue` asks for it. */
      readonly value?: JsonValue;
      readonly work?: ToolWork | undefined;
    }
  /** The tool said that it failed, or it threw. */
  | { readonly kind: "failure"; readonly failure: ToolFailure; readonly error?: EngineError };

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
        if (cached !== undefined) return { text: cached, fromCache: true, ...times() };
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
        return { text: toText(result, tool), ...kept, fromCache: false, ...times(), ...empty };
      },
    });
    const { text, fromCache, failure, empty, startedAtMs, endedAtMs } = recorded;
    if (failure === undefined && empty === undefined) cache?.write(tool, input, text);
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
          text,
          ...(options.keepsValue === true
            ? { value: recorded.value === undefined ? text : recorded.value }
            : undefined),
          work: recorded.work,
        }
      : { kind: "failure", failure };
  } catch (thrown) {
    scope.emit("tool_usage_error", { ...named, error: errorMessage(thrown) });
    const error = EngineError.is(thrown)
      ? thrown
      : new EngineError("tool_failed", errorMessage(thrown));
    return { kind: "failure", failure: failureOf(error), error };
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

/** Text as it is, everything else as compact JSON: of what the tool's `resultSchema` makes of it, where it fits. */
function toText(result: unknown, { resultSchema }: Tool): string {
  const parsed = resultSchema?.safeParse(result);
  if (parsed?.success === true) return JSON.stringify(parsed.data) ?? "";
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}
