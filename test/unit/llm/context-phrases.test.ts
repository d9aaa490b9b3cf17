import { expect, it } from "vitest";
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

it("is a full window by llama.cpp's own type, whatever its words", () => {
  expect(codeOf(400, "zu lang", "exceed_context_size_error")).toBe("context_window_exceeded");
});

it.each([
  [429, "Too many tokens per minute", "model_rate_limited"],
  [400, "max_tokens is too large: 9000. This model supports at most 4096", "model_rejected"],
  [500, "the server is overloaded", "model_failed"],
])("is none: %s %s", (status, message, code) => {
  expect(codeOf(status, message)).toBe(code);
});
