import { describe, expect, it, vi } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { NO_USAGE, type Usage } from "../../../src/base/usage.ts";
import type { ModelListSettings } from "../../../src/llm/model-list.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { usageSummary } from "../../../src/model-calls/usage-summary.ts";
import { soloCrew } from "../../support/crew-harness.ts";
import { recordedFetch } from "../../support/recorded-fetch.ts";

const usageOf = (promptTokens: number, completionTokens: number, costUsd: number): Usage => ({
  ...NO_USAGE,
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
  requests: 1,
  costUsd,
});
const completed = (fields: object) => ({ type: "llm_call_completed", ...fields });

describe("usage by model", () => {
  it("USM2: counts by model and by agent", () => {
    const events = [
      { type: "llm_call_started", model: "a" },
      completed({ model: "a", usage: usageOf(10, 5, 0.25), agentRole: "ana" }),
      completed({ model: "b", usage: usageOf(20, 5, 0.5), agentRole: "bo" }),
      completed({ model: "a", usage: usageOf(1, 1, 0.25), agentRole: "bo" }),
      completed({ model: "a", usage: usageOf(1, 1, 0) }),
    ];
    const { actual, total, agents } = usageSummary(events);
    expect(actual).toEqual({
      totalCost: 1,
      models: {
        a: { cost: 0.5, promptTokens: 12, completionTokens: 7, totalTokens: 19 },
        b: { cost: 0.5, promptTokens: 20, completionTokens: 5, totalTokens: 25 },
      },
    });
    expect(total).toEqual(actual);
    expect(agents["bo"]?.actual).toMatchObject({ totalCost: 0.75, models: { a: { cost: 0.25 } } });
    expect(Object.keys(agents)).toEqual(["ana", "bo"]);
  });

  it("USM1: cached usage is in the total only; usage refused by a filter is in both", () => {
    const spent = [
      { model: "a", usage: usageOf(10, 5, 1) },
      { model: "b", usage: usageOf(20, 5, 2), cached: true },
    ];
    const { actual, total } = usageSummary([
      completed({ model: "b", usage: usageOf(10, 5, 1), spent }),
    ]);
    expect([actual.totalCost, Object.keys(actual.models)]).toEqual([1, ["a"]]);
    expect([total.totalCost, Object.keys(total.models)]).toEqual([3, ["a", "b"]]);
  });

  it.each([
    [{ model: "a" }],
    [{ model: "a", usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } }],
    [{ usage: usageOf(1, 1, 1) }],
  ])("USM3: leaves out %o", (fields) => {
    expect(usageSummary([completed(fields)])).toMatchObject({
      actual: { totalCost: 0, models: {} },
    });
  });

  it("USM1, USM2: the same request twice counts once, and twice in total (D6.57)", async () => {
    const list: ModelListSettings = {
      configList: [scriptedModel(() => ({ text: "yes", usage: { costUsd: 0.5 } }))],
      cacheSeed: 7,
    };
    const agent = new Agent({ role: "Ana", goal: "G", backstory: "B", llm: list });
    const models = modelCatalog({ variables: {} });
    const events: Array<{ readonly type: string }> = [];
    const requests: number[] = [];
    for (let run = 0; run < 2; run++) {
      const handle = soloCrew(agent).start({ models });
      for await (const event of handle.events()) events.push(event);
      requests.push((await handle.status()).usage.requests);
    }
    expect(requests).toEqual([1, 0]);
    const { actual, total, agents } = usageSummary(events);
    expect([actual.totalCost, total.totalCost]).toEqual([0.5, 1]);
    expect(agents["Ana"]?.total.totalCost).toBe(1);
  });
});

describe("costs of a call", () => {
  const cost = async (settings: object): Promise<number> => {
    const { fetch } = recordedFetch({ usage: { prompt_tokens: 500, completion_tokens: 250 } });
    const spec = { model: "openai/house-model", apiKey: "k", ...settings };
    const model = resolveModel(spec, { variables: {}, fetch });
    const asked = { messages: [{ role: "user" as const, content: "Hello" }] };
    const { usage } = await model.generate(asked, { signal: new AbortController().signal });
    return usage.costUsd;
  };

  it("price [1, 2] makes 500 in and 250 out 1.0 (D6.58)", async () => {
    expect(await cost({ price: [1, 2] })).toBeCloseTo(1);
    expect(await cost({ price: 2 })).toBeCloseTo(1.5);
  });

  it("an unknown price is 0, with one log line", async () => {
    const log = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect([await cost({}), await cost({})]).toEqual([0, 0]);
    expect(log.mock.calls).toEqual([
      [expect.stringMatching(/"price_unknown".*"openai\/house-model"/)],
    ]);
    log.mockRestore();
  });
});
