import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { arrayOf } from "../../../support/http-app.ts";
import { OpenAiWorld, WEATHER } from "../../../support/openai-world.ts";

const messages = [{ role: "user", content: "Go" }] satisfies OpenAI.ChatCompletionMessageParam[];
const model = "agent/clerk";
const OTHER = { type: "function", function: { ...WEATHER.function, name: "other" } } as const;

describe("allowed tools", () => {
  const named = (name: string) => ({ type: "function", function: { name } }) as const;

  it.each<["auto" | "required", string | undefined]>([
    ["auto", undefined],
    ["required", "required"],
  ])("are offered alone, with the mode %s", async (mode, toolChoice) => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    await world.sdk.chat.completions.create({
      model,
      messages,
      tools: [WEATHER, OTHER],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode, tools: [named("other")] },
      },
    });
    const { tools, toolChoice: sent } = world.model.calls[0]?.request ?? {};
    expect([tools?.map(({ name }) => name), sent]).toEqual([["other"], toolChoice]);
  });

  it("are named flat in responses", async () => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    const flat = ({ function: { name, description, parameters } }: typeof WEATHER | typeof OTHER) =>
      ({ type: "function", name, description, parameters, strict: false }) as const;
    await world.sdk.responses.create({
      model,
      input: "Go",
      tools: [flat(WEATHER), flat(OTHER)],
      tool_choice: {
        type: "allowed_tools",
        mode: "auto",
        tools: [{ type: "function", name: "get_weather" }],
      },
    });
    const { tools } = world.model.calls[0]?.request ?? {};
    expect(tools?.map(({ name }) => name)).toEqual(["get_weather"]);
  });
});

describe("OC1: a custom tool", () => {
  const script = (({ messages: said }) => {
    const last = said.at(-1);
    if (last?.role === "tool") return `Got ${last.content}.`;
    return { toolCalls: [{ name: "run_code", arguments: { input: "print(1)" } }] };
  }) satisfies NonNullable<ConstructorParameters<typeof OpenAiWorld>[0]>["script"];
  const about = { name: "run_code", description: "Runs code." } as const;

  it("is called with a text in chats, and takes its result", async () => {
    const world = new OpenAiWorld({ script });
    const grammar = {
      type: "grammar",
      grammar: { syntax: "lark", definition: "start: X" },
    } as const;
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: "custom", custom: { ...about, format: grammar } },
    ];
    const first = await world.sdk.chat.completions.create({ model, messages, tools });
    const said = first.choices[0]?.message;
    const [call] = said?.tool_calls ?? [];
    expect(call).toMatchObject({
      type: "custom",
      custom: { name: "run_code", input: "print(1)" },
    });
    const offered = JSON.stringify(world.model.calls[0]?.request.tools);
    expect(offered).toContain("start: X");
    const chunks = await arrayOf(
      await world.sdk.chat.completions.create({ model, messages, tools, stream: true }),
    );
    const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(deltas).toMatchObject([{ index: 0, custom: { input: "print(1)" } }]);
    const second = await world.sdk.chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        said as OpenAI.ChatCompletionMessageParam,
        { role: "tool", tool_call_id: call?.id ?? "", content: "1" },
      ],
    });
    expect(second.choices[0]?.message.content).toBe("Got 1.");
  });

  it("is called with a text in responses, streamed as well", async () => {
    const world = new OpenAiWorld({ script });
    const tools: OpenAI.Responses.Tool[] = [{ type: "custom", ...about }];
    const first = await world.sdk.responses.create({ model, input: "Go", tools });
    const [item] = first.output;
    expect(item).toMatchObject({ type: "custom_tool_call", name: "run_code", input: "print(1)" });
    const events = await arrayOf(
      await world.sdk.responses.create({ model, input: "Go", tools, stream: true }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "response.custom_tool_call_input.done", input: "print(1)" }),
    );
    const output: OpenAI.Responses.ResponseCustomToolCallOutput = {
      type: "custom_tool_call_output",
      call_id: (item as OpenAI.Responses.ResponseCustomToolCall).call_id,
      output: "1",
    };
    const previous = { previous_response_id: first.id };
    const second = await world.sdk.responses.create({ model, input: [output], tools, ...previous });
    expect(second.output_text).toBe("Got 1.");
  });

  it("of another server is history in words", async () => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    await world.sdk.responses.create({
      model,
      input: [
        { role: "user", content: "Go" },
        { type: "custom_tool_call", call_id: "c1", name: "run_code", input: "print(2)" },
        { type: "custom_tool_call_output", call_id: "c1", output: "2" },
      ],
    });
    const asked = JSON.stringify(world.model.calls[0]?.request.messages);
    expect(asked).toContain("(Used the tool run_code with print(2). It answered: 2)");
  });
});

describe("the assistant's words at the end", () => {
  const ended = [
    { role: "user", content: "tea" },
    { role: "assistant", content: "Once upon" },
  ] satisfies OpenAI.ChatCompletionMessageParam[];

  it("are continued by an agent", async () => {
    const world = new OpenAiWorld({ script: () => " a time." });
    const answer = await world.sdk.chat.completions.create({ model, messages: ended });
    expect(answer.choices[0]?.message.content).toBe(" a time.");
    const asked = world.model.calls[0]?.request.messages.slice(-2);
    expect(asked).toMatchObject([
      { role: "assistant", content: "Once upon" },
      { role: "user", content: expect.stringContaining("Continue your last message") },
    ]);
  });

  it("are left out for a crew, which answers the user's message before them", async () => {
    const world = new OpenAiWorld();
    await world.sdk.chat.completions.create({ model: "crew/report", messages: ended });
    const asked = JSON.stringify(world.model.calls[0]?.request.messages);
    expect(asked).toContain("Facts on tea");
  });
});

it.each(["max_tokens", "max_completion_tokens"])("%s: -1 is no limit", async (field) => {
  const world = new OpenAiWorld({ script: () => "Fine." });
  const { response } = await world.sdk.chat.completions
    .create({ model, messages, [field]: -1 })
    .withResponse();
  expect(response.headers.get("x-edgecrew-ignored")).toBeNull();
  expect(world.model.calls[0]?.request.settings ?? {}).not.toHaveProperty("maxTokens");
});
