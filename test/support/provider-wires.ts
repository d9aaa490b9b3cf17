// The wires that the suite of provider behaviours runs over. A new wire is one more entry of WIRES: how its model is made, and how its
// provider says what every provider has words of its own for.
import type { JsonObject } from "../../src/base/json.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import { resolveModel } from "../../src/llm/resolve-model.ts";
import { openaiAnswer, openaiEvents } from "./model-server-openai.ts";
import type { ReplyFunction, ServedReply, ServedRequest } from "./model-server.ts";

/** What providers say in words of their own. Left out: the provider has no such thing. */
export type WireWords = {
  /** The limit of tokens ended the answer. */
  readonly cut: ServedReply;
  readonly filtered?: ServedReply;
  readonly refused?: ServedReply;
  readonly overflow: ServedReply;
  readonly rateLimit: ServedReply;
  readonly quota?: ServedReply;
  /** What is no JSON. */
  readonly garbage?: ServedReply;
  /** Whole answers have a bound. @default true */
  readonly boundsWhole?: false;
};

export type WireSettings = {
  /** Address of the model server. */
  readonly url: string;
  readonly stream: boolean;
  readonly timeoutMs?: number;
  /** What the provider answers, for a wire that does not go over HTTP. */
  readonly reply: ReplyFunction;
};

export type Wire = {
  /** Title of the column. */
  readonly name: string;
  readonly model: (settings: WireSettings) => LanguageModel;
  readonly words: WireWords;
};

const TEXT = "The first half of an";

