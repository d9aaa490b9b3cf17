// One tool call of an agent, as a durable step.
//
//   TC1. Any failure of a tool is a text for the model, never an error of the run, unless a policy is `raise`.
//   TC2. A call answered from the cache is recorded like any other, so replay does not depend on the cache.
//   TC3. A tool's events have the order: started, then finished or error.
//   TC5. Of equal concurrent calls one is made, and the others take its result from the cache. If it fails, or its
//        result is not cached, the next one is made.
//   TC4. Failures and empty results are not cached: a tool without a result is called again.
import { changesFrozen } from "../base/user-code.ts";
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { NO_RETRY, retryDelayMs } from "../base/retry.ts";
import type { Usage } from "../base/usage.ts";
import { addUsage, NO_USAGE } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { StepContext } from "../journal/step-spec.ts";
import { envOf } from "./env-vars.ts";
import { setInnerCaller, type InnerCaller } from "./inner-caller.ts";
import { withKeptImages } from "./kept-images.ts";
import { recordedFields, type RecordedCall } from "./recorded-call.ts";
import { rawOf, type KeptResult, type ToolCache } from "./tool-cache.ts";
import type { ToolCaller } from "./tool-context.ts";
import { failureOf, failureText, isToolFailure, type ToolFailure } from "./tool-failure.ts";
import type { ToolWork } from "./tool-report.ts";
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
    const recorded = await scope.step<RecordedCall>({
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
        const times = (): Pick<RecordedCall, "startedAtMs" | "endedAtMs"> => ({
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
        let isOver = false;
        const made = toolContext(context, inner, {
          ...caller,
          env,
          toolName: tool.safeName,
          isOver: () => isOver,
        });
        if (options.inner !== undefined) setInnerCaller(made, options.inner);
        const call = inner.run(async () => tool.call(input, made));
        const result = await call.catch(namingFrozen).finally(() => (isOver = true));
        if (isToolFailure(result)) retryLater(result, tool, context);
        const extras =
          result instanceof ToolResult ? await withKeptImages(inner, extrasOf(result)) : undefined;
        return { ...recordedFields(result, options, extras), fromCache: false, ...times() };
      },
    });
    const { failure, empty } = recorded;
    if (failure === undefined) tool.recorded?.(rawOf(recorded));
    if (failure === undefined && empty === undefined) cache?.write(tool, input, recorded);
    scope.emit("tool_usage_finished", { ...named, ...finishedFields(recorded, options) });
    return outcomeOf(recorded, options);
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

/** Throws the error of a call; that of a change to a frozen value says whose fault it is, and what to write. */
function namingFrozen(error: unknown): never {
  if (!changesFrozen(error)) throw error;
  throw new EngineError(
    "user_code_failed",
    `its code changed a frozen value (${errorMessage(error)}), whatever the arguments: it must change a copy, and set a context variable with variables.set(name, copy)`,
    { cause: error },
  );
}

/** Returns the payload of `tool_usage_finished`, without the names of the call. */
function finishedFields(
  { text, fromCache, failure, attempts = 1, startedAtMs, endedAtMs, extras = {} }: RecordedCall,
  { tool: { service }, ignoresFailure = false }: ToolCallOptions,
) {
  const { bytes, cost, sources } = extras;
  return {
    output: cut(text, MAX_EVENT_TEXT),
    fromCache,
    ...(failure === undefined || ignoresFailure ? undefined : { failure }),
    ...(service === undefined ? undefined : { service, attempts }),
    ...(bytes === undefined ? undefined : { bytes }),
    ...(cost === undefined ? undefined : { cost: { ...cost } }),
    ...(sources === undefined
      ? undefined
      : { sources: sources.map(({ url, title }) => (title ? { url, title } : { url })) }),
    startedAt: isoTime(startedAtMs),
    finishedAt: isoTime(endedAtMs),
  };
}

function outcomeOf(recorded: RecordedCall, { keepsValue }: ToolCallOptions): ToolCallOutcome {
  const { text, fromCache, failure, extras, value = text } = recorded;
  if (failure !== undefined) return { kind: "failure", ran: true, failure };
  return {
    kind: "result",
    ran: !fromCache,
    text,
    raw: () => rawOf(recorded),
    ...(keepsValue === true ? { value } : undefined),
    work: recorded.work ?? paidWork(extras, fromCache),
    extras,
  };
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
