// What providers say of each row about them (src/llm/providers): the refusal in its wire form, and which requests meet it.
import type { JsonObject } from "../../src/base/json.ts";
import type { Message, ModelRequest } from "../../src/llm/language-model.ts";
import type { ModelSettings } from "../../src/llm/model-settings.ts";

export type RowFixture = {
  /** A model that the row is about. */
  readonly settings: ModelSettings;
  /** A model that no row is about, and whose requests the provider would refuse. */
  readonly other: ModelSettings;
  readonly request?: Partial<ModelRequest>;
  readonly refuses: (body: JsonObject) => boolean;
  readonly refusal: { readonly status: number; readonly error: JsonObject };
};

const USER: Message = { role: "user", content: "Hello" };
const SYSTEM: Message = { role: "system", content: "Be brief." };
const SAID: Message = { role: "assistant", content: "Yes." };
const CALLED: readonly Message[] = [
  USER,
  {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "call_long_1", name: "t", arguments: "{}" }],
  },
  { role: "tool", toolCallId: "call_long_1", toolName: "t", content: "42" },
];
const TOOLS: ModelRequest["tools"] = [
  { name: "t", description: "T.", parameters: { type: "object", properties: {} } },
];
const SCHEMA: ModelRequest["responseSchema"] = {
  name: "answer",
  schema: {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  },
};

const error = (message: string, more: JsonObject = {}): RowFixture["refusal"] => ({
  status: 400,
  error: { message, type: "invalid_request_error", ...more },
});
const messagesOf = (body: JsonObject): readonly JsonObject[] =>
  (body["messages"] ?? []) as readonly JsonObject[];
const hasRole = (body: JsonObject, ...roles: readonly string[]): boolean =>
  messagesOf(body).some(({ role }) => roles.some((each) => each === role));
const endsWithAssistant = (body: JsonObject): boolean =>
  messagesOf(body).at(-1)?.["role"] === "assistant";
const hasSchema = (body: JsonObject): boolean =>
  (body["response_format"] as { readonly type?: string } | undefined)?.type === "json_schema";

const HOUSE: ModelSettings = { model: "house/m" };
const NO_SCHEMA = {
  other: HOUSE,
  request: { responseSchema: SCHEMA },
  refuses: hasSchema,
  refusal: error("This response_format type is unavailable now"),
};
const CLOSING = {
  other: HOUSE,
  request: { messages: [USER, SAID] },
  refuses: endsWithAssistant,
  refusal: error(
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  ),
};

