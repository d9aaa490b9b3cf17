import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { quirkOf, type Quirk } from "../../../../src/llm/openai/quirks.ts";

const refusal = (message: string): EngineError => new EngineError("model_rejected", message);

describe("quirkOf", () => {
  it.each<[Quirk, string]>([
    ["no-stop", "Unsupported parameter: 'stop' is not supported with this model."],
    ["no-stop", "unknown field: stop"],
    ["no-effort-with-tools", "Function tools with reasoning_effort are not supported for gpt-5."],
    ["responses", "This model is only supported in v1/responses."],
    ["chain-lost", "Previous response with id 'resp_1' not found."],
    ["alternate", "Conversation roles must alternate user/assistant."],
  ])("learns %s from %j", (quirk, message) => {
    expect(quirkOf(refusal(message))).toBe(quirk);
  });

  it.each([
    "Unsupported parameter: 'top_p' is not supported with this model.",
    "Unknown model: gpt-99.",
    "stop must be an array of at most 4 strings.",
    "The request was stopped: this content is not supported.",
    "The previous response was too long.",
    "The tool 'search' was not found.",
    "Tools must have a name.",
    "reasoning_effort must be one of low, medium, high.",
  ])("ignores %j", (message) => {
    expect(quirkOf(refusal(message))).toBeUndefined();
  });

  it("ignores an error other than a refusal", () => {
    const failure = new EngineError("model_failed", "'stop' is not supported with this model.");
    expect(quirkOf(failure)).toBeUndefined();
  });
});
