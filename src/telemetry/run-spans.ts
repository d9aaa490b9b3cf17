// A run's events as spans, named by OpenTelemetry's conventions for generative AI.
//
//   RSP1. A pure function of the record: ids follow from the run and the event that opened the span, so a repeated
//         export overwrites itself.
//   RSP2. Texts of people and models are left out by default, error texts included.
//
// https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai
import type { TraceRoots } from "../events/listener.ts";
import type { EventOf, RunEvent } from "../events/run-event.ts";
import { opensScope, TERMINAL_EVENTS } from "../events/run-event.ts";
import { contextOf, spanIdOf, traceIdOf, type SpanContext } from "./trace-ids.ts";

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
  readonly failure?: string | undefined;
  readonly events: ReadonlyArray<{ name: string; atMs: number; attributes: Attributes }>;
  /** Spans of other traces with a causal link to this one. */
  readonly links: readonly SpanContext[];
};

export type SpanOptions = {
  /** Limits the result to spans that ended after this `seq`. */
  readonly afterSeq: number;
  /** Adds prompts, answers, tool arguments and results, error texts. */
  readonly captureContent: boolean;
  /** Connection to other traces. */
  readonly trace: TraceRoots;
};

type OpenSpan = { readonly start: RunEvent; readonly inside: RunEvent[]; costUsd: number };

/** Returns the ended spans of a run. `history` is read once, from its first event on. */
export function runSpans(history: Iterable<RunEvent>, options: SpanOptions): Span[] {
  const open = new Map<string, OpenSpan>();
  const spans: Span[] = [];
  let rootId = "";
  for (const event of history) {
    if (event.type === "run_started") rootId = event.id;
    if (event.type === "llm_call_completed") addCost(open, event, rootId);
    const startId = TERMINAL_EVENTS.has(event.type) ? rootId : event.startedId;
    const ended = startId === undefined ? undefined : open.get(startId);
    if (startId !== undefined && ended !== undefined) {
      open.delete(startId);
      if (event.seq > options.afterSeq) spans.push(toSpan(ended, event, { ...options, rootId }));
    } else if (opensScope(event.type)) open.set(event.id, { start: event, inside: [], costUsd: 0 });
    else (open.get(event.parentId ?? "") ?? open.get(rootId))?.inside.push(event);
  }
  return spans;
}

/** Adds the cost of a model call to the spans around it, which are all open when the call ends. */
function addCost(
  open: ReadonlyMap<string, OpenSpan>,
  { startedId = "", usage }: EventOf<"llm_call_completed">,
  rootId: string,
): void {
  for (let span = open.get(startedId); span !== undefined;) {
    span.costUsd += usage.costUsd;
    const { id, parentId = rootId } = span.start;
    span = id === rootId ? undefined : open.get(parentId);
  }
}

function toSpan(
  { start, inside, costUsd }: OpenSpan,
  end: RunEvent,
  { rootId, captureContent, trace }: SpanOptions & { readonly rootId: string },
): Span {
  const { runId } = start;
  const isRoot = start.id === rootId;
  const parentSpanId = isRoot
    ? contextOf(trace.parent)?.spanId
    : spanIdOf(runId, start.parentId ?? rootId);
  const { origin } = trace;
  const { name, kind, attributes } = describe(start, end, captureContent);
  const failed = /_(failed|error|cancelled)$/.test(end.type);
  const error = (end as { error?: unknown }).error;
  return {
    traceId: traceIdOf(runId, trace.parent),
    spanId: spanIdOf(runId, start.id),
    ...(parentSpanId === undefined ? undefined : { parentSpanId }),
    name,
    kind,
    startMs: Date.parse(start.at),
    endMs: Date.parse(end.at),
    attributes: {
      "edgecrew.run.id": runId,
      "edgecrew.path": start.path,
      ...attributes,
      "edgecrew.cost_usd": costUsd > 0 ? costUsd : undefined,
      "error.type": failed ? errorType(error) : undefined,
    },
    failed,
    failure: captureContent && failed ? textOf(error) : undefined,
    events: inside.map((event) => ({
      name: event.type,
      atMs: Date.parse(event.at),
      attributes: { "edgecrew.event.id": event.id },
    })),
    links:
      isRoot && origin !== undefined
        ? [{ traceId: traceIdOf(origin.runId, origin.parent), spanId: spanIdOf(origin.runId) }]
        : [],
  };
}

