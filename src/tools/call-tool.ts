// One tool call of an agent, as a durable step.
//
//   TC1. Whatever goes wrong in a tool is a text for the model, never an error of the run, unless a policy says `raise`.
//   TC2. A call that was answered from the cache is on record like any other, so that replay does not depend on the cache.
//   TC3. A tool's events have the order: started, then finished or error.
//   TC5. Of equal calls at the same time one is made, and the others take its result from the cache. Where it failed, or its result is
//        not kept, the next one is made.
//   TC4. Failures are not kept in the cache, and neither is a result of nothing: a tool that gave nothing is asked again.
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
import { failureOf, failureText, isToolFailure, type ToolFailure } from "./tool-failure.ts";
import { ToolReport, type ToolWork } from "./tool-report.ts";
import { ToolResult, type ResultExtras, extrasOf } from "./tool-result.ts";
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
      /** What there is to the result beside its text. */
      readonly extras?: ResultExtras | undefined;
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
  /** The input has the types that the tool's schema names. @default false */
  readonly isTyped?: boolean;
  /** Whose rules hold for calls that the tool makes of others. @default those of the tools alone */
  readonly inner?: InnerCaller | undefined;
};

type Recorded = ToolRecord & {
  /** What it had agents do. */
  readonly work?: ToolWork;
  readonly extras?: ResultExtras;
  /** Executions, where it took more than one. */
  readonly attempts?: number;
  readonly failure?: ToolFailure;
  /** The tool gave nothing. */
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

/** The result of an equal call, also of one that is still under way; without one the call begins, and its end is to be told (TC5). */
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

/** Throws what the step tries again for, if the tool's policy says so. */
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

/** What a call cost in money counts like the models of its run. A result that was kept costs nothing more. */
function paidUsage(extras: ResultExtras | undefined, fromCache: boolean): Usage | undefined {
  const usd = fromCache ? undefined : extras?.usd;
  return usd === undefined || !(usd > 0) ? undefined : { ...NO_USAGE, costUsd: usd };
}

/** What a call cost, and what models used on the way, which the run has counted already. */
function paidWork(extras: ResultExtras | undefined, fromCache: boolean): ToolWork | undefined {
  const paid = paidUsage(extras, fromCache);
  const used = fromCache ? undefined : extras?.usage;
  if (paid === undefined && used === undefined) return undefined;
  return { usage: addUsage(paid ?? NO_USAGE, used ?? NO_USAGE), delegatedTo: [] };
}

/** The text of data for tools whose `format` or `resultSchema` makes it. */
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

/** The text for the model: the tool's own, else text as it is, and everything else as compact JSON of what `resultSchema` makes of it. */
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

/** A model reads what JSON shows of a result. Throws `output_invalid` with the path of what cannot be shown. */
function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(viewOf(value));
}