const OPENAI_ERRORS = {
  overflow: {
    status: 400,
    error: {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9137 tokens.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  },
  rateLimit: {
    status: 429,
    headers: { "retry-after": "7" },
    error: {
      error: {
        message: "Rate limit reached for requests",
        type: "requests",
        code: "rate_limit_exceeded",
      },
    },
  },
  quota: {
    status: 429,
    error: {
      error: {
        message: "You exceeded your current quota, please check your plan and billing details.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    },
  },
} satisfies Partial<WireWords>;

const GEMINI_OVERFLOW = {
  code: 400,
  message:
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  status: "INVALID_ARGUMENT",
};
const QUOTA = "You exceeded your current quota, please check your plan and billing details.";

const geminiQuota = (quotaId: string): JsonObject => ({
  code: 429,
  message: QUOTA,
  status: "RESOURCE_EXHAUSTED",
  details: [
    { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" },
  ],
});

const common = ({
  stream,
  timeoutMs,
}: WireSettings): { stream: boolean; timeoutMs?: number; price: 0 } => ({
  stream,
  price: 0,
  ...(timeoutMs === undefined ? undefined : { timeoutMs }),
});

export const WIRES: readonly Wire[] = [
  {
    name: "OpenAI chat",
    model: (settings) =>
      resolveModel(
        { model: "openai/gpt-4.1-mini", ...common(settings) },
        { variables: { OPENAI_API_KEY: "key", OPENAI_BASE_URL: `${settings.url}/v1` } },
      ),
    words: {
      ...OPENAI_ERRORS,
      cut: { text: TEXT, stopReason: "length" },
      filtered: { text: TEXT, stopReason: "content_filter" },
      refused: { refusal: "I cannot help with that." },
    },
  },
  {
    name: "OpenAI Responses",
    model: (settings) =>
      resolveModel(
        { model: "openai/gpt-4.1-mini", api: "responses", ...common(settings) },
        { variables: { OPENAI_API_KEY: "key", OPENAI_BASE_URL: `${settings.url}/v1` } },
      ),
    words: {
      ...OPENAI_ERRORS,
      cut: { text: TEXT, stopReason: "max_output_tokens" },
      filtered: { text: TEXT, stopReason: "content_filter" },
      refused: { refusal: "I cannot help with that." },
    },
  },
  {
    name: "Anthropic",
    model: (settings) =>
      resolveModel(
        { model: "anthropic/claude-haiku-4-5", ...common(settings) },
        { variables: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: settings.url } },
      ),
    words: {
      cut: { text: TEXT, stopReason: "max_tokens" },
      refused: { text: TEXT, stopReason: "refusal" },
      overflow: {
        status: 400,
        error: {
          type: "error",
          error: {
            type: "invalid_request_error",
            message: "prompt is too long: 209000 tokens > 200000 maximum",
          },
        },
      },
      rateLimit: {
        status: 429,
        headers: { "retry-after": "7" },
        error: {
          type: "error",
          error: { type: "rate_limit_error", message: "This request would exceed your rate limit" },
        },
      },
      quota: {
        status: 400,
        error: {
          type: "error",
          error: {
            type: "invalid_request_error",
            message:
              "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
          },
        },
      },
    },
  },
  {
    name: "Gemini",
    model: (settings) =>
      resolveModel(
        { model: "gemini/gemini-3-flash-preview", ...common(settings) },
        { variables: { GEMINI_API_KEY: "key", GEMINI_BASE_URL: `${settings.url}/v1beta` } },
      ),
    words: {
      cut: { text: TEXT, stopReason: "MAX_TOKENS" },
      filtered: { text: TEXT, stopReason: "SAFETY" },
      overflow: { status: 400, error: { error: GEMINI_OVERFLOW } },
      rateLimit: {
        status: 429,
        error: { error: geminiQuota("GenerateRequestsPerMinutePerProjectPerModel") },
      },
      quota: {
        status: 429,
        error: { error: geminiQuota("GenerateRequestsPerDayPerProjectPerModel-FreeTier") },
      },
    },
  },
  {
    name: "Bedrock",
    model: (settings) =>
      resolveModel(
        { model: "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", ...common(settings) },
        {
          variables: {
            AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
            AWS_SECRET_ACCESS_KEY: "secret-of-the-suite",
            BEDROCK_BASE_URL: settings.url,
          },
        },
      ),
    words: {
      cut: { text: TEXT, stopReason: "max_tokens" },
      filtered: { text: TEXT, stopReason: "guardrail_intervened" },
      refused: { text: TEXT, stopReason: "refusal" },
      overflow: {
        status: 400,
        headers: { "x-amzn-errortype": "ValidationException" },
        error: { message: "Input is too long for requested model." },
      },
      rateLimit: {
        status: 429,
        headers: { "x-amzn-errortype": "ThrottlingException", "retry-after": "7" },
        error: { message: "Too many requests, please wait before trying again." },
      },
      quota: {
        status: 429,
        headers: { "x-amzn-errortype": "ThrottlingException" },
        error: { message: "Too many tokens per day, please wait before trying again." },
      },
    },
  },
  {
    name: "Gemini, OpenAI's dialect",
    model: (settings) =>
      resolveModel(
        { model: "gemini/gemini-3-flash-preview", ...common(settings) },
        { variables: { GEMINI_API_KEY: "key", GEMINI_BASE_URL: `${settings.url}/v1` } },
      ),
    words: {
      cut: { text: TEXT, stopReason: "length" },
      filtered: { text: TEXT, stopReason: "content_filter: SAFETY" },
      overflow: {
        status: 400,
        error: [{ error: GEMINI_OVERFLOW }],
      },
      rateLimit: {
        status: 429,
        error: [
          {
            error: {
              code: 429,
              message: QUOTA,
              status: "RESOURCE_EXHAUSTED",
              details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
            },
          },
        ],
      },
    },
  },
  {
    name: "other servers, OpenAI's dialect",
    model: (settings) =>
      resolveModel(
        { model: "house/local", ...common(settings) },
        { variables: { HOUSE_BASE_URL: `${settings.url}/v1` } },
      ),
    words: {
      cut: { text: TEXT, stopReason: "length" },
      // llama.cpp
      overflow: {
        status: 400,
        error: {
          error: {
            code: 400,
            message: "the request exceeds the available context size, try increasing it",
            type: "exceed_context_size_error",
            n_prompt_tokens: 1417,
            n_ctx: 1024,
          },
        },
      },
      // Groq
      rateLimit: {
        status: 429,
        error: {
          error: {
            message:
              "Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5800, Requested 900. Please try again in 7s.",
            type: "tokens",
            code: "rate_limit_exceeded",
          },
        },
      },
      // DeepSeek
      quota: {
        status: 402,
        error: {
          error: {
            message: "Insufficient Balance",
            type: "unknown_error",
            code: "invalid_request_error",
          },
        },
      },
    },
  },
  {
    name: "Workers AI binding",
    model: (settings) =>
      resolveModel(
        { model: "workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast", ...common(settings) },
        {
          variables: {},
          ai: { run: async (model, input) => bindingAnswer(model, input as JsonObject, settings) },
        },
      ),
    words: {
      cut: { text: TEXT, stopReason: "length" },
      filtered: { text: TEXT, stopReason: "content_filter" },
      refused: { refusal: "I cannot help with that." },
      overflow: {
        error:
          "5021: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8000).",
      },
      rateLimit: { error: "3040: Capacity temporarily exceeded, please try again in 7s." },
      quota: { error: "3036: You have used up your daily free allocation of 10,000 neurons" },
      boundsWhole: false,
    },
  },
];

/** What the binding gives: an object, or a stream of the events, in the form of chat completions. */
async function bindingAnswer(
  model: string,
  body: JsonObject,
  { reply }: WireSettings,
): Promise<unknown> {
  const request: ServedRequest = {
    index: 0,
    dialect: "openai",
    path: "",
    headers: {},
    idempotencyKey: undefined,
    model,
    stream: body["stream"] === true,
    messages: [],
    body,
  };
  const chosen = await reply(request);
  const served: ServedReply = typeof chosen === "string" ? { text: chosen } : chosen;
  if (served.error !== undefined) throw new Error(JSON.stringify(served.error));
  if (served.fault === "hang") return new Promise(() => undefined);
  if (served.fault === "garbage") return { surprise: true };
  if (!request.stream) return openaiAnswer(request, served);
  return new Blob([...openaiEvents(request, served)]).stream();
}
