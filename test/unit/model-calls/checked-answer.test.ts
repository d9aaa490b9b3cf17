import { describe, expect, it, vi } from "vitest";
import { NO_USAGE } from "../../../src/base/usage.ts";
import type { LanguageModel, ModelResponse } from "../../../src/llm/language-model.ts";
import {
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../support/crew-harness.ts";
import { Agent } from "../../../src/agent/description/agent.ts";

const usage = { ...NO_USAGE, promptTokens: 3, completionTokens: 2, totalTokens: 5, requests: 1 };
const whole = { text: "An answer", toolCalls: [], finishReason: "stop", usage };

/** An agent whose model is of one's own, and gives this or throws. */
function agentWith(generate: () => Promise<unknown>): Agent {
  const llm = {
    id: "own/model",
    contextWindow: 10_000,
    capabilities: { tools: true, responseSchema: true, stop: true },
    generate,
  } as unknown as LanguageModel;
  return new Agent({ role: "Researcher", goal: "g", backstory: "b", llm, maxRetryLimit: 0 });
}

describe("the answer of a model of one's own", () => {
  it.each<[unknown, string]>([
    [null, "text must be a string, got undefined"],
    [{ ...whole, text: 10n }, "text must be a string, got bigint"],
    [{ ...whole, toolCalls: undefined }, "toolCalls must be a list, got undefined"],
    [{ ...whole, toolCalls: [{ id: 1n }] }, "each of toolCalls must have an id"],
    [{ ...whole, finishReason: 1 }, "finishReason must be a string, got 1"],
  ])("CKA1: fails by name when it is invalid: %#", async (answer, message) => {
    const { error } = await runCrewToFailure(soloCrew(agentWith(async () => answer)));
    expect(error.code).toBe("model_failed");
    expect(error.message).toContain(`own/model gave no answer: ${message}`);
  });

  it.each<[Partial<ModelResponse["usage"]> | undefined, number]>([
    [undefined, 0],
    [{ ...usage, promptTokens: 1e300, totalTokens: 1e300 }, 0],
    [{ ...usage, totalTokens: Infinity, costUsd: Number.NaN }, 0],
    [{ ...usage, completionTokens: -1 }, 5],
    [{ ...usage, promptTokens: 3n as never }, 5],
  ])("CKA2: counts tokens other than safe integers as unknown: %#", async (told, total) => {
    const crew = soloCrew(agentWith(async () => ({ ...whole, usage: told })));
    const { result, kept } = await runCrewToEnd(crew);
    expect(result.usage.totalTokens).toBe(total);
    expect(result.usage).toMatchObject({ costUsd: 0 });
    const [call] = kept("llm_call_completed");
    const isUnknown = told === undefined || told.totalTokens !== Infinity;
    expect(call).toMatchObject(isUnknown ? { usageUnknown: true } : { usage: { promptTokens: 3 } });
  });

  it("CKA2: is not unknown when the provider counts", async () => {
    const { kept } = await runCrewToEnd(soloCrew(scriptedAgent(["An answer"]).agent));
    const [call] = kept("llm_call_completed");
    expect(call).not.toHaveProperty("usageUnknown");
  });

  it("longer than a step may keep fails, and is not asked for once more", async () => {
    let calls = 0;
    const agent = agentWith(async () => {
      calls++;
      return { ...whole, text: "a".repeat(8 * 1024 * 1024 + 1) };
    });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "answer_too_large", retryable: false });
    expect(error.message).toContain("own/model sent an answer of more than 8388608 characters");
    expect(calls).toBe(1);
  });

  it("without tokens is noted in the log once", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const agent = agentWith(async () => ({ ...whole, usage: undefined }));
    Object.assign(agent.llm as object, { id: "own/silent" });
    await runCrewToEnd(soloCrew(agent));
    await runCrewToEnd(soloCrew(agent));
    const lines = warn.mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes("usage_unknown"))).toEqual([
      expect.stringContaining('"model":"own/silent"'),
    ]);
    warn.mockRestore();
  });

  it("CKA3: an exception names the model, the task and the agent", async () => {
    const failing = agentWith(() => Promise.reject(new TypeError("boom")));
    const { error } = await runCrewToFailure(soloCrew(failing));
    expect(error.message).toBe('task "work" (agent "Researcher"): own/model threw: boom');
  });
});

describe("the reason of an answer's end", () => {
  it("is on outputs of tasks, crews and agents", async () => {
    const { agent } = scriptedAgent(["An answer"]);
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result).toMatchObject({ finishReason: "stop", tasks: [{ finishReason: "stop" }] });
    expect(await scriptedAgent(["Alone"]).agent.kickoff("Hello")).toMatchObject({
      finishReason: "stop",
    });
  });
});
