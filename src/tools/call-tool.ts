// One tool call of an agent, as a durable step.
//
//   TC1. Any failure of a tool is a text for the model, never an error of the run, unless a policy is `raise`.
//   TC2. A call answered from the cache is recorded like any other, so replay does not depend on the cache.
//   TC3. A tool's events have the order: started, then finished or error.
//   TC5. Of equal concurrent calls one is made, and the others take its result from the cache. If it fails, or its
//        result is not cached, the next one is made.
//   TC4. Failures and empty results are not cached: a tool without a result is called again.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { toRecorded, viewOf } from "../base/recorded.ts";
import { NO_RETRY, retryDelayMs } from "../base/retry.ts";
import type { Usage } from "../base/usage.ts";
import { addUsage, NO_USAGE } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ToolRecord } from "../events/tool-record.ts";
import type { StepContext } from "../journal/step-spec.ts";
import { envOf } from "./env-vars.ts";
import { setInnerCaller, type InnerCaller } from "./inner-caller.ts";
import { withKeptImages } from "./kept-images.ts";
import { rawOf, type KeptResult, type ToolCache } from "./tool-cache.ts";
import type { ToolCaller } from "./tool-context.ts";
import { failureOf, failureText, isToolFailure, type ToolFailure } from "./tool-failure.ts";
import { ToolReport, type ToolWork } from "./tool-report.ts";
import { ToolResult, type ResultExtras, extrasOf } from "./tool-result.ts";
import { toolContext, type Tool } from "./tool.ts";

export type ToolCallOutcome = {
  /** True if the tool's code ran. False for arguments that do not fit and for a result from the cache. */
  readonly ran: boolean;
} & (
  | {
      readonly kind: "result";
      readonly text: string;
      /** Returns the tool's result as JSON. */
      readonly raw: () => JsonValue;
      /** The result itself, if requested by `keepsValue`. */
      readonly value?: JsonValue;
      readonly work?: ToolWork | undefined;
      /** Parts of the result beside its text. */
      readonly extras?: ResultExtras | undefined;
    }
  /** Reported failure or thrown error of the tool. */
  | { readonly kind: "failure"; readonly failure: ToolFailure; readonly error?: EngineError }
);

export type ToolCallOptions = {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly caller: ToolCaller;
  readonly cache?: ToolCache | undefined;
  /** Milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
  /** Leaves out a failure reported by the tool from its events. @default false */
  readonly ignoresFailure?: boolean;
  /** Stores the result as JSON beside its text; a plain text is not stored twice. @default false */
  readonly keepsValue?: boolean;
  /** Set if the input has the types of the tool's schema. @default false */
  readonly isTyped?: boolean;
  /** Caller whose rules apply to calls from within the tool. @default those of the tools alone */
  readonly inner?: InnerCaller | undefined;
};

type Recorded = ToolRecord & {
  /** Work of agents on behalf of the tool. */
  readonly work?: ToolWork;
  readonly extras?: ResultExtras;
  /** Number of executions, if more than one. */
  readonly attempts?: number;
  readonly failure?: ToolFailure;
  /** Set if the tool returned no result. */
  readonly empty?: true;
};

