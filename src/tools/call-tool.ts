// One tool call of an agent, as a durable step.
//
//   TC1. Whatever goes wrong in a tool is a text for the model, never an error of the run.
//   TC2. A call that was answered from the cache is on record like any other, so that replay does not depend on the cache.
//   TC3. A tool's events have the order: started, then finished or error.
import { isoTime } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ToolCache } from "./tool-cache.ts";
import { ToolReport, type ToolWork } from "./tool-report.ts";
import { toolContext, type Tool } from "./tool.ts";

export type ToolCallOutcome =
  | { readonly kind: "result"; readonly text: string; readonly work?: ToolWork | undefined }
  | { readonly kind: "failure"; readonly error: EngineError };

export type ToolCallOptions = {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly agentRole: string;
  readonly cache?: ToolCache | undefined;
  /** Milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
};

type Recorded = {
  readonly text: string;
  readonly fromCache: boolean;
  /** What it had agents do. */
  readonly work?: ToolWork;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
};

/** Longer results are kept whole in the journal and cut where events show them. */
const MAX_EVENT_TEXT = 16_384;

export async function callTool(
  scope: RunScope,
  options: ToolCallOptions,
): Promise<ToolCallOutcome> {
  const { tool, input, agentRole, cache, deadlineAtMs } = options;
  const named = { toolName: tool.safeName, toolArgs: input, agentRole };
  try {
    const recorded = await scope.step<Recorded>({
      kind: "tool",
      effect: tool.effect,
      retry: tool.retry ?? NO_RETRY,
      timeoutMs: tool.timeoutMs,
      deadlineAtMs,
      run: async (context, inside) => {
        const startedAtMs = scope.clock.now();
        const inner = inside.open("tool_usage_started", { ...named, runAttempts: context.attempt });
        const cached = cache?.read(tool, input);
        const result =
          cached ?? (await inner.run(() => tool.call(input, toolContext(context, inner))));
        return {
          ...(result instanceof ToolReport
            ? { text: result.text, work: result.work }
            : { text: toText(result) }),
          fromCache: cached !== undefined,
          startedAtMs,
          endedAtMs: scope.clock.now(),
        };
      },
    });
    cache?.write(tool, input, recorded.text);
    scope.emit("tool_usage_finished", {
      ...named,
      output: cut(recorded.text, MAX_EVENT_TEXT),
      fromCache: recorded.fromCache,
      startedAt: isoTime(recorded.startedAtMs),
      finishedAt: isoTime(recorded.endedAtMs),
    });
    return { kind: "result", text: recorded.text, work: recorded.work };
  } catch (error) {
    scope.emit("tool_usage_error", { ...named, error: errorMessage(error) });
    return {
      kind: "failure",
      error: EngineError.is(error) ? error : new EngineError("tool_failed", errorMessage(error)),
    };
  }
}

/** Cuts a text that is too long to be shown whole, and says by how much. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()}\n[cut: ${text.length - maxLength} of ${text.length} characters left out]`;
}

function toText(result: unknown): string {
  if (typeof result === "string") return result;
  return JSON.stringify(result) ?? "";
}
