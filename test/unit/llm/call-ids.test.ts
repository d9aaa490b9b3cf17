import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/llm/language-model.ts";
import { CallIds, OPENAI_IDS } from "../../../src/llm/call-ids.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { recordedFetch } from "../../support/recorded-fetch.ts";

const signal = new AbortController().signal;

const calling = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "t", arguments: "{}" })),
});
const result = (toolCallId: string, content: string): Message => ({
  role: "tool",
  toolCallId,
  toolName: "t",
  content,
});

/** Ids as other providers make them: too long, of other characters, equal in two turns and in one. */
const conversation: Message[] = [
  { role: "user", content: "Go" },
  calling("call_PTLP8xQKq0bXbWm4Yx1ZtGhJ", "functions.t:0"),
  result("functions.t:0", "second"),
  result("call_PTLP8xQKq0bXbWm4Yx1ZtGhJ", "first"),
  calling("0", "0"),
  result("0", "third"),
  result("0", "fourth"),
  calling("0", `chatcmpl-tool-${"a".repeat(60)}`),
  result("0", "fifth"),
  result(`chatcmpl-tool-${"a".repeat(60)}`, "sixth"),
];

type Json = Readonly<Record<string, unknown>>;
type Pairs = { readonly calls: string[]; readonly results: Readonly<Record<string, string>> };

/** Ids of calls in order, and the id under which each result went. */
async function onTheWire(name: string): Promise<Pairs> {
  const { sent, fetch } = recordedFetch();
  const inputs: Json[] = [];
  const ai = {
    run: async (_: string, input: unknown): Promise<unknown> => {
      inputs.push(input as Json);
      return { response: "ok" };
    },
  };
  const variables = {
    OPENAI_API_KEY: "k",
    ANTHROPIC_API_KEY: "k",
    MISTRAL_API_KEY: "k",
    OPENROUTER_API_KEY: "k",
    BEDROCK_API_KEY: "k",
  };
  const settings =
    name === "responses" ? { model: "openai/gpt-5", api: "responses" as const } : name;
  await resolveModel(settings, { variables, fetch, ai }).generate(
    { messages: conversation },
    { signal },
  );
  const body = inputs[0] ?? sent[0]?.body ?? {};
  const calls: string[] = [];
  const results: Record<string, string> = {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
  for (const item of [...list(body["messages"]), ...list(body["input"])]) {
    for (const call of list(item["tool_calls"])) calls.push(text(call["id"]));
    if (item["role"] === "tool") results[text(item["content"])] = text(item["tool_call_id"]);
    if (item["type"] === "function_call") calls.push(text(item["call_id"]));
    if (item["type"] === "function_call_output")
      results[text(item["output"])] = text(item["call_id"]);
    for (const block of list(item["content"])) {
      if (block["type"] === "tool_use") calls.push(text(block["id"]));
      if (block["type"] === "tool_result")
        results[text(block["content"])] = text(block["tool_use_id"]);
      const { toolUse, toolResult } = block as Readonly<Record<string, Json | undefined>>;
      if (toolUse !== undefined) calls.push(text(toolUse["toolUseId"]));
      for (const part of list(toolResult?.["content"]))
        results[text(part["text"])] = text(toolResult?.["toolUseId"]);
    }
  }
  return { calls, results };
}

describe("ids of tool calls", () => {
  it.each([
    ["openai/gpt-4o", /^.{1,40}$/],
    ["responses", /^.{1,64}$/],
    ["anthropic/claude-haiku-4-5", /^[a-zA-Z0-9_-]{1,64}$/],
    ["bedrock/amazon.nova-lite-v1:0", /^[a-zA-Z0-9_.:-]{1,64}$/],
    ["mistral/mistral-large-latest", /^[a-zA-Z0-9]{9}$/],
    ["openrouter/mistralai/mistral-small", /^[a-zA-Z0-9]{9}$/],
    ["workers-ai/@cf/mistralai/mistral-small-3.1-24b-instruct", /^[a-zA-Z0-9]{9}$/],
    ["workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct", /^.{1,40}$/],
  ])("reach %s in its form, each once, with results beside their calls", async (name, form) => {
    const { calls, results } = await onTheWire(name);
    expect(calls).toHaveLength(6);
    expect(new Set(calls).size).toBe(6);
    for (const id of calls) expect(id).toMatch(form);
    expect(results).toEqual({
      first: calls[0],
      second: calls[1],
      third: calls[2],
      fourth: calls[3],
      fifth: calls[4],
      sixth: calls[5],
    });
  });

  it("stay as they are when the wire accepts them", async () => {
    const { calls } = await onTheWire("openai/gpt-4o");
    expect(calls.slice(0, 3)).toEqual(["call_PTLP8xQKq0bXbWm4Yx1ZtGhJ", "functions.t:0", "0"]);
  });

  it("are the same in every request of a conversation", async () => {
    expect(await onTheWire("mistral/mistral-large-latest")).toEqual(
      await onTheWire("mistral/mistral-large-latest"),
    );
  });
});

describe("CallIds", () => {
  it("skips an id the model has already used", () => {
    const ids = new CallIds(OPENAI_IDS);
    expect([ids.ofCall("call_1"), ids.ofCall("x y"), ids.ofCall("call_1")]).toEqual([
      "call_1",
      "call_2",
      "call_3",
    ]);
  });

  it("uses the id of its call for a second result", () => {
    const ids = new CallIds(OPENAI_IDS);
    const id = ids.ofCall("not an id");
    expect([ids.ofResult("not an id"), ids.ofResult("not an id")]).toEqual([id, id]);
  });

  it("gives a result without a call an id of its own", () => {
    const ids = new CallIds(OPENAI_IDS);
    expect(ids.ofResult("not an id")).toBe("call_0");
  });
});