type Description = Pick<Span, "name" | "attributes"> & { readonly kind: Span["kind"] };

function describe(start: RunEvent, end: RunEvent, content: boolean): Description {
  switch (start.type) {
    case "run_started":
      return internal(`run ${start.name}`, { "edgecrew.run.kind": start.kind });
    case "crew_kickoff_started":
      return internal(`invoke_workflow ${start.crewName}`, {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": start.crewName,
      });
    case "task_started":
      return internal(`task ${start.taskName}`, { "edgecrew.task.name": start.taskName });
    case "agent_execution_started":
      return internal(`invoke_agent ${start.agentRole}`, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": start.agentRole,
        "gen_ai.input.messages": content ? message("user", start.taskPrompt) : undefined,
        "gen_ai.output.messages":
          content && end.type === "agent_execution_completed"
            ? message("assistant", end.output)
            : undefined,
      });
    case "llm_call_started":
      return describeCall(start, end, content);
    case "tool_usage_started":
      return internal(`execute_tool ${start.toolName}`, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": start.toolName,
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": start.agentRole,
        "gen_ai.tool.call.arguments": content ? JSON.stringify(start.toolArgs) : undefined,
        "gen_ai.tool.call.result":
          content && end.type === "tool_usage_finished" ? end.output : undefined,
        "edgecrew.tool.from_cache": end.type === "tool_usage_finished" ? end.fromCache : undefined,
      });
    default:
      return internal(start.type.replace(/_(started|requested)$/, ""), {});
  }
}

function describeCall(
  start: EventOf<"llm_call_started">,
  end: RunEvent,
  content: boolean,
): Description {
  const [provider = "", ...rest] = start.model.split("/");
  const model = rest.length === 0 ? start.model : rest.join("/");
  const answer = end.type === "llm_call_completed" ? end : undefined;
  return {
    name: `chat ${model}`,
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": rest.length === 0 ? undefined : (PROVIDERS[provider] ?? provider),
      "gen_ai.request.model": model,
      "gen_ai.request.stream": start.stream || undefined,
      "gen_ai.response.id": answer?.responseId,
      "gen_ai.response.finish_reasons": answer && [answer.finishReason],
      "gen_ai.usage.input_tokens": answer?.usage.promptTokens,
      "gen_ai.usage.output_tokens": answer?.usage.completionTokens,
      "gen_ai.usage.cache_read.input_tokens": answer?.usage.cachedPromptTokens,
      "gen_ai.usage.cache_creation.input_tokens": answer?.usage.cacheCreationTokens,
      "gen_ai.usage.reasoning.output_tokens": answer?.usage.reasoningTokens,
      "edgecrew.usage.cost_usd": answer?.usage.costUsd,
      "gen_ai.output.messages":
        content && answer !== undefined
          ? message("assistant", answer.response, answer.finishReason)
          : undefined,
    },
  };
}

/** Providers with another name in the conventions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

function internal(name: string, attributes: Attributes): Description {
  return { name, kind: "internal", attributes };
}

function message(role: "user" | "assistant", content: string, finishReason?: string): string {
  const finish = finishReason === undefined ? undefined : { finish_reason: finishReason };
  return JSON.stringify([{ role, parts: [{ type: "text", content }], ...finish }]);
}

function errorType(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "_OTHER";
}

function textOf(error: unknown): string | undefined {
  if (typeof error === "string") return error;
  const text = (error as { message?: unknown } | null | undefined)?.message;
  return typeof text === "string" ? text : undefined;
}
