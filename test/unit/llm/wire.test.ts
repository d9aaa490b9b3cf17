import { describe, expect, it } from "vitest";
import { usageFrom as anthropicUsage } from "../../../src/llm/anthropic/usage.ts";
import { usageFrom as openaiUsage } from "../../../src/llm/openai/usage.ts";

describe.each([
  {
    wire: "openai",
    usageFrom: openaiUsage,
    prompt: "prompt_tokens",
    completion: "completion_tokens",
  },
  {
    wire: "anthropic",
    usageFrom: anthropicUsage,
    prompt: "input_tokens",
    completion: "output_tokens",
  },
])("usage of $wire", ({ usageFrom, prompt, completion }) => {
  it.each([1e300, 2 ** 53, Number.NaN, Infinity, -5, 1.5, "7", null])("counts %s as 0", (count) => {
    const usage = usageFrom({ [prompt]: count, [completion]: 3 }, undefined);
    expect(usage).toMatchObject({ promptTokens: 0, completionTokens: 3, totalTokens: 3 });
  });
});