/** By the ids of rows. */
export const ROW_FIXTURES: Readonly<Record<string, RowFixture>> = {
  "openai-reasoning-stop": {
    settings: { model: "openai/gpt-5", stop: ["END"] },
    other: { model: "house/m", stop: ["END"] },
    refuses: (body) => "stop" in body,
    refusal: error("Unsupported parameter: 'stop' is not supported with this model.", {
      param: "stop",
      code: "unsupported_parameter",
    }),
  },
  "openai-reasoning-limit": {
    settings: { model: "azure/o3", maxTokens: 100 },
    other: { model: "house/m", maxTokens: 100 },
    refuses: (body) => "max_tokens" in body,
    refusal: error(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    ),
  },
  "o1-first-tools": {
    settings: { model: "openai/o1-mini" },
    other: HOUSE,
    request: { tools: TOOLS },
    refuses: (body) => "tools" in body,
    refusal: error("Unsupported parameter: 'tools' is not supported with this model."),
  },
  "openai-old-schema": {
    ...NO_SCHEMA,
    settings: { model: "openai/gpt-3.5-turbo" },
    refusal: error(
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ),
  },
  "o1-first-roles": {
    settings: { model: "openai/o1-preview" },
    other: HOUSE,
    request: { messages: [SYSTEM, USER] },
    refuses: (body) => hasRole(body, "system", "developer"),
    refusal: error(
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ),
  },
  "o1-role": {
    settings: { model: "azure/o1" },
    other: HOUSE,
    request: { messages: [SYSTEM, USER] },
    refuses: (body) => hasRole(body, "system"),
    refusal: error(
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ),
  },
  "mistral-ids": {
    settings: { model: "mistral/mistral-large-latest" },
    other: HOUSE,
    request: { messages: CALLED },
    refuses: (body) =>
      messagesOf(body)
        .map((message) => message["tool_call_id"])
        .some((id) => typeof id === "string" && !/^[a-zA-Z0-9]{9}$/.test(id)),
    refusal: error("Tool call id was call_long_1 but must be a-z, A-Z, 0-9, with a length of 9.", {
      code: 3280,
    }),
  },
  "claude-old-schema": {
    settings: { model: "anthropic/claude-3-5-haiku-latest" },
    other: { model: "anthropic/claude-opus-5" },
    request: { responseSchema: SCHEMA },
    refuses: (body) => "output_config" in body,
    refusal: error("output_config: structured outputs are not supported by claude-3-5-haiku"),
  },
  "bedrock-schema": {
    settings: { model: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
    other: { model: "bedrock/us.meta.llama4-scout-17b-instruct-v1:0" },
    request: { responseSchema: SCHEMA },
    refuses: () => false,
    refusal: error("This model doesn't support the outputConfig.textFormat field."),
  },
  "bedrock-caches": {
    settings: { model: "bedrock/amazon.nova-lite-v1:0" },
    other: { model: "bedrock/us.meta.llama4-scout-17b-instruct-v1:0" },
    request: { messages: [{ role: "user", content: "Hello", cacheBreakpoint: true }] },
    refuses: () => false,
    refusal: error(
      "You invoked an unsupported model or your request did not allow prompt caching.",
    ),
  },
  "gemini-signatures": {
    settings: { model: "gemini/gemini-3-pro-preview" },
    other: { model: "gemini/gemini-2.5-pro" },
    request: { messages: CALLED, tools: TOOLS },
    refuses: (body) => !JSON.stringify(body).includes('"thoughtSignature"'),
    refusal: error("Function call is missing a thought_signature in functionCall parts.", {
      code: 400,
      status: "INVALID_ARGUMENT",
    }),
  },
  "gemini-budgets": {
    settings: { model: "gemini/gemini-2.5-flash", reasoningEffort: "low" },
    other: { model: "gemini/gemini-3-pro-preview", reasoningEffort: "low" },
    refuses: (body) => JSON.stringify(body).includes('"thinkingLevel"'),
    refusal: error("Thinking level is not supported for this model.", {
      code: 400,
      status: "INVALID_ARGUMENT",
    }),
  },
  "claude-tool-search": {
    settings: { model: "anthropic/claude-opus-4-5" },
    other: { model: "anthropic/claude-haiku-4-5" },
    refuses: () => false,
    refusal: error("tool_search_tool_bm25_20251119 is not supported by this model"),
  },
  "workers-ai-schema": {
    settings: { model: "workers-ai/@cf/meta/llama-3.1-8b-instruct" },
    other: { model: "workers-ai/@cf/qwen/qwq-32b" },
    refuses: () => false,
    refusal: error("5024: JSON Mode couldn't be met"),
  },
  "mistral:streamOptions": {
    settings: { model: "mistral/mistral-large-latest", stream: true },
    other: { model: "house/m", stream: true },
    refuses: (body) => "stream_options" in body,
    refusal: {
      status: 422,
      error: {
        object: "error",
        message: "Extra inputs are not permitted: stream_options",
        type: "invalid_request_error",
      },
    },
  },
  "mistral:closing": { ...CLOSING, settings: { model: "mistral/mistral-large-latest" } },
  "deepseek:responseSchema": { ...NO_SCHEMA, settings: { model: "deepseek/deepseek-chat" } },
  "perplexity:tools": {
    settings: { model: "perplexity/sonar" },
    other: HOUSE,
    request: { tools: TOOLS },
    refuses: (body) => "tools" in body,
    refusal: error("Tool calling is not supported for this model"),
  },
  "perplexity:closing": {
    ...CLOSING,
    settings: { model: "perplexity/sonar" },
    refusal: error("Last message must have role `user`.", { code: 400 }),
  },
  "perplexity:alternates": {
    settings: { model: "perplexity/sonar" },
    other: HOUSE,
    request: { messages: [SYSTEM, USER, USER] },
    refuses: (body) =>
      messagesOf(body).some(({ role }, at, all) => at > 0 && role === all[at - 1]?.["role"]),
    refusal: error(
      "After the (optional) system message(s), user and assistant roles should be alternating.",
      { code: 400 },
    ),
  },
  "nvidia:responseSchema": { ...NO_SCHEMA, settings: { model: "nvidia/nemotron" } },
  "bedrock:responseSchema": {
    ...NO_SCHEMA,
    settings: { model: "bedrock/openai.gpt-oss-120b", api: "chat" },
  },
  "bedrock:closing": {
    ...CLOSING,
    settings: { model: "bedrock/openai.gpt-oss-120b", api: "chat" },
  },
  "ollama:closing": { ...CLOSING, settings: { model: "ollama/llama3.1" } },
  "dashscope:responseSchema": { ...NO_SCHEMA, settings: { model: "dashscope/qwen-plus" } },
  "workers-ai:responseSchema": {
    ...NO_SCHEMA,
    settings: { model: "workers-ai/@cf/qwen/qwq-32b" },
  },
};

/** A refusal, and the request that it is about. */
export type RefusalFixture = { readonly message: string; readonly body: JsonObject };

const MESSAGES = [{ role: "user", content: "Hello" }];
const strict = { type: "json_schema", json_schema: { name: "a", strict: true, schema: {} } };
const loose = { type: "json_schema", json_schema: { name: "a", strict: false, schema: {} } };
const setting = (name: string, value: string | number | boolean | JsonObject): RefusalFixture => ({
  message: `Unsupported parameter: '${name}' is not supported with this model.`,
  body: { messages: MESSAGES, [name]: value },
});
const CALLS: JsonObject = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "t", arguments: "{}" } }],
};

