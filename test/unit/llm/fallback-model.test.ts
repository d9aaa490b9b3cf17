import { describe, expect, it } from "vitest";
import { EngineError, type ErrorCode } from "../../../src/base/error.ts";
import { fallbackModel } from "../../../src/llm/fallback-model.ts";
import { scriptedModel, type ScriptedModel } from "../../../src/llm/scripted/scripted-model.ts";

const request = { messages: [{ role: "user" as const, content: "Hello" }] };
const options = { signal: new AbortController().signal };

function failing(
  code: ErrorCode,
  more: { retryable?: boolean; retryAfterMs?: number; contextWindow?: number } = {},
): ScriptedModel {
  const { contextWindow = 1000, ...failure } = more;
  return scriptedModel(() => ({ error: new EngineError(code, `${code}!`, failure) }), {
    contextWindow,
  });
}

const good = (contextWindow = 1000): ScriptedModel =>
  scriptedModel(() => "answer", { id: "scripted/good", contextWindow });

describe("a fallback chain", () => {
  it("asks the first model only, as long as it answers", async () => {
    const second = good();
    const chain = fallbackModel([good(), second]);
    expect((await chain.generate(request, options)).text).toBe("answer");
    expect(second.calls).toHaveLength(0);
  });

  it.each([
    "model_failed",
    "model_unauthorized",
    "model_rate_limited",
    "model_rejected",
    "timeout",
  ] as const)("goes on after %s", async (code) => {
    const chain = fallbackModel([failing(code), good()]);
    expect((await chain.generate(request, options)).text).toBe("answer");
  });

  it.each(["internal", "budget_exceeded", "run_cancelled"] as const)(
    "ends with %s",
    async (code) => {
      const last = good();
      await expect(
        fallbackModel([failing(code), last]).generate(request, options),
      ).rejects.toMatchObject({ code });
      expect(last.calls).toHaveLength(0);
    },
  );

  it("continues after a full context window only with a larger one", async () => {
    const same = good(1000);
    const larger = good(2000);
    const chain = fallbackModel([failing("context_window_exceeded"), same, larger]);
    await chain.generate(request, options);
    expect([same.calls.length, larger.calls.length]).toEqual([0, 1]);
    const short = fallbackModel([failing("context_window_exceeded"), same]);
    await expect(short.generate(request, options)).rejects.toMatchObject({
      code: "context_window_exceeded",
    });
  });

  it("ends when the caller has aborted", async () => {
    const controller = new AbortController();
    const last = good();
    const first = scriptedModel(() => {
      controller.abort(new Error("enough"));
      return { error: new EngineError("model_failed", "x") };
    });
    const call = fallbackModel([first, last]).generate(request, { signal: controller.signal });
    await expect(call).rejects.toThrow("enough");
    expect(last.calls).toHaveLength(0);
  });

  it("fails with every reason, retryable if one of them was", async () => {
    const chain = fallbackModel([
      failing("model_unauthorized"),
      failing("model_rate_limited", { retryable: true, retryAfterMs: 70 }),
    ]);
    await expect(chain.generate(request, options)).rejects.toMatchObject({
      code: "model_rate_limited",
      retryable: true,
      retryAfterMs: 70,
      message: expect.stringMatching(/model_unauthorized!.*model_rate_limited!/) as string,
    });
  });

  it("promises what all of its models can do", () => {
    const plain = scriptedModel([], { contextWindow: 500, capabilities: { tools: false } });
    const chain = fallbackModel([good(), plain]);
    expect(chain).toMatchObject({
      id: "scripted/good",
      contextWindow: 500,
      capabilities: { tools: false, responseSchema: true, stop: true, vision: true },
    });
  });

  it("of one model is that model; of none is refused", () => {
    const one = good();
    expect(fallbackModel([one])).toBe(one);
    expect(() => fallbackModel([])).toThrow(/at least one/);
  });
});
