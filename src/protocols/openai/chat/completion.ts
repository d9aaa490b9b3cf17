// Turns as chat completions, whole and in chunks.
import type { Usage } from "../../../base/usage.ts";
import { finishOf, type Outcome } from "../outcome.ts";

/** Fields common to every chunk and to the whole completion. */
export type CompletionHead = {
  readonly id: string;
  /** In seconds. */
  readonly created: number;
  readonly model: string;
};

/** Returns a completion as one answer. */
export function completionOf({ id, created, model }: CompletionHead, outcome: Outcome): object {
  const { text, thinking, calls, usage } = outcome;
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(thinking === undefined ? undefined : { reasoning_content: thinking }),
    refusal: null,
    annotations: [],
    ...(calls.length === 0 ? undefined : { tool_calls: calls.map(toolCall) }),
  };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(outcome) }],
    usage: chatUsage(usage),
  };
}

/** Additions of one chunk to the message. */
export type Delta = {
  readonly role?: "assistant";
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly refusal?: null;
  readonly tool_calls?: ReadonlyArray<ReturnType<typeof toolCall> & { readonly index: number }>;
};

/**
 * Returns a chunk. With `include_usage` all chunks have the field `usage`; the last one has its value and no choices.
 */
export function chunkOf(
  { id, created, model }: CompletionHead,
  part: { readonly delta: Delta; readonly finish?: Outcome["finish"] } | { readonly usage: Usage },
  includesUsage: boolean,
): object {
  const choices =
    "usage" in part
      ? []
      : [{ index: 0, delta: part.delta, logprobs: null, finish_reason: part.finish ?? null }];
  const usage = "usage" in part ? chatUsage(part.usage) : null;
  const head = { id, object: "chat.completion.chunk", created, model, choices };
  return includesUsage ? { ...head, usage } : head;
}

/** Returns the calls of a turn as a delta. */
export function callsDelta({ calls }: Outcome): Delta {
  return { tool_calls: calls.map((call, index) => ({ index, ...toolCall(call) })) };
}

function toolCall({ id, name, arguments: args, isCustom }: Outcome["calls"][number]) {
  if (isCustom === true) return { id, type: "custom", custom: { name, input: args } } as const;
  return { id, type: "function", function: { name, arguments: args } } as const;
}

function chatUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedPromptTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
