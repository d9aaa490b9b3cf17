// The payloads of a model call's events.
import type { ModelRequest, ModelResponse } from "../llm/language-model.ts";
import { isUsageUnknown } from "./checked-answer.ts";
import type { ModelCaller } from "./model-caller.ts";

/** Returns the fields of `llm_call_started` about the request. */
export function requestFields({ messages, tools, builtinTools = [] }: ModelRequest) {
  const names = [...builtinTools.map(({ kind }) => kind), ...(tools ?? []).map(({ name }) => name)];
  return {
    messageCount: messages.length,
    ...(names.length === 0 && tools === undefined ? undefined : { tools: names }),
  };
}

/** Returns the fields of `llm_call_completed` about the answer. */
export function answerFields(response: ModelResponse, { model, identity }: ModelCaller) {
  const { text, toolCalls, usage, finishReason, ignored, responseId } = response;
  const hasCalls = toolCalls.length > 0;
  return {
    model: response.model ?? model.id,
    response: text,
    callType: hasCalls ? ("tool_call" as const) : ("llm_call" as const),
    ...(hasCalls ? { toolCalls } : undefined),
    usage,
    ...(isUsageUnknown(response) ? { usageUnknown: true } : undefined),
    finishReason,
    ...(ignored === undefined ? undefined : { ignored }),
    ...(responseId === undefined ? undefined : { responseId }),
    ...choiceOf(response),
    ...(identity === undefined ? undefined : { agentRole: identity.role }),
  };
}

/** Returns the fields of an answer set by a model list or a cache. */
function choiceOf({ configIndex, passedFilter, spent }: ModelResponse) {
  return {
    ...(configIndex === undefined ? undefined : { configIndex }),
    ...(passedFilter === undefined ? undefined : { passedFilter }),
    ...(spent === undefined ? undefined : { spent }),
  };
}
