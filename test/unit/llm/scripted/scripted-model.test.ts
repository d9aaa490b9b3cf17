import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import type { Message } from "../../../../src/llm/language-model.ts";
import { scriptedModel, type ScriptedReply } from "../../../../src/llm/scripted/scripted-model.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const request = { messages: [{ role: "user" as const, content: "Hello you" }] };
const options = { signal: new AbortController().signal };

const twoCalls = (): ScriptedReply => ({
  toolCalls: [
    { name: "a", arguments: { x: 1 } },
    { name: "b", arguments: "{" },
  ],
});

describe("scriptedModel", () => {
  it("returns its replies in order, and fails at the end", async () => {
    const model = scriptedModel(["one", { text: "two" }]);
    expect((await model.generate(request, options)).text).toBe("one");
    expect((await model.generate(request, options)).text).toBe("two");
    await expect(model.generate(request, options)).rejects.toThrow(/2 replies, but call 3/);
  });

  it("makes tool calls with the same ids whenever the conversation is the same", async () => {
    const first = await scriptedModel(twoCalls).generate(request, options);
    const again = await scriptedModel(twoCalls).generate(request, options);
    expect(first).toEqual(again);
    expect(first).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [
        { id: "call_0_0", name: "a", arguments: '{"x":1}' },
        { id: "call_0_1", name: "b", arguments: "{" },
      ],
    });
  });

  it("keeps each request as it was at the time of the call", async () => {
    const model = scriptedModel(["one", "two"]);
    const messages: Message[] = [...request.messages];
    await model.generate({ messages }, { ...options, idempotencyKey: "key" });
    messages.push({ role: "assistant", content: "one" });
    await model.generate({ messages }, options);
    expect(model.calls.map((call) => call.request.messages.length)).toEqual([1, 2]);
    expect(model.calls[0]?.idempotencyKey).toBe("key");
  });

  it("counts a token for every four characters", async () => {
    const { usage } = await scriptedModel(["12345"]).generate(request, options);
    expect(usage).toMatchObject({
      promptTokens: 3,
      completionTokens: 2,
      totalTokens: 5,
      requests: 1,
    });
  });

  it("fails with the scripted error", async () => {
    const error = new EngineError("model_rate_limited", "slow down", { retryable: true });
    await expect(scriptedModel([{ error }]).generate(request, options)).rejects.toBe(error);
  });

  it("streams its text in words", async () => {
    const deltas: string[] = [];
    const model = scriptedModel(["one two  three"]);
    await model.generate(request, { ...options, onDelta: (text) => deltas.push(text) });
    expect(deltas).toEqual(["one ", "two  ", "three"]);
  });

  it("takes its time by the clock, and stops waiting when aborted", async () => {
    const clock = new SimulatedClock();
    const model = scriptedModel(() => ({ text: "late", delayMs: 1000 }), { clock });
    const late = model.generate(request, options);
    await clock.advance(1000);
    expect((await late).text).toBe("late");
    const controller = new AbortController();
    const stopped = model.generate(request, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
  });
});
