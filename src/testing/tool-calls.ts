import type { JsonObject } from "../base/json.ts";
import type { ScriptedReply, ScriptedToolCall } from "../llm/scripted/scripted-model.ts";

/** A reply that calls tools. */
export type ToolCallReply = Exclude<ScriptedReply, string> & {
  readonly toolCalls: readonly ScriptedToolCall[];
};

/** A reply that calls a tool. `input` as a text may be one that does not parse. */
export function toolCall(name: string, input: JsonObject | string = {}): ToolCallReply {
  return { toolCalls: [{ name, arguments: input }] };
}

/** A reply that makes all of these calls at once, with the text of the first that has one. */
export function toolsMessage(...calls: readonly ToolCallReply[]): ToolCallReply {
  const toolCalls = calls.flatMap((call) => call.toolCalls);
  return Object.assign({}, ...calls.toReversed(), { toolCalls }) as ToolCallReply;
}
