// Sources of the rows about providers, and Edgecrew's handling, for pages and tests.
//
// Rows are in src/llm: providers/model-rows.ts and providers/native-rows.ts (by names of models), providers.ts (`lacks`
// and `roles`), known-refusals.ts and refused-messages.ts (by refusals), and context-phrases.ts (by phrases). A test
// joins them by their ids.
import { OPENAI_SETTINGS } from "../../src/llm/openai-settings.ts";

export type RowSource = {
  readonly row: string;
  /** Common name of the affected provider or model, if the id does not show it. */
  readonly of?: string;
  /** Behaviour of the provider. */
  readonly says: string;
  /** Edgecrew's handling. */
  readonly we: string;
  /** A public page. */
  readonly source: string;
  /** When it was looked up: year, month and day. */
  readonly date: string;
};

const DATE = "2026-11-29";

const row = (
  id: string,
  source: string,
  said: Pick<RowSource, "of" | "says" | "we">,
): RowSource => ({ row: id, ...said, source, date: DATE });

/** Rows of model-rows.ts and native-rows.ts. */
export const MODEL_SOURCES: readonly RowSource[] = [
  row("openai-reasoning-stop", "https://platform.openai.com/docs/guides/reasoning", {
    of: "o1, o3, o4, GPT-5 and later",
    says: "refuse `stop`",
    we: "cut the answer at the stop word",
  }),
  row("openai-reasoning-limit", "https://platform.openai.com/docs/guides/reasoning", {
    of: "o1, o3, o4, GPT-5 and later",
    says: "refuse `max_tokens`",
    we: "send `max_completion_tokens`",
  }),
  row("o1-first-tools", "https://platform.openai.com/docs/guides/reasoning", {
    of: "o1-mini, o1-preview",
    says: "have no tools",
    we: "describe tools in words, and read calls from the text",
  }),
  row("openai-old-schema", "https://platform.openai.com/docs/guides/structured-outputs", {
    of: "GPT-3.5, GPT-4, o1-mini, o1-preview",
    says: "have no structured outputs",
    we: "ask for the schema in words, and check the answer",
  }),
  row("o1-first-roles", "https://github.com/OpenHands/OpenHands/issues/4839", {
    of: "o1-mini, o1-preview",
    says: "refuse the roles `system` and `developer`",
    we: "send the system's words as an assistant's",
  }),
  row("o1-role", "https://github.com/Aider-AI/aider/issues/2907", {
    of: "o1",
    says: "refuse the role `system`",
    we: "send `developer`",
  }),
  row("mistral-ids", "https://github.com/ggml-org/llama.cpp/issues/11402", {
    of: "Mistral's models, wherever they are served",
    says: "refuse ids of calls other than nine letters and digits",
    we: "write such ids, and keep calls and results together",
  }),
  row(
    "claude-old-schema",
    "https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
    {
      of: "Claude 2, 3, Opus 4 and Sonnet 4",
      says: "have no structured outputs",
      we: "offer a tool with the answer as its input",
    },
  ),
  row(
    "claude-tool-search",
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool",
    {
      of: "Claude Opus and Sonnet from 4.5 on",
      says: "search among many tools by themselves",
      we: "leave the search to the provider",
    },
  ),
  row("workers-ai-schema", "https://developers.cloudflare.com/workers-ai/features/json-mode/", {
    of: "Workers AI: Llama 3, 3.1, 3.3, 3.2 Vision, Hermes 2 Pro, two of DeepSeek",
    says: "take a schema, as few models there do",
    we: "send the schema to these models alone",
  }),
  row(
    "bedrock-schema",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
    {
      of: "Bedrock: Claude from 4.5 on, gpt-oss, Qwen 3, DeepSeek V3, Gemma 3, newer ones of Mistral, Kimi K2, MiniMax M2, Nemotron",
      says: "take a schema over Converse",
      we: "send the schema to these models, and to all others a tool with the answer as its input",
    },
  ),
  row(
    "bedrock-caches",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
    {
      of: "Bedrock: Claude 3.5 Haiku, 3.7 and from 4 on, Nova",
      says: "cache prompts up to a mark",
      we: "send the marks to these models alone",
    },
  ),
  row("gemini-signatures", "https://ai.google.dev/gemini-api/docs/thought-signatures", {
    of: "Gemini from 3 on",
    says: "refuse calls that are not signed",
    we: "sign the calls of other models with the stand-in that Google documents",
  }),
  row("gemini-budgets", "https://ai.google.dev/gemini-api/docs/thinking", {
    of: "Gemini up to 2.5",
    says: "have budgets of thinking, and no levels",
    we: "send the budget that Google names for the effort",
  }),
];

