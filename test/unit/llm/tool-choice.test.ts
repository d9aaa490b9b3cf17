import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { recordedFetch } from "../../support/recorded-fetch.ts";

const parameters = { type: "object", properties: {} };
const request: ModelRequest = {
  messages: [{ role: "user", content: "Hello" }],
  tools: [{ name: "t", description: "T.", parameters }],
};
const signal = new AbortController().signal;

/** What goes over the wire for a request. */
async function sent(name: string, made: ModelRequest): Promise<Readonly<Record<string, unknown>>> {
  const bodies: Array<Readonly<Record<string, unknown>>> = [];
  const { sent: calls, fetch } = recordedFetch();
  const ai = {
    run: async (_: string, input: unknown): Promise<unknown> => {
      bodies.push(input as Record<string, unknown>);
      return { response: "ok" };
    },
  };
  const variables = {
    OPENAI_API_KEY: "key",
    ANTHROPIC_API_KEY: "key",
    GEMINI_API_KEY: "key",
    BEDROCK_API_KEY: "key",
  };
  await resolveModel(name, { variables, fetch, ai }).generate(made, { signal });
  return bodies[0] ?? calls[0]?.body ?? {};
}

describe("a request that requires a tool", () => {
  it.each([
    ["openai/gpt-4o", "required"],
    ["workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct", "required"],
    ["anthropic/claude-haiku-4-5", { type: "any" }],
  ])("sends it to %s, and only then", async (name, choice) => {
    expect((await sent(name, { ...request, toolChoice: "required" }))["tool_choice"]).toEqual(
      choice,
    );
    expect(await sent(name, request)).not.toHaveProperty("tool_choice");
  });

  it("sends it to Gemini and to Bedrock, and only then", async () => {
    const required: ModelRequest = { ...request, toolChoice: "required" };
    const gemini = "gemini/gemini-3-flash";
    expect((await sent(gemini, required))["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY" },
    });
    expect(await sent(gemini, request)).not.toHaveProperty("toolConfig");
    const bedrock = "bedrock/amazon.nova-lite-v1:0";
    expect((await sent(bedrock, required))["toolConfig"]).toHaveProperty("toolChoice", { any: {} });
    expect((await sent(bedrock, request))["toolConfig"]).not.toHaveProperty("toolChoice");
  });
});
