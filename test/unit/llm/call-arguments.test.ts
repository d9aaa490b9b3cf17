// Arguments of tools arrive exactly, and go back exactly: 400 cases of the public function-calling set, over every wire.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import type { CallOptions, Message } from "../../../src/llm/language-model.ts";
import { resolveModel, type ModelSpec } from "../../../src/llm/resolve-model.ts";
import { typedValue } from "../../../src/tools/typed-values.ts";
import { validateJsonSchema } from "../../../src/base/json-schema.ts";
import { servedFetch } from "../../support/served-fetch.ts";

type Case = {
  readonly id: string;
  /** Schemas of the tools by their names. */
  readonly tools: Readonly<Record<string, JsonObject>>;
  readonly calls: ReadonlyArray<{ readonly name: string; readonly arguments: JsonObject }>;
};

const CASES = readFileSync(new URL("../../fixtures/bfcl/calls.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const variables = {
  OPENAI_API_KEY: "k",
  ANTHROPIC_API_KEY: "k",
  GEMINI_API_KEY: "k",
  BEDROCK_API_KEY: "k",
};
const WIRES: ReadonlyArray<readonly [wire: string, spec: ModelSpec]> = [
  ["chat completions", "openai/gpt-4.1-mini"],
  ["the Responses API", { model: "openai/gpt-5-mini", api: "responses" }],
  ["Anthropic", "anthropic/claude-haiku-4-5"],
  ["Gemini", "gemini/gemini-2.5-flash"],
  ["Bedrock", "bedrock/amazon.nova-lite-v1:0"],
  ["Workers AI", "workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct"],
];

/** Arguments of the calls in a request, in their order, parsed where they are text. */
function argumentsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(argumentsIn);
  if (typeof value !== "object" || value === null) return [];
  const { function: called, functionCall, toolUse, type, ...rest } = value as JsonObject;
  const parsed = (text: unknown): unknown =>
    typeof text === "string" ? (JSON.parse(text) as unknown) : text;
  if (functionCall) return [(functionCall as JsonObject)["args"]];
  if (toolUse) return [(toolUse as JsonObject)["input"]];
  if (type === "tool_use") return [rest["input"]];
  if (type === "function_call") return [parsed(rest["arguments"])];
  if (called && "id" in rest) return [parsed((called as JsonObject)["arguments"])];
  return Object.values(rest).flatMap(argumentsIn);
}

it("has 400 cases, whose calls fit their schemas", () => {
  expect(CASES).toHaveLength(400);
  for (const { tools, calls } of CASES)
    for (const { name, arguments: input } of calls)
      expect(validateJsonSchema(tools[name] ?? {}, input)).toEqual([]);
});

describe.each(WIRES)("calls over %s", (_, spec) => {
  it.each([
    ["whole", {}],
    ["streamed", { onDelta: () => undefined }],
  ] as const)("arrive and go back as they are, %s", async (__, listening) => {
    let asked: Case | undefined;
    const served = servedFetch(() => ({ toolCalls: asked?.calls ?? [] }));
    const inputs: JsonObject[] = [];
    const ai = {
      run: async (___: string, input: unknown): Promise<unknown> => {
        inputs.push(input as JsonObject);
        return { response: "", tool_calls: asked?.calls ?? [] };
      },
    };
    const model = resolveModel(spec, { variables, fetch: served.fetch, ai });
    const options: CallOptions = { signal: new AbortController().signal, ...listening };
    const user: Message = { role: "user", content: "Go" };
    for (asked of CASES) {
      const { id, tools, calls } = asked;
      const offered = Object.entries(tools).map(([name, parameters]) => ({
        name,
        description: name,
        parameters,
      }));
      const answer = await model.generate({ messages: [user], tools: offered }, options);
      const read = answer.toolCalls.map(({ name, arguments: text }) => ({
        name,
        arguments: typedValue(tools[name] ?? {}, JSON.parse(text) as JsonObject),
      }));
      expect({ id, calls: read }).toEqual({ id, calls });
      const back: Message[] = [
        user,
        { role: "assistant", content: "", toolCalls: answer.toolCalls },
        ...answer.toolCalls.map((call): Message => ({
          role: "tool",
          toolCallId: call.id,
          toolName: call.name,
          content: "done",
        })),
      ];
      await model.generate({ messages: back, tools: offered }, options);
      const sent = inputs.at(-1) ?? served.bodies.at(-1);
      expect({
        id,
        sent: argumentsIn(sent?.["messages"] ?? sent?.["contents"] ?? sent?.["input"]),
      }).toEqual({
        id,
        sent: calls.map(({ arguments: input }) => input),
      });
    }
  });
});