const SCHEMA_IN_WORDS = "ask for the schema in words, and check the answer";
const NO_SCHEMA = "takes no `json_schema`";
const CLOSING = {
  says: "refuses a conversation that ends with the assistant",
  we: "add a user's turn",
};

/** Rows of ../providers.ts, by provider and its missing feature or requirement. */
export const PROVIDER_SOURCES: readonly RowSource[] = [
  row("mistral:streamOptions", "https://docs.mistral.ai/api/", {
    says: "refuses `stream_options`",
    we: "leave it out; usage comes with the last chunk",
  }),
  row("mistral:closing", "https://docs.mistral.ai/capabilities/completion/", CLOSING),
  row("deepseek:responseSchema", "https://api-docs.deepseek.com/guides/json_mode", {
    says: NO_SCHEMA,
    we: SCHEMA_IN_WORDS,
  }),
  row("perplexity:tools", "https://docs.perplexity.ai/api-reference/chat-completions-post", {
    says: "has no tools",
    we: "describe tools in words, and read calls from the text",
  }),
  row(
    "perplexity:closing",
    "https://docs.perplexity.ai/api-reference/chat-completions-post",
    CLOSING,
  ),
  row("perplexity:alternates", "https://docs.perplexity.ai/api-reference/chat-completions-post", {
    says: "refuses two turns of one role in a row",
    we: "join them",
  }),
  row(
    "nvidia:responseSchema",
    "https://docs.nvidia.com/nim/large-language-models/latest/structured-generation.html",
    {
      says: NO_SCHEMA,
      we: SCHEMA_IN_WORDS,
    },
  ),
  row(
    "bedrock:responseSchema",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html",
    {
      says: NO_SCHEMA,
      we: SCHEMA_IN_WORDS,
    },
  ),
  row(
    "bedrock:closing",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html",
    CLOSING,
  ),
  row("ollama:closing", "https://github.com/ollama/ollama/blob/main/docs/openai.md", {
    says: "goes on with the assistant's text instead of answering",
    we: "add an empty user's turn",
  }),
  row("dashscope:responseSchema", "https://www.alibabacloud.com/help/en/model-studio/json-mode", {
    says: NO_SCHEMA,
    we: SCHEMA_IN_WORDS,
  }),
  row(
    "workers-ai:responseSchema",
    "https://developers.cloudflare.com/workers-ai/features/json-mode/",
    {
      says: "over REST takes `json_schema` for few models",
      we: SCHEMA_IN_WORDS,
    },
  ),
];

const LEFT = "ask again without it, and leave it out from then on";
const OPENAI_PARAMETERS = "https://platform.openai.com/docs/api-reference/chat/create";
const GEMINI_SCHEMA = "https://github.com/openswarm-ai/openswarm/issues/24";

