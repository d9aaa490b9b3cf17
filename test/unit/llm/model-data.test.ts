import { describe, expect, it } from "vitest";
import {
  contextWindowOf,
  costUsd,
  priceOf,
  seesImages,
  usableContextWindow,
} from "../../../src/llm/model-data.ts";

describe("context windows", () => {
  it("gpt-4.1-mini can use 890439 tokens", () => {
    expect(usableContextWindow(contextWindowOf("openai/gpt-4.1-mini"))).toBe(890_439);
  });

  it("an unknown model can use 6963 tokens", () => {
    expect(usableContextWindow(contextWindowOf("openai/never-heard-of"))).toBe(6963);
  });

  it.each([
    ["openai/gpt-4-0613", 8192],
    ["openai/gpt-4o-2024-08-06", 128_000],
    ["openai/gpt-4o-mini", 200_000],
    ["bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0", 200_000],
    ["bedrock/anthropic.claude-opus-4-6-v1", 1_000_000],
    ["anthropic/claude-of-the-future", 200_000],
    ["gemini/gemini-1.5-pro-002", 2_097_152],
    ["gemini/of-the-future", 1_048_576],
    ["workers-ai/@cf/openai/gpt-oss-120b", 131_072],
  ])("%s has %i", (id, size) => {
    expect(contextWindowOf(id)).toBe(size);
  });
});

describe("vision", () => {
  it.each([
    "openai/gpt-4o",
    "openai/gpt-4-turbo-2024-04-09",
    "openai/gpt-4-vision-preview",
    "azure/gpt-4.1-mini",
    "openai/gpt-5.4-mini",
    "openai/o1",
    "openai/o3",
    "openai/o4-mini",
    "anthropic/claude-3-5-haiku-latest",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic/claude-opus-5",
    "gemini/gemini-2.5-flash",
    "xai/grok-4",
    "mistral/pixtral-large-latest",
    "ollama/llava:13b",
    "openrouter/qwen/qwen2.5-vl-72b-instruct",
    "openrouter/qwen/qwen3-vl-8b",
    "workers-ai/@cf/meta/llama-3.2-11b-vision-instruct",
  ])("%s sees", (id) => expect(seesImages(id)).toBe(true));

  it.each([
    "openai/gpt-4",
    "openai/gpt-3.5-turbo",
    "openai/o3-mini",
    "openai/o1-mini",
    "openai/o1-preview",
    "anthropic/claude-2.1",
    "groq/llama-3.3-70b-versatile",
    "openai/never-heard-of",
  ])("%s does not", (id) => expect(seesImages(id)).toBe(false));
});

describe("prices", () => {
  const tokens = {
    promptTokens: 1_000_000,
    cachedPromptTokens: 0,
    cacheCreationTokens: 0,
    completionTokens: 0,
  };

  it("count fresh, cached, written and answered tokens at their own rates", () => {
    const cost = costUsd("anthropic/claude-haiku-4-5", {
      promptTokens: 1000,
      cachedPromptTokens: 600,
      cacheCreationTokens: 100,
      completionTokens: 200,
    });
    expect(cost).toBeCloseTo((300 * 1 + 600 * 0.1 + 100 * 1.25 + 200 * 5) / 1_000_000, 12);
  });

  it.each([
    ["openai/gpt-4.1-mini-2025-04-14", 0.4],
    ["azure/gpt-4o", 2.5],
    ["anthropic/claude-3-5-haiku-latest", 0.8],
    ["bedrock/eu.anthropic.claude-3-7-sonnet-20250219-v1:0", 3],
    ["openrouter/openai/gpt-4.1", 2],
    ["groq/openai/gpt-oss-120b", 0.15],
    ["workers-ai/@cf/openai/gpt-oss-120b", 0.35],
    ["openai/gpt-4.1-of-another-kind", 0],
    ["openai/never-heard-of", 0],
    ["ollama/deepseek-chat", 0],
  ])("a million prompt tokens of %s cost %d", (id, dollars) => {
    expect(costUsd(id, tokens)).toBeCloseTo(dollars, 9);
  });

  it("rise with the length of the prompt for providers with price steps", () => {
    expect(costUsd("gemini/gemini-2.5-pro", { ...tokens, promptTokens: 200_000 })).toBeCloseTo(
      0.25,
    );
    expect(costUsd("gemini/gemini-2.5-pro", { ...tokens, promptTokens: 200_001 })).toBeCloseTo(0.5);
  });

  it("can be overridden, for a name or for one provider's model", () => {
    const own = { input: 9, cachedInput: 9, output: 9 };
    expect(priceOf("openai/gpt-4.1", { "gpt-4.1": own })).toBe(own);
    expect(priceOf("azure/gpt-4.1", { "openai/gpt-4.1": own })?.input).toBe(2);
    expect(costUsd("ollama/llama3", tokens, { "ollama/llama3": own })).toBeCloseTo(9);
  });
});