export async function callTool(
  scope: RunScope,
  options: ToolCallOptions,
): Promise<ToolCallOutcome> {
  const { tool, caller, cache, deadlineAtMs } = options;
  const input =
    options.isTyped === true ? options.input : (tool.typed?.(options.input) ?? options.input);
  const named = { toolName: tool.safeName, toolArgs: input, agentRole: caller.agentRole };
  let ended: (() => void) | undefined;
  try {
    const recorded = await scope.step<Recorded>({
      kind: "tool",
      label: tool.safeName,
      effect: tool.effect,
      retry: tool.retry ?? NO_RETRY,
      timeoutMs: tool.timeoutMs,
      deadlineAtMs,
      usage: ({ extras, fromCache }) => paidUsage(extras, fromCache),
      run: async (context, inside) => {
        const startedAtMs = scope.clock.now();
        const inner = inside.open("tool_usage_started", { ...named, runAttempts: context.attempt });
        const times = (): Pick<Recorded, "startedAtMs" | "endedAtMs"> => ({
          startedAtMs,
          endedAtMs: scope.clock.now(),
          ...(context.attempt > 1 ? { attempts: context.attempt } : undefined),
        });
        if (cache !== undefined && ended === undefined) {
          const shared = await sharedResult(cache, { tool, input, inner });
          if (typeof shared !== "function") return { ...shared, fromCache: true, ...times() };
          ended = shared;
        }
        const env = envOf(tool, scope.services.variables);
        const made = toolContext(context, inner, { ...caller, env });
        if (options.inner !== undefined) setInnerCaller(made, options.inner);
        const result = await inner.run(() => tool.call(input, made));
        if (isToolFailure(result)) {
          retryLater(result, tool, context);
          return {
            text: failureText(result),
            fromCache: false,
            ...times(),
            failure: { ...result },
          };
        }
        if (result instanceof ToolReport)
          return { text: result.text, fromCache: false, ...times(), work: result.work };
        if (result instanceof ToolResult) {
          const { text, data } = result.fields;
          const raw = data === undefined ? undefined : { raw: data };
          const kept =
            options.keepsValue === true && data !== undefined ? { value: toRecorded(data) } : {};
          const extras = await withKeptImages(inner, extrasOf(result));
          return {
            text: dataText(data, tool) ?? text,
            ...raw,
            ...kept,
            ...(extras === undefined ? undefined : { extras }),
            fromCache: false,
            ...times(),
          };
        }
        const empty = result === undefined || result === null ? { empty: true as const } : {};
        const kept = options.keepsValue === true ? keptValue(result, tool) : undefined;
        return { ...resultFields(result, tool), ...kept, fromCache: false, ...times(), ...empty };
      },
    });
    const { text, fromCache, failure, empty, startedAtMs, endedAtMs, extras } = recorded;
    if (failure === undefined) tool.recorded?.(rawOf(recorded));
    if (failure === undefined && empty === undefined) cache?.write(tool, input, recorded);
    const flag = failure === undefined || options.ignoresFailure === true ? undefined : { failure };
    scope.emit("tool_usage_finished", {
      ...named,
      output: cut(text, MAX_EVENT_TEXT),
      fromCache,
      ...flag,
      ...(tool.service === undefined
        ? undefined
        : { service: tool.service, attempts: recorded.attempts ?? 1 }),
      ...(extras?.bytes === undefined ? undefined : { bytes: extras.bytes }),
      ...(extras?.cost === undefined ? undefined : { cost: { ...extras.cost } }),
      ...(extras?.sources === undefined
        ? undefined
        : { sources: extras.sources.map(({ url, title }) => (title ? { url, title } : { url })) }),
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
          work: recorded.work ?? paidWork(extras, fromCache),
          extras,
        }
      : { kind: "failure", ran: true, failure };
  } catch (thrown) {
    scope.emit("tool_usage_error", { ...named, error: errorMessage(thrown) });
    const error = EngineError.is(thrown)
      ? thrown
      : new EngineError("tool_failed", errorMessage(thrown));
    const ran = error.code !== "invalid_input";
    return { kind: "failure", ran, failure: failureOf(error), error };
  } finally {
    ended?.();
  }
}

/**
 * Returns the result of an equal call, waiting for one in progress. Without one the call begins, and must report its
 * end (TC5).
 */
async function sharedResult(
  cache: ToolCache,
  {
    tool,
    input,
    inner,
  }: { readonly tool: Tool; readonly input: JsonObject; readonly inner: RunScope },
): Promise<KeptResult | (() => void)> {
  for (;;) {
    const result = cache.read(tool, input);
    if (result !== undefined) return result;
    const open = cache.openCall(tool, input, inner.path);
    if (open === undefined) return cache.begin(tool, input, inner.path);
    await inner.until(open);
  }
}

/** Throws an error that the step retries, if the tool's policy allows it. */
function retryLater(
  failure: ToolFailure,
  tool: Tool,
  { attempt, key }: Pick<StepContext, "attempt" | "key">,
): void {
  const { retryable, retryAfterMs, unsent } = failure;
  if (!retryable || tool.retry === undefined || (tool.effect === "once" && unsent !== true)) return;
  const error = new EngineError("tool_failed", failureText(failure), {
    retryable,
    retryAfterMs,
    unsent,
  });
  if (retryDelayMs(tool.retry, { error, attempt, key }) !== undefined) throw error;
}

/** Converts the price of a call to usage, counted like the run's models. A cached result costs no more. */
function paidUsage(extras: ResultExtras | undefined, fromCache: boolean): Usage | undefined {
  const usd = fromCache ? undefined : extras?.usd;
  return usd === undefined || !(usd > 0) ? undefined : { ...NO_USAGE, costUsd: usd };
}

/** Returns the price of a call and the usage of its model calls, which the run has counted already. */
function paidWork(extras: ResultExtras | undefined, fromCache: boolean): ToolWork | undefined {
  const paid = paidUsage(extras, fromCache);
  const used = fromCache ? undefined : extras?.usage;
  if (paid === undefined && used === undefined) return undefined;
  return { usage: addUsage(paid ?? NO_USAGE, used ?? NO_USAGE), delegatedTo: [] };
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
