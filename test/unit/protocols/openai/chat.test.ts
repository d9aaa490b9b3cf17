import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { arrayOf } from "../../../support/http-app.ts";
import { OpenAiWorld, WEATHER } from "../../../support/openai-world.ts";

describe("models", () => {
  const world = new OpenAiWorld();

  it("lists exposed subjects, and shows each by its id", async () => {
    const models = await arrayOf(await world.sdk.models.list());
    expect(models.map(({ id }) => id)).toEqual([
      "agent/analyst",
      "agent/clerk",
      "crew/report",
      "flow/review",
      "hello",
    ]);
    expect(await world.sdk.models.retrieve("crew/report")).toMatchObject({
      id: "crew/report",
      object: "model",
      owned_by: "edgecrew",
    });
    for (const path of ["crew/report", "crew%2Freport", "report", "crew.report"])
      expect((await world.ask(`/v1/models/${path}`)).json["id"]).toBe("crew/report");
    expect((await world.ask("/v1/models/hello")).json["id"]).toBe("hello");
  });

  it("is 404 for a model that is not exposed", async () => {
    for (const id of ["crew/briefing", "nobody", "agent/none"])
      await expect(world.sdk.models.retrieve(id)).rejects.toMatchObject({
        status: 404,
        code: "model_not_found",
        param: "model",
        type: "invalid_request_error",
      });
  });
});

describe("a chat completion", () => {
  it("answers with the result of an agent, which gets the whole history", async () => {
    const world = new OpenAiWorld({ script: () => "Four." });
    const completion = await world.sdk.chat.completions.create({
      model: "agent/clerk",
      temperature: 0.3,
      user: "ann",
      messages: [
        { role: "developer", content: "Be exact." },
        { role: "user", content: "One plus one?" },
        { role: "assistant", content: "Two." },
        { role: "user", content: [{ type: "text", text: "Twice that?" }] },
      ],
    });
    expect(completion).toMatchObject({
      object: "chat.completion",
      model: "agent/clerk",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Four.", refusal: null },
          finish_reason: "stop",
        },
      ],
    });
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    const asked = world.model.calls[0]?.request.messages.map(({ role, content }) => [
      role,
      content,
    ]);
    expect(asked?.slice(-4)).toEqual([
      ["system", "Be exact."],
      ["user", "One plus one?"],
      ["assistant", "Two."],
      ["user", expect.stringContaining("Twice that?")],
    ]);
  });

  it("passes the user's last text to the crew's single input", async () => {
    const world = new OpenAiWorld();
    const { choices } = await world.sdk.chat.completions.create({
      model: "crew/report",
      messages: [{ role: "user", content: "tea" }],
    });
    expect(choices[0]?.message.content).toBe("A fine answer");
    expect(JSON.stringify(world.model.calls[0]?.request.messages)).toContain("Facts on tea");
  });

  it("streams the words as they come, in OpenAI's order, with the usage at the end", async () => {
    const world = new OpenAiWorld({ script: () => "One two three." });
    const chunks = await arrayOf(
      await world.sdk.chat.completions.create({
        model: "agent/clerk",
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "user", content: "Count" }],
      }),
    );
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: "assistant" });
    const texts = chunks.flatMap(({ choices }) => choices[0]?.delta.content || []);
    expect(texts.join("")).toBe("One two three.");
    expect(texts.length).toBeGreaterThan(1);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number) },
    });
  });

  it("OW1: streams a crew's last task alone", async () => {
    const world = new OpenAiWorld({
      script: ({ messages }) =>
        JSON.stringify(messages).includes("Write on") ? "The page." : "Secret facts.",
    });
    const stream = world.sdk.chat.completions.stream({
      model: "crew/report",
      messages: [{ role: "user", content: "tea" }],
    });
    expect(await stream.finalContent()).toBe("The page.");
  });

  it("OM1: has the client's tools called, and goes on with their results in the same run", async () => {
    const world = new OpenAiWorld({
      script: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === "tool") return `It is ${last.content}.`;
        return { toolCalls: [{ name: "get_weather", arguments: { city: "Bonn" } }] };
      },
    });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather?" }];
    const request = { model: "agent/clerk", tools: [WEATHER], messages };
    const first = await world.sdk.chat.completions.create(request);
    expect(first.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: [
          { type: "function", function: { name: "get_weather", arguments: '{"city":"Bonn"}' } },
        ],
      },
    });
    const call = first.choices[0]?.message.tool_calls?.[0];
    messages.push(first.choices[0]!.message, {
      role: "tool",
      tool_call_id: call?.id ?? "",
      content: "sunny",
    });
    const second = await world.sdk.chat.completions.create(request);
    expect(second.choices[0]?.message.content).toBe("It is sunny.");
    const again = await world.sdk.chat.completions.create(request);
    expect(again).toEqual(second);
    expect(world.model.calls).toHaveLength(2);
    const streamed = world.sdk.chat.completions.stream(request);
    expect(await streamed.finalContent()).toBe("It is sunny.");
  });
});

it("is documented with the rest of the API", async () => {
  const world = new OpenAiWorld();
  const { json } = await world.ask("/openapi.json");
  const post = json["paths"]?.["/v1/chat/completions"]?.["post"];
  expect(post).toMatchObject({ operationId: "openaiChat" });
  expect(JSON.stringify(post)).toContain('"crew/briefing"');
  const { status, text } = await world.ask("/docs");
  expect(status).toBe(200);
  expect(text).toContain("/v1/responses/{id}/input_items");
  expect(world.reported).toEqual([]);
});
