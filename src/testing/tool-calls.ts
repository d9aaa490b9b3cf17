import type { JsonObject } from "../base/json.ts";
import type { ScriptedReply, ScriptedToolCall } from "../llm/scripted/scripted-model.ts";

/** A reply with tool calls. */
export type ToolCallReply = Exclude<ScriptedReply, string> & {
  readonly toolCalls: readonly ScriptedToolCall[];
};

/** Makes a reply with one tool call. `input` as a text may be invalid JSON. */
export function toolCall(name: string, input: JsonObject | string = {}): ToolCallReply {
  return { toolCalls: [{ name, arguments: input }] };
}

/** Makes a reply with all of these calls at once, and the text of the first reply with a text. */
export function toolsMessage(...calls: readonly ToolCallReply[]): ToolCallReply {
  const toolCalls = calls.flatMap((call) => call.toolCalls);
  return Object.assign({}, ...calls.toReversed(), { toolCalls }) as ToolCallReply;
}
