import { describe, expect, it } from "vitest";
import * as z from "zod";
import { llm } from "../../../src/agent/llm.ts";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { foldWords, type Words } from "../../../src/wire/call-words.ts";
import type { StreamFrame } from "../../../src/events/stream-frame.ts";
import { fallbackModel } from "../../../src/llm/fallback-model.ts";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  lastTold,
  scriptedAgent,
  soloCrew,
  startCrew,
} from "../../support/crew-harness.ts";

const weather = tool({
  name: "The weather",
  description: "Tells the weather.",
  input: z.object({ city: z.string() }),
  run: () => "rain",
});

const asksWeather = { toolCalls: [{ name: "the_weather", arguments: { city: "Oslo" } }] };

async function framesOf(frames: AsyncIterable<StreamFrame>): Promise<StreamFrame[]> {
  const all: StreamFrame[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}

describe("a model called directly", () => {
  it("answers a text or a conversation with text", async () => {
    const model = scriptedModel(["Hello.", "Again."]);
    const talking = llm(model);
    expect(await talking.call("Hi")).toBe("Hello.");
    expect(await talking.call([{ role: "user", content: "Hi" }], { stop: ["END"] })).toBe("Again.");
    expect(model.calls.map(({ request }) => request)).toEqual([
      { messages: [{ role: "user", content: "Hi" }] },
      { messages: [{ role: "user", content: "Hi" }], stop: ["END"] },
    ]);
  });

  it("returns the tool calls, or the result of the first call with code", async () => {
    const model = scriptedModel(() => ({
      toolCalls: [{ name: "other", arguments: {} }, ...asksWeather.toolCalls],
    }));
    const talking = llm(model);
    expect(await talking.call("?", { tools: [weather] })).toMatchObject([
      { name: "other" },
      { name: "the_weather", arguments: '{"city":"Oslo"}' },
    ]);
    expect(model.calls[0]?.request.tools).toMatchObject([
      { name: "the_weather", parameters: { properties: { city: { type: "string" } } } },
    ]);
    const availableFunctions = { the_weather: (input: JsonObject) => [input, "rain"] };
    expect(await talking.call("?", { tools: [weather], availableFunctions })).toEqual([
      { city: "Oslo" },
      "rain",
    ]);
  });

  it("returns data of the requested shape, also out of the midst of a text", async () => {
    const responseModel = z.object({ name: z.string() });
    const model = scriptedModel(['Here: {"name":"Ada"}. Done.', '{"name":1}', "no"]);
    const talking = llm(model);
    const answer = await talking.call("Who?", { responseModel });
    expect(answer.name).toBe("Ada");
    expect(model.calls[0]?.request.responseSchema?.schema).toMatchObject({ required: ["name"] });
    await expect(talking.call("Who?", { responseModel })).rejects.toMatchObject({
      code: "output_invalid",
      issues: [{ path: "/name" }],
    });
    await expect(talking.call("Who?", { responseModel })).rejects.toThrow(/must be JSON, got "no"/);
  });

  it("takes settings with a name, and finds the name in its model catalog", async () => {
    const model = scriptedModel(["mine"]);
    const models = modelCatalog({ variables: {}, models: { house: model } });
    expect(await llm("house", {}, models).call("Hi")).toBe("mine");
    expect(llm("openai/gpt-4o", { temperature: 0 }).spec).toEqual({
      model: "openai/gpt-4o",
      temperature: 0,
    });
    expect(() => llm(model, { temperature: 0 })).toThrow(
      /settings can only be combined with a model's name/,
    );
  });

  it("is cancelled by its signal", async () => {
    const reason = new Error("enough");
    const call = llm(scriptedModel(["x"])).call("Hi", { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

describe("frames of a call", () => {
  it("report the start, thoughts, text, tool calls and the end, each of them named", async () => {
    const model = scriptedModel([{ thinking: "Hm.", text: "Look ing", ...asksWeather }]);
    const frames = await framesOf(llm(model).streamEvents("?", { tools: [weather] }));
    expect(frames.map(({ type }) => type)).toEqual([
      "llm_call_started",
      "llm_thinking_chunk",
      "llm_stream_chunk",
      "llm_stream_chunk",
      "llm_stream_chunk",
      "llm_call_completed",
    ]);
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(frames[2]?.data).toMatchObject({
      chunk: "",
      toolCall: { index: 0, name: "the_weather" },
    });
    expect(frames.at(-1)).toMatchObject({
      channel: "llm",
      parentId: frames[0]?.id,
      previousId: frames[4]?.id,
      data: { response: "Look ing", toolCalls: [{ name: "the_weather" }] },
    });
    expect(new Set(frames.map(({ namespace }) => namespace.join("/"))).size).toBe(1);
  });

  const textOf = (frames: readonly StreamFrame[]): string | undefined =>
    Object.values(
      frames.reduce((words, { type, data }) => foldWords(words, { type, ...data }), {} as Words),
    )[0]?.text;

  const cutShort = (failures: number): LanguageModel => ({
    ...scriptedModel([]),
    generate: async (request, options) => {
      options.onDelta?.("one two ");
      if (failures-- > 0) throw new EngineError("model_failed", "cut", { retryable: true });
      return scriptedModel(["one two three"]).generate(request, { ...options, onDelta: undefined });
    },
  });

  it("LW1: are the words of the last model of a chain", async () => {
    const chain = fallbackModel([cutShort(1), scriptedModel(["uno due"])]);
    const frames = await framesOf(llm(chain).streamEvents("?"));
    expect(frames.filter(({ data }) => data["reset"] === true)).toHaveLength(1);
    expect(textOf(frames.slice(0, -1))).toBe("uno due");
  });

  it("LW1: are the words of the last attempt of a step", async () => {
    let frames: readonly StreamFrame[] = [];
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async () => {
        frames = await framesOf(llm(cutShort(1)).streamEvents("?"));
        return "asked";
      },
    });
    const { agent } = scriptedAgent([calling("ask"), "done"], { tools: [ask] });
    await startCrew(soloCrew(agent)).output();
    expect(textOf(frames.slice(0, -1))).toBe("one two ");
    expect(textOf(frames)).toBe("one two three");
  });

  it("end with the failure, which is thrown too", async () => {
    const error = new EngineError("model_rejected", "no");
    const frames = llm(scriptedModel([{ error }])).streamEvents("?");
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of frames) types.push(type);
    })();
    await expect(reading).rejects.toBe(error);
    expect(types).toEqual(["llm_call_started", "llm_call_failed"]);
  });

  it("cancel the call when the listener leaves", async () => {
    let signal: AbortSignal | undefined;
    const model = scriptedModel([]);
    const slow = {
      ...model,
      generate: (
        _: unknown,
        options: { signal: AbortSignal; onDelta?: (text: string) => void },
      ) => {
        signal = options.signal;
        options.onDelta?.("one");
        return new Promise<never>(() => undefined);
      },
    };
    for await (const { type } of llm(slow).streamEvents("?")) {
      if (type === "llm_stream_chunk") break;
    }
    expect(signal?.aborted).toBe(true);
  });
});

describe("inside of a run", () => {
  it("LM1: is a step: reported, metered, and not repeated when the run is replayed", async () => {
    const model = scriptedModel(["a summary", "never"]);
    const summarise = tool({
      name: "summarise",
      description: "Summarises, when somebody agrees.",
      input: z.object({}),
      run: async (_, { wait }) => {
        const text = await llm(model).call("Summarise this.");
        const frames = await framesOf(llm(scriptedModel(["streamed"])).streamEvents("And this."));
        const answer = await wait<{ feedback: string }>("person", { kind: "human", prompt: "Ok?" });
        return [text, frames.at(-1)?.data["response"], answer.feedback];
      },
    });
    const { agent, model: agentModel } = scriptedAgent([calling("summarise"), "done"], {
      tools: [summarise],
    });
    const run = startCrew(soloCrew(agent));
    expect((await run.settle()).status).toBe("waiting");
    await run.handle.resume({ feedback: "fine" });
    await run.output();
    expect(lastTold(agentModel, 1)).toBe('["a summary","streamed","fine"]');
    expect(model.calls).toHaveLength(1);
    const paths = run.kept("llm_call_completed").map(({ path }) => path);
    expect(paths).toEqual([
      "task:work/turn:1/llm",
      "task:work/turn:1/tool:summarise#0/llm-call/llm",
      "task:work/turn:1/tool:summarise#0/llm-call~2/llm",
      "task:work/turn:2/llm",
    ]);
    expect((await run.handle.status()).usage.requests).toBe(4);
  });

  it("LM2: is a model as agents take it, found in the run's place", async () => {
    const model = scriptedModel(["from the agent"]);
    const { agent } = scriptedAgent([], { llm: llm(model) });
    const run = startCrew(soloCrew(agent));
    expect((await run.output()).raw).toBe("from the agent");
  });
});

describe("streams of a run", () => {
  it("report thoughts and tool calls live, and store neither", async () => {
    const look = tool({ name: "look", description: "L.", input: z.object({}), run: () => "seen" });
    const { agent, model } = scriptedAgent(
      [{ thinking: "I should look.", ...(calling("look") as object) }, "done"],
      { tools: [look], stream: true },
    );
    const run = startCrew(soloCrew(agent));
    await run.output();
    const live = run.heard.flatMap((event) =>
      event.type === "llm_thinking_chunk" || event.type === "llm_stream_chunk" ? [event] : [],
    );
    expect(live).toMatchObject([
      { type: "llm_thinking_chunk", chunk: "I should look.", callId: "task:work/turn:1/llm" },
      { type: "llm_stream_chunk", chunk: "", toolCall: { index: 0, name: "look" } },
      { type: "llm_stream_chunk", chunk: "done", callId: "task:work/turn:2/llm" },
    ]);
    expect(live.every((event) => !("seq" in event))).toBe(true);
    expect(model.calls[0]?.messages).toMatchObject([
      { role: "system", cacheBreakpoint: true },
      { role: "user", cacheBreakpoint: true },
    ]);
  });
});
