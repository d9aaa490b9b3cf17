// The chat completions API as llama.cpp's server and OpenAI speak it: what is asked for, and the bodies of answers.
import {
  CALL_BEGIN,
  callGrammar,
  JSON_OBJECT,
  schemaGrammar,
  type Schema,
  type ToolOfRequest,
} from "./grammar.ts";
import type { WireMessage } from "./prompt.ts";

export type ChatRequest = {
  readonly messages: readonly WireMessage[];
  readonly tools: readonly ToolOfRequest[];
  readonly grammar: string | undefined;
  /** Whether an answer is data, by a schema or as a call. */
  readonly isShaped: boolean;
  readonly maxTokens: number;
  readonly stops: readonly string[];
  readonly temperature: number;
  readonly isStream: boolean;
  readonly includesUsage: boolean;
};

/** `eager`: a free choice of tools is a call until there is a result. Weak models never choose one by themselves. */
export type ToolMood = "eager" | "free";

type Body = Readonly<Record<string, unknown>>;

/** Reads the body of a request. Throws an `Error` for one that cannot be answered. */
export function readChatRequest(body: Body, mood: ToolMood): ChatRequest {
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0) throw new Error("'messages' is required");
  const tools = toolsOf(body);
  const shape = shapeOf(body["response_format"] as Body | undefined);
  const calls = callsOf(body["tool_choice"], tools);
  const hasResult = (messages as readonly WireMessage[]).some(({ role }) => role === "tool");
  const isForced = calls.isForced || (calls.tools.length > 0 && mood === "eager" && !hasResult);
  const grammar =
    calls.tools.length > 0 && (isForced || shape === undefined)
      ? callGrammar(calls.tools, !isForced)
      : shape;
  const stop = body["stop"];
  const limit = body["max_completion_tokens"] ?? body["max_tokens"];
  return {
    messages: messages as readonly WireMessage[],
    tools: calls.tools,
    grammar,
    isShaped: isForced || shape !== undefined,
    maxTokens: typeof limit === "number" && limit > 0 ? limit : Infinity,
    stops: typeof stop === "string" ? [stop] : Array.isArray(stop) ? (stop as string[]) : [],
    temperature: typeof body["temperature"] === "number" ? body["temperature"] : 0.7,
    isStream: body["stream"] === true,
    includesUsage: (body["stream_options"] as Body | undefined)?.["include_usage"] === true,
  };
}

function toolsOf({ tools }: Body): readonly ToolOfRequest[] {
  if (!Array.isArray(tools)) return [];
  return (tools as readonly Body[]).map((tool) => {
    const { name, description = "", parameters = {} } = tool["function"] as Body;
    return {
      name: String(name),
      description: String(description),
      parameters: parameters as Schema,
    };
  });
}

function callsOf(
  choice: unknown,
  tools: readonly ToolOfRequest[],
): { readonly tools: readonly ToolOfRequest[]; readonly isForced: boolean } {
  if (choice === "none") return { tools: [], isForced: false };
  if (choice === "required") return { tools, isForced: tools.length > 0 };
  const named = (choice as { readonly function?: { readonly name?: string } } | undefined)
    ?.function;
  if (named === undefined) return { tools, isForced: false };
  return { tools: tools.filter(({ name }) => name === named.name), isForced: true };
}

function shapeOf(format: Body | undefined): string | undefined {
  if (format?.["type"] === "json_object") return schemaGrammar(JSON_OBJECT);
  if (format?.["type"] !== "json_schema") return undefined;
  return schemaGrammar((format["json_schema"] as Body)["schema"] as Schema);
}

export type WireCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

/** The call that a text is; undefined for words. A call that was cut off has the arguments that there are. */
export function callIn(text: string, id: string): WireCall | undefined {
  if (!text.startsWith(CALL_BEGIN)) return undefined;
  const found = /^\{"name":"((?:[^"\\]|\\.)*)","arguments":([^]*?)(?:\}?<\/tool_call>)?$/.exec(
    text.slice(CALL_BEGIN.length),
  );
  if (found === null) return undefined;
  const [, name = "", rest = ""] = found;
  return { id, type: "function", function: { name, arguments: rest } };
}

/** Refusals in llama.cpp's own words (tools/server of its repository). */
export const REFUSALS = {
  loading: {
    status: 503,
    error: { code: 503, message: "Loading model", type: "unavailable_error" },
  },
  fullWindow: (promptTokens: number, contextSize: number) => ({
    status: 400,
    error: {
      code: 400,
      message: `request (${promptTokens} tokens) exceeds the available context size (${contextSize} tokens), try increasing it`,
      type: "exceed_context_size_error",
      n_prompt_tokens: promptTokens,
      n_ctx: contextSize,
    },
  }),
  invalid: (message: string) => ({
    status: 400,
    error: { code: 400, message, type: "invalid_request_error" },
  }),
  broken: (message: string) => ({
    status: 500,
    error: { code: 500, message, type: "server_error" },
  }),
} as const;