/** By the names of refused parts. */
export const REFUSAL_FIXTURES: Readonly<Record<string, RefusalFixture>> = {
  stream: {
    message: "This model doesn't support tool use in streaming mode.",
    body: { messages: MESSAGES, stream: true },
  },
  "a format beside tools": {
    message: "Function calling with a response mime type: 'application/json' is unsupported",
    body: {
      contents: [],
      tools: [],
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: {} },
    },
  },
  "tools of an answer": {
    message: "This model doesn't support tool use.",
    body: {
      messages: MESSAGES,
      toolConfig: { tools: [{ toolSpec: { name: "structured_output" } }] },
    },
  },
  "cache points": {
    message:
      "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.",
    body: {
      system: [{ text: "Rules." }, { cachePoint: { type: "default" } }],
      messages: [{ role: "user", content: [{ text: "Go" }, { cachePoint: { type: "default" } }] }],
    },
  },
  penalties: {
    message: "Penalty is not enabled for models/gemini-2.5-flash-lite",
    body: { contents: [], generationConfig: { frequencyPenalty: 1, presencePenalty: 1 } },
  },
  thinking: {
    message: "Budget 0 is invalid. This model only works in thinking mode.",
    body: { contents: [], generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  },
  "signatures of thoughts": {
    message:
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.",
    body: {
      contents: [{ role: "model", parts: [{ functionCall: { name: "t", args: {} } }] }],
    },
  },
  stop_sequences: {
    message:
      "This model doesn't support the stopSequences field. Remove stopSequences and try again.",
    body: { messages: MESSAGES, inferenceConfig: { stopSequences: ["END"] } },
  },
  effort: {
    message:
      "This model doesn't support the outputConfig.effort field. Remove outputConfig.effort and try again.",
    body: { messages: MESSAGES, outputConfig: { effort: "low" } },
  },
  max_completion_tokens: {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    body: { messages: MESSAGES, max_tokens: 9 },
  },
  max_tokens: {
    message:
      "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]",
    body: { messages: MESSAGES, max_completion_tokens: 9 },
  },
  "top_p beside temperature": {
    message:
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    body: { messages: MESSAGES, temperature: 1, top_p: 0.5 },
  },
  tool_choice: {
    message: "tool_choice 'required' is incompatible with thinking enabled",
    body: { messages: MESSAGES, tool_choice: "required" },
  },
  "strict schema": {
    message:
      "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required",
    body: { messages: MESSAGES, response_format: strict },
  },
  schema: {
    message: "This model does not support response format `json_schema`. See supported models.",
    body: { messages: MESSAGES, response_format: loose },
  },
  response_format: {
    message: "'response_format' of type 'json_object' is not supported with this model.",
    body: { messages: MESSAGES, response_format: { type: "json_object" } },
  },
  "system role": {
    message: "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    body: { messages: [{ role: "system", content: "Be brief." }, ...MESSAGES] },
  },
  "a conversation with calls and no tools": {
    message:
      "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    body: { messages: [...MESSAGES, CALLS, { role: "tool", tool_call_id: "a", content: "1" }] },
  },
  "content null": {
    message: "Invalid 'content': 'content' field must be a string or an array of objects.",
    body: { messages: [...MESSAGES, CALLS] },
  },
  "a system in the middle": {
    message: "{{- raise_exception('System message must be at the beginning.') }}",
    body: { messages: [...MESSAGES, { role: "system", content: "Be brief." }] },
  },
  "thoughts beside words and calls": {
    message: "Cannot pass both content and thinking in an assistant message with tool calls!",
    body: { messages: [...MESSAGES, { ...CALLS, content: "I look.", reasoning_content: "Hm." }] },
  },
  "thoughts of before": {
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
    body: {
      messages: [
        ...MESSAGES,
        { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "x" }] },
      ],
    },
  },
  "reasoning of before": {
    message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    body: { input: [{ type: "reasoning", id: "rs_1", summary: [] }] },
  },
  temperature: setting("temperature", 0.2),
  top_p: setting("top_p", 0.2),
  top_k: setting("top_k", 20),
  seed: setting("seed", 7),
  frequency_penalty: setting("frequency_penalty", 1),
  presence_penalty: setting("presence_penalty", 1),
  logit_bias: setting("logit_bias", { "50256": -100 }),
  top_logprobs: setting("top_logprobs", 2),
  logprobs: setting("logprobs", true),
  n: setting("n", 2),
  parallel_tool_calls: setting("parallel_tool_calls", false),
  reasoning_effort: setting("reasoning_effort", "low"),
  store: setting("store", true),
  stream_options: setting("stream_options", { include_usage: true }),
  user: setting("user", "ann"),
  metadata: setting("metadata", { a: "b" }),
};