/** Rows of ../known-refusals.ts and ../refused-messages.ts. */
export const REFUSAL_SOURCES: readonly RowSource[] = [
  row("max_completion_tokens", "https://github.com/koosoli/ESPHomeDesigner/issues/379", {
    says: "refuses `max_tokens` for its newer models, also behind a deployment of any name",
    we: "send `max_completion_tokens`",
  }),
  row("max_tokens", "https://github.com/voideditor/void/issues/128", {
    says: "refuses `max_completion_tokens`",
    we: "send `max_tokens`",
  }),
  row("top_p beside temperature", "https://github.com/Vali-98/ChatterUI/issues/564", {
    says: "takes one of `temperature` and `top_p`",
    we: "leave `top_p` out",
  }),
  row("tool_choice", "https://platform.claude.com/docs/en/build-with-claude/extended-thinking", {
    says: "refuses a forced tool while the model thinks",
    we: "leave the choice to the model",
  }),
  row("strict schema", "https://platform.openai.com/docs/guides/structured-outputs", {
    says: "refuses a schema that is to bind",
    we: "send it without `strict`, and check the answer",
  }),
  row("schema", "https://console.groq.com/docs/structured-outputs", {
    says: "takes no schema for this model",
    we: "ask for JSON of any form, and check the answer",
  }),
  row("response_format", "https://console.groq.com/docs/structured-outputs", {
    says: "takes no `response_format`",
    we: "ask for JSON in words, and check the answer",
  }),
  row("system role", "https://github.com/crewAIInc/crewAI/issues/1633", {
    says: "refuses the role `system` or `developer`",
    we: "put the system's words before the user's",
  }),
  row(
    "a conversation with calls and no tools",
    "https://github.com/Portkey-AI/gateway/issues/995",
    {
      says: "refuses a conversation with calls that names no tools",
      we: "name the tools that were called, and allow no call",
    },
  ),
  row("content null", "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/261", {
    says: "refuses calls with null `content`",
    we: "send an empty text",
  }),
  row("a system in the middle", "https://github.com/ggml-org/llama.cpp/issues/20733", {
    says: "takes a system message at the beginning alone",
    we: "join them there",
  }),
  row("thoughts beside words and calls", "https://github.com/ggml-org/llama.cpp/issues/17040", {
    says: "takes words or thoughts beside calls, not both",
    we: "leave the thoughts out",
  }),
  row("thoughts of before", "https://github.com/NousResearch/hermes-agent/pull/24107", {
    says: "refuses thoughts with an unknown signature",
    we: "ask again without them; the next conversation has its own",
  }),
  row("reasoning of before", "https://github.com/continuedev/continue/issues/8933", {
    says: "refuses reasoning without its result",
    we: "ask again without it",
  }),
  row("stream", "https://github.com/earendil-works/pi/issues/3739", {
    of: "Llama on Bedrock",
    says: "does not stream, or not with tools",
    we: "ask for the whole answer",
  }),
  row("a format beside tools", "https://github.com/googleapis/python-genai/issues/867", {
    says: "takes tools or a form of the answer, not both",
    we: "send the tools, ask for JSON in words, and check the answer",
  }),
  row(
    "tools of an answer",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html",
    {
      says: "has no tools, so that a schema cannot be one",
      we: "ask for JSON in words, and check the answer",
    },
  ),
  row("cache points", "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html", {
    says: "caches no prompts of this model",
    we: "leave the marks out",
  }),
  row("penalties", "https://ai.google.dev/api/generate-content", {
    says: "takes no penalties for this model",
    we: LEFT,
  }),
  row("thinking", "https://ai.google.dev/gemini-api/docs/thinking", {
    says: "does not take this budget or level of thinking",
    we: LEFT,
  }),
  row("signatures of thoughts", "https://github.com/vercel/ai/issues/15550", {
    says: "wants signatures of calls that it has made itself",
    we: "sign the calls with the stand-in that Google documents; the next conversation has its own",
  }),
  row(
    "stop_sequences",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html",
    { says: "refuses stop words for some models", we: "cut the answer at the stop word" },
  ),
  row(
    "effort",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
    { says: "refuses an effort for some models", we: LEFT },
  ),
  row("a keyword of a schema", GEMINI_SCHEMA, {
    says: "does not know a keyword in schemas of tools, such as `additionalProperties`",
    we: "leave it out (`const` becomes `enum`), and check arguments",
  }),
  ...OPENAI_SETTINGS.map((setting) =>
    row(setting, OPENAI_PARAMETERS, { says: `refuses \`${setting}\` for some models`, we: LEFT }),
  ),
];

