import type { JsonObject } from "../../base/json.ts";
import type { ConversationMessage, MessageRole } from "../messages.ts";

/** A call of a function, in OpenAI's form. */
export type Ag2ToolCall = {
  readonly id: string;
  readonly function: Ag2FunctionCall;
  readonly type: "function";
};

export type Ag2FunctionCall = { readonly name: string; readonly arguments: string };

export type Ag2ToolResponse = {
  readonly tool_call_id: string;
  readonly role: "tool";
  readonly content: string;
};

/** A message in AG2's stored form. */
export type Ag2Message = {
  readonly role: MessageRole;
  readonly content: ConversationMessage["content"];
  readonly name?: string;
  readonly tool_calls?: readonly Ag2ToolCall[];
  readonly function_call?: Ag2FunctionCall;
  readonly tool_responses?: readonly Ag2ToolResponse[];
  readonly tool_call_id?: string;
  readonly context?: JsonObject;
};

/** Converts a message to AG2's spelling. */
export function ag2Message(message: ConversationMessage): Ag2Message {
  const { role, content, name, toolCalls, functionCall, toolResponses, toolCallId, context } =
    message;
  return {
    role,
    content,
    ...(name === undefined ? undefined : { name }),
    ...(toolCalls === undefined
      ? undefined
      : {
          tool_calls: toolCalls.map(({ id, name: called, arguments: input }) => ({
            id,
            function: { name: called, arguments: input },
            type: "function" as const,
          })),
        }),
    ...(functionCall === undefined ? undefined : { function_call: functionCall }),
    ...(toolResponses === undefined
      ? undefined
      : {
          tool_responses: toolResponses.map(({ toolCallId: id, content: result }) => ({
            tool_call_id: id,
            role: "tool" as const,
            content: result,
          })),
        }),
    ...(toolCallId === undefined ? undefined : { tool_call_id: toolCallId }),
    ...(context === undefined ? undefined : { context }),
  };
}
