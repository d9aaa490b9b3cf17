import { describe, expect, it } from "vitest";
import { providerError } from "../../../src/llm/provider-failure.ts";

const codeOf = (status: number | undefined, message: string, providerCode?: string): string =>
  providerError({ modelId: "m", status, providerCode, message, cause: undefined }, 0).code;

it.each([
  [400, "This model's maximum context length is 8192 tokens, however you requested 9000 tokens"],
  [400, "prompt is too long: 201000 tokens > 200000 maximum"],
  [400, "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000"],
  [
    400,
    "request (1417 tokens) exceeds the available context size (1024 tokens), try increasing it",
  ],
  [500, "Context size has been exceeded."],
  [400, "Your input exceeds the context window of this model."],
  [400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
  [422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens"],
  [400, "The model was loaded with a context length of only 4096 tokens"],
  [400, "The number of tokens to keep is greater than the context length"],
  [400, "invalid params, context window exceeds limit (2013)"],
  [400, "Range of input length should be [1, 129024]"],
  [400, "Prompt exceeds maximum allowed token length"],
  [undefined, "5021: input and output tokens exceeded this model context window limit (8000)"],
  [400, "The input token count (40000) exceeds the maximum number of tokens allowed (32768)."],
])("is a full window: %s %s", (status, message) => {
  expect(codeOf(status, message)).toBe("context_window_exceeded");
});

it("is a full window by llama.cpp's own type, with any words", () => {
  expect(codeOf(400, "zu lang", "exceed_context_size_error")).toBe("context_window_exceeded");
});

describe("a full window with unknown words", () => {
  it.each([
    [400, "Your prompt has 40,000 tokens, but only 32,768 fit into this model"],
    [400, "Request too large: 9412 input tokens, limit 8192"],
    [422, "sequence of 5120 tokens is longer than the 4096 that were allocated"],
    [400, "Die Anfrage: context window 8192 exceeded (12000 tokens)"],
    [400, "The input (210432 tokens) is longer than the model's context length (131072 tokens)."],
    [undefined, "token count of the messages 10_000 exceeds 8_192"],
  ])("is known by its two numbers: %s %s", (status, message) => {
    expect(codeOf(status, message)).toBe("context_window_exceeded");
  });

  it("is recognised by the fields of the error, with any words", () => {
    const failure = { modelId: "m", status: 400, message: "nein", cause: undefined };
    const body = { n_prompt_tokens: 1417, n_ctx: 1024 };
    expect(providerError({ ...failure, body }, 0).code).toBe("context_window_exceeded");
    const fits = { n_prompt_tokens: 17, n_ctx: 1024 };
    expect(providerError({ ...failure, body: fits }, 0).code).toBe("model_rejected");
  });
});

it.each([
  [400, "max_tokens must be at most 8192, got 9000 tokens in the request"],
  [400, "This model supports at most 4096 completion tokens, whereas your request has 9000"],
  [400, "The request has 9000 tokens; your limit is 6000 tokens per minute (TPM)"],
  [400, "max_completion_tokens is too large: 9000. Input limit 4096"],
  [400, "Budget 30000 is invalid. Thinking budget tokens must be below 24576 for this input"],
  [400, "The input image has 9000 by 9000 pixels; max is 8000, about 16000 tokens"],
  [403, "Your key may send requests of 1000 tokens, not 2000"],
  [400, "Model 'm-20250101' got 12000 in field seed, max 1000"],
  [400, "Invalid token 1234567 in request, maximum length is 300 of 400 characters"],
])("is not one by two numbers: %s %s", (status, message) => {
  expect(codeOf(status, message)).not.toBe("context_window_exceeded");
});

it.each([
  [429, "Too many tokens per minute", "model_rate_limited"],
  [400, "max_tokens is too large: 9000. This model supports at most 4096", "model_rejected"],
  [500, "the server is overloaded", "model_failed"],
])("is not one: %s %s", (status, message, code) => {
  expect(codeOf(status, message)).toBe(code);
});
