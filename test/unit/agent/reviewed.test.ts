// Answers that people review, where the work was done in another way than by the usual loop.
import { describe, expect, it } from "vitest";
import {
  calling,
  keysOf,
  scriptedAgent,
  soloCrew,
  startCrew,
  toldTo,
} from "../../support/crew-harness.ts";

const plan = calling("create_reasoning_plan", {
  plan: "p",
  ready: true,
  steps: [{ step_number: 1, description: "a", tool_to_use: null, depends_on: [] }],
});

describe("a person's review", () => {
  it("of a planned answer continues as a conversation, without a new plan", async () => {
    const { agent, model } = scriptedAgent([plan, "did a", "the answer", "the better answer"], {
      planningConfig: { reasoningEffort: "low" },
    });
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.resume({ feedback: "shorter" });
    await run.settle();
    await run.handle.resume({ feedback: "" });
    expect((await run.output()).raw).toBe("the better answer");
    expect(keysOf(model).at(-1)).toBe("task:work/revision:1/turn:1/llm");
    expect(toldTo(model, 3).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
    expect(toldTo(model, 3)[2]?.content).toBe("the answer");
    expect(toldTo(model, 3)[3]?.content).toContain("shorter");
  });

  it("of a foreign agent's answer makes it work again with the feedback", async () => {
    const prompts: string[] = [];
    const { agent } = scriptedAgent([], {
      adapter: {
        configureTools: () => [],
        configureStructuredOutput: () => undefined,
        execute: async ({ prompt }) => ({ text: `answer ${prompts.push(prompt)}` }),
      },
    });
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.resume({ feedback: "shorter" });
    await run.settle();
    await run.handle.resume({ feedback: "" });
    expect((await run.output()).raw).toBe("answer 2");
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toMatch(/Do the work[^]*answer 1[^]*shorter/);
  });
});