/** Refusals for the length of a conversation, as servers word them, by the words that tell. */
export const CONTEXT_FIXTURES: Readonly<Record<string, string>> = {
  "expected a string with maximum length":
    "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1530000 instead.",
  "maximum context length":
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9137 tokens.",
  "context length exceeded": "Context length exceeded for this model",
  context_length_exceeded: "400: context_length_exceeded",
  "context window full": "context window full",
  "too many tokens": "too many tokens: size limit exceeded by 11326 tokens.",
  "input is too long": "Input is too long for requested model.",
  "exceeds token limit": "Request payload exceeds token limit of the model",
  "exceeds the maximum number of tokens":
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "prompt is too long": "prompt is too long: 209000 tokens > 200000 maximum",
  "exceed context limit":
    "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length or `max_tokens` and try again",
  "exceeds the available context size":
    "request (1417 tokens) exceeds the available context size (1024 tokens), try increasing it",
  "context size has been exceeded": "Context size has been exceeded.",
  exceed_context_size_error: "exceed_context_size_error",
  "exceeds the context window":
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "exceeded this model context window limit":
    "5021: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8000).",
  "context window exceeds limit": "invalid params, context window exceeds limit (2013)",
  "maximum prompt length is":
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
  "context length of only":
    "The model was loaded with a context length of only 4096 tokens, which is not enough.",
  "greater than the context length":
    "The number of tokens to keep from the initial prompt is greater than the context length.",
  "`inputs` tokens + `max_new_tokens` must be":
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4090 `inputs` tokens and 20 `max_new_tokens`",
  "range of input length should be": "Range of input length should be [1, 129024]",
  "exceeds maximum allowed token length": "Prompt exceeds maximum allowed token length",
  "please reduce the length of the messages":
    "Please reduce the length of the messages or completion.",
  "`inputs` must have less than": "`inputs` must have less than 4095 tokens. Given: 5000",
  "input validation error: `inputs`": "Input validation error: `inputs` are over 4095 tokens: 5000",
  "trying to keep the first":
    "Trying to keep the first 4979 tokens when context the overflows. However, the model is loaded with 4096 tokens.",
  "too large for model with":
    "Prompt contains 39000 tokens, too large for model with 32768 maximum context",
  "model's context length":
    "The input (210432 tokens) is longer than the model's context length (131072 tokens).",
};