const SUMMARISED = {
  says: "refuses a conversation that is longer than the window",
  we: "sum it up, or ask a model with a larger window",
};
const context = (phrase: string, of: string, source: string): RowSource =>
  row(phrase, source, { of, ...SUMMARISED });
const LLAMA = "https://github.com/ggml-org/llama.cpp/tree/master/tools/server";
const OPENAI_ERRORS = "https://platform.openai.com/docs/guides/error-codes";
const LM_STUDIO = "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues";
const TGI =
  "https://github.com/huggingface/text-generation-inference/blob/main/router/src/validation.rs";

/** Rows of ../context-phrases.ts. */
export const CONTEXT_SOURCES: readonly RowSource[] = [
  context("expected a string with maximum length", "OpenAI", OPENAI_ERRORS),
  context(
    "maximum context length",
    "OpenAI, vLLM, OpenRouter, DeepSeek",
    "https://github.com/ChatGPTNextWeb/NextChat/issues/3195",
  ),
  context("context length exceeded", "OpenAI, Groq", "https://console.groq.com/docs/errors"),
  context("context_length_exceeded", "OpenAI, Azure", OPENAI_ERRORS),
  context(
    "context window full",
    "Anthropic on Bedrock",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html",
  ),
  context("too many tokens", "Cohere", "https://docs.cohere.com/reference/errors"),
  context(
    "input is too long",
    "Bedrock",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html",
  ),
  context(
    "exceeds token limit",
    "Vertex",
    "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors",
  ),
  context(
    "exceeds the maximum number of tokens",
    "Gemini",
    "https://ai.google.dev/gemini-api/docs/troubleshooting",
  ),
  context("prompt is too long", "Anthropic", "https://platform.claude.com/docs/en/api/errors"),
  context(
    "exceed context limit",
    "Anthropic",
    "https://platform.claude.com/docs/en/build-with-claude/context-windows",
  ),
  context("exceeds the available context size", "llama.cpp, Ollama", LLAMA),
  context("context size has been exceeded", "llama.cpp, in the middle of an answer", LLAMA),
  context("exceed_context_size_error", "llama.cpp", LLAMA),
  context("exceeds the context window", "OpenAI's Responses API", OPENAI_ERRORS),
  context(
    "exceeded this model context window limit",
    "Workers AI",
    "https://developers.cloudflare.com/workers-ai/platform/errors/",
  ),
  context("context window exceeds limit", "MiniMax", "https://platform.minimax.io/docs"),
  context("maximum prompt length is", "xAI", "https://docs.x.ai/docs"),
  context("context length of only", "LM Studio", LM_STUDIO),
  context("greater than the context length", "LM Studio", LM_STUDIO),
  context("`inputs` tokens + `max_new_tokens` must be", "Text Generation Inference, Together", TGI),
  context(
    "range of input length should be",
    "DashScope",
    "https://www.alibabacloud.com/help/en/model-studio/error-code",
  ),
  context(
    "exceeds maximum allowed token length",
    "Databricks",
    "https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/",
  ),
  context(
    "please reduce the length of the messages",
    "OpenAI, Groq",
    "https://console.groq.com/docs/errors",
  ),
  context("`inputs` must have less than", "Text Generation Inference", TGI),
  context("input validation error: `inputs`", "Text Generation Inference", TGI),
  context("trying to keep the first", "LM Studio", LM_STUDIO),
  context("too large for model with", "Mistral", "https://docs.mistral.ai/"),
  context("model's context length", "SGLang", "https://github.com/sgl-project/sglang"),
];
