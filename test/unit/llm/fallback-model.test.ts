import { describe, expect, it } from "vitest";
import { EngineError, type ErrorCode } from "../../../src/base/error.ts";
import { fallbackModel } from "../../../src/llm/fallback-model.ts";
import type { CallTurn } from "../../../src/llm/language-model.ts";
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

/** Models named by their places, which answer with them. */
const three = () => ["a", "b", "c"].map((id) => scriptedModel(() => id, { id: `scripted/${id}` }));

const OTHERS = { fallbackOnClientError: true };

describe("several models as one", () => {
  it("FBK1: ask the first only, as long as it answers", async () => {
    const second = good();
    const chain = fallbackModel([good(), second]);
    expect(await chain.generate(request, options)).toMatchObject({
      text: "answer",
      model: "scripted/good",
      configIndex: 0,
    });
    expect(second.calls).toHaveLength(0);
  });

  it("FBK1: in turn, calls begin with 0, 1, 2 and 0 (D6.55)", async () => {
    const list = fallbackModel(three(), { routing: "round_robin" });
    const starts = [];
    for (let call = 0; call < 4; call++)
      starts.push((await list.generate(request, options)).configIndex);
    expect(starts).toEqual([0, 1, 2, 0]);
  });

  it("FBK1: in turn, a call begins at the index of its place in the run, and wraps around", async () => {
    const models = [good(), good(), failing("model_failed")];
    const list = fallbackModel(models, { routing: "round_robin" });
    const turn = (): CallTurn => ({ runId: "r", before: 5 });
    const { configIndex } = await list.generate(request, { ...options, turn });
    expect(configIndex).toBe(0);
    expect(models.map(({ calls }) => calls.length)).toEqual([1, 0, 1]);
  });

  it("FBK1: spread, runs begin at different places, and each goes on from its own", async () => {
    const list = fallbackModel(three(), { routing: "spread" });
    const startOf = async (runId: string, before: number) =>
      (await list.generate(request, { ...options, turn: () => ({ runId, before }) })).configIndex ??
      -1;
    const starts = [];
    for (let run = 0; run < 60; run++) starts.push(await startOf(`run-${run}`, 0));
    for (const place of [0, 1, 2])
      expect(starts.filter((start) => start === place).length).toBeGreaterThan(8);
    expect(await startOf("run-0", 1)).toBe(((starts[0] ?? 0) + 1) % 3);
  });

  it.each(["model_failed", "model_rate_limited", "timeout"] as const)(
    "FBK2: go on after %s (D6.56)",
    async (code) => {
      const chain = fallbackModel([failing(code), good()]);
      expect(await chain.generate(request, options)).toMatchObject({
        text: "answer",
        configIndex: 1,
      });
    },
  );

  it.each(["model_unauthorized", "model_rejected"] as const)(
    "FBK2: go on after %s only with the setting",
    async (code) => {
      const last = good();
      const models = [failing(code), last];
      await expect(fallbackModel(models).generate(request, options)).rejects.toMatchObject({
        code,
      });
      expect(last.calls).toHaveLength(0);
      expect((await fallbackModel(models, OTHERS).generate(request, options)).configIndex).toBe(1);
    },
  );

  it.each(["internal", "budget_exceeded", "run_cancelled", "content_filtered"] as const)(
    "FBK2: end with %s (D6.56)",
    async (code) => {
      const last = good();
      await expect(
        fallbackModel([failing(code), last], OTHERS).generate(request, options),
      ).rejects.toMatchObject({ code });
      expect(last.calls).toHaveLength(0);
    },
  );

  it("FBK2: a final error names the errors before it", async () => {
    const chain = fallbackModel([failing("timeout"), failing("model_rejected")]);
    await expect(chain.generate(request, options)).rejects.toThrow(
      "model_rejected! (before it: [0] scripted/model: timeout!)",
    );
  });

  it("FBK2: end when the caller has aborted", async () => {
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

  it("FBK3: continue after a full context window only with a larger one", async () => {
    const same = good(1000);
    const larger = good(2000);
    const chain = fallbackModel([failing("context_window_exceeded"), same, larger]);
    await chain.generate(request, options);
    expect([same.calls.length, larger.calls.length]).toEqual([0, 1]);
    const short = fallbackModel([failing("context_window_exceeded"), same]);
    await expect(short.generate(request, options)).rejects.toMatchObject({
      code: "context_window_exceeded",
      message: expect.stringContaining("[1] scripted/good was not asked") as string,
    });
  });

  it("FBK3: an image finds the model with vision, a rejected text ends the chain", async () => {
    const blind = (): ScriptedModel =>
      scriptedModel(() => ({ error: new EngineError("model_rejected", "text only") }), {
        capabilities: { vision: false },
      });
    const picture = { type: "image", url: "https://example.com/cat.png" } as const;
    const shown = { messages: [{ role: "user" as const, content: [picture] }] };
    const chain = fallbackModel([blind(), good()]);
    expect((await chain.generate(shown, options)).configIndex).toBe(1);
    await expect(chain.generate(request, options)).rejects.toThrow("text only");
  });

  it("FBK4: fail with every reason, retryable if one of them was", async () => {
    const chain = fallbackModel(
      [
        failing("model_unauthorized"),
        failing("model_rate_limited", { retryable: true, retryAfterMs: 70 }),
      ],
      OTHERS,
    );
    await expect(chain.generate(request, options)).rejects.toMatchObject({
      code: "model_rate_limited",
      retryable: true,
      retryAfterMs: 70,
      message:
        "no answer from any of the 2 models: [0] scripted/model: model_unauthorized!; [1] scripted/model: model_rate_limited!",
      issues: [
        { path: "/0", message: "model_unauthorized!" },
        { path: "/1", message: "model_rate_limited!" },
      ],
    });
  });

  it("FBK4: void the streamed text before the next model is asked", async () => {
    const said: string[] = [];
    const chain = fallbackModel([failing("model_failed"), good()]);
    await chain.generate(request, {
      ...options,
      onDelta: (text) => said.push(text),
      onRestart: () => said.push("restart"),
    });
    expect(said).toEqual(["restart", "answer"]);
  });

  it("FBK5: an answer the filter refuses is paid for, and the next model is asked", async () => {
    const list = fallbackModel(three(), { filter: ({ text }) => text === "b" });
    const answer = await list.generate(request, options);
    expect(answer).toMatchObject({
      text: "b",
      configIndex: 1,
      passedFilter: true,
      usage: { requests: 2 },
      spent: [{ model: "scripted/a" }, { model: "scripted/b" }],
    });
  });

  it("FBK5: the last answer is taken as it is, also when the models after it fail", async () => {
    const none = fallbackModel(three(), { filter: () => false });
    expect(await none.generate(request, options)).toMatchObject({
      text: "c",
      configIndex: 2,
      passedFilter: false,
    });
    const failed = fallbackModel([good(), failing("model_failed")], { filter: () => false });
    expect(await failed.generate(request, options)).toMatchObject({
      text: "answer",
      passedFilter: false,
    });
    const one = fallbackModel([good()], { filter: () => false });
    expect((await one.generate(request, options)).passedFilter).toBe(false);
  });

  it("promise the capabilities common to all of them", () => {
    const plain = scriptedModel([], { contextWindow: 500, capabilities: { tools: false } });
    const chain = fallbackModel([good(), plain]);
    expect(chain).toMatchObject({
      id: "scripted/good",
      contextWindow: 500,
      capabilities: { tools: false, responseSchema: true, stop: true, vision: true },
    });
  });

  it("with one entry are that model; empty lists are refused", () => {
    const one = good();
    expect(fallbackModel([one])).toBe(one);
    expect(() => fallbackModel([])).toThrow(/at least one/);
  });
});
