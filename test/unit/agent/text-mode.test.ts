import { describe, expect, it } from "vitest";
import * as z from "zod";
import { tool, toolFromSchema } from "../../../src/tools/tool.ts";
import type { ToolOptions } from "../../../src/tools/tool-options.ts";
import {
  acting,
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";

const counter = (options: Partial<ToolOptions<z.ZodObject>> = {}) => {
  const seen: unknown[] = [];
  const count = tool({
    name: "count",
    description: "Counts.",
    input: z.object({ by: z.number().default(1) }),
    run: (input) => `counted ${seen.push(input)}`,
    ...options,
  });
  return { count, seen };
};

const textAgent = (
  script: Parameters<typeof scriptedAgent>[0],
  options: Parameters<typeof scriptedAgent>[1] = {},
) => scriptedAgent(script, { modelOptions: TEXT_ONLY, ...options });

describe("the text form", () => {
  it("AL2: explains the tools in the system text, and stops the model before results", async () => {
    const { count } = counter();
    const { agent, model } = textAgent(["Final Answer: none needed"], { tools: [count] });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("none needed");
    const [system] = toldTo(model, 0);
    expect(system?.content).toContain("Tool: count\nArguments: ");
    expect(system?.content).toContain("one of: count");
    expect(model.calls[0]?.request).toMatchObject({ stop: ["\nObservation:"] });
    expect(model.calls[0]?.request.tools).toBeUndefined();
  });

  it("AL2: leaves the form out for an agent without tools", async () => {
    const { agent, model } = textAgent(["plain"]);
    await runCrewToEnd(soloCrew(agent));
    expect(toldTo(model, 0)[0]?.content).not.toContain("Action");
    expect(model.calls[0]?.request.stop).toBeUndefined();
  });

  it("AL2, AL7: runs the action, gives its result as the user's, and asks the model to continue", async () => {
    const { count, seen } = counter();
    const { agent, model } = textAgent(
      [acting("count", { by: 2 }), "Thought: enough\nFinal Answer: two"],
      { tools: [count] },
    );
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("two");
    expect(seen).toEqual([{ by: 2 }]);
    expect(toldTo(model, 1).slice(-2)).toEqual([
      { role: "assistant", content: acting("count", { by: 2 }) },
      {
        role: "user",
        content: expect.stringMatching(/^Observation: counted 1\n\n.*Is the task done\?/),
      },
    ]);
  });

  it("AL2: drops results invented by a model, and the answer after them", async () => {
    const { count, seen } = counter();
    const { agent, model } = textAgent(
      [`${acting("count")}\nObservation: 99\nFinal Answer: invented`, "Final Answer: real"],
      { tools: [count] },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("real");
    expect(seen).toHaveLength(1);
    expect(toldTo(model, 1).at(-1)?.content).not.toContain("99");
  });

  it("AL3: takes prose without any marker as the answer", async () => {
    const { agent } = textAgent(["  It is 42.\n"], { tools: [counter().count] });
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("It is 42.");
  });

  it("AL3: sends prose back when the agent is strict", async () => {
    const { agent, model } = textAgent(["It is 42.", "Final Answer: 42"], {
      tools: [counter().count],
      strictReact: true,
    });
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("42");
    expect(toldTo(model, 1).at(-2)).toEqual({ role: "assistant", content: "It is 42." });
    expect(lastTold(model, 1)).toMatch(
      /not in the form that is needed: .*found neither[^]*Action Input:/,
    );
  });

  it("AL3: sends half an action back instead of taking it as the answer", async () => {
    const { agent, model } = textAgent(
      ["Thought: I must count\nAction: count", acting("count"), "Final Answer: 1"],
      { tools: [counter().count] },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("1");
    expect(lastTold(model, 1)).toContain('expected a line "Action Input:');
  });

  it("finds a tool with a misspelt name", async () => {
    const { count, seen } = counter();
    const { agent } = textAgent([acting("Countt"), "Final Answer: x"], { tools: [count] });
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toHaveLength(1);
  });

  it("TC1: answers an unknown tool and a missing name with the names of the existing ones", async () => {
    const { agent, model } = textAgent(
      [acting("weather"), "Action:\nAction Input: {}", "Final Answer: x"],
      { tools: [counter().count] },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(toldTo(model, 1).at(-1)?.content).toContain(
      'there is no tool named "weather". Choose one of: count',
    );
    expect(toldTo(model, 2).at(-1)?.content).toContain("no tool was named. Choose one of: count");
  });

  it("AW4: the same call twice in a row is run once; the model is asked to continue", async () => {
    const { count, seen } = counter();
    const { agent, model } = textAgent(
      [
        acting("count", { by: 1 }),
        acting("count", '{"by":   1}'),
        acting("count", { by: 2 }),
        acting("count", { by: 1 }),
        "Final Answer: x",
      ],
      {
        tools: [count],
      },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual([{ by: 1 }, { by: 2 }, { by: 1 }]);
    expect(toldTo(model, 2).at(-1)?.content).toContain(
      "You have just called count with these same arguments",
    );
  });

  it("AW4: a tool with allowRepeat may be called with the same arguments again", async () => {
    const { count, seen } = counter();
    const { agent } = textAgent(
      [acting("count", { by: 1 }), acting("count", { by: 1 }), "Final Answer: x"],
      { tools: [{ ...count, allowRepeat: true }] },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual([{ by: 1 }, { by: 1 }]);
  });

  it.each([
    [true, true, 1],
    [true, undefined, 1],
    [true, false, 2],
    [false, undefined, 2],
    [false, true, 1],
  ])(
    "AW4: text form %j, refuseRepeats %j: the call is made %i times",
    async (text, refuse, times) => {
      const { count, seen } = counter();
      const script = text
        ? [acting("count", { by: 1 }), acting("count", { by: 1 }), "Final Answer: x"]
        : [calling("count", { by: 1 }), calling("count", { by: 1 }), "x"];
      const { agent } = scriptedAgent(script, {
        tools: [count],
        ...(text ? { modelOptions: TEXT_ONLY } : {}),
        ...(refuse === undefined ? {} : { refuseRepeats: refuse }),
      });
      await runCrewToEnd(soloCrew(agent));
      expect(seen).toHaveLength(times);
    },
  );

  it("lists the tools again after every third call", async () => {
    const { count } = counter();
    const calls = Array.from({ length: 6 }, (_, by) => acting("count", { by }));
    const { agent, model } = textAgent([...calls, "Final Answer: x"], { tools: [count] });
    await runCrewToEnd(soloCrew(agent));
    const named = calls.map((_, index) =>
      toldTo(model, index + 1)
        .at(-1)
        ?.content.includes("You can use these tools"),
    );
    expect(named).toEqual([false, false, true, false, false, true]);
  });

  it("leaves out unknown arguments, unless the tool accepts any", async () => {
    const seen: unknown[] = [];
    const run = (input: unknown): void => void seen.push(input);
    const shared = { description: "Takes.", run };
    const properties = { a: { type: "number" } };
    const tools = [
      toolFromSchema({ ...shared, name: "plain", parameters: { type: "object", properties } }),
      toolFromSchema({
        ...shared,
        name: "strict",
        parameters: { type: "object", properties, additionalProperties: false },
      }),
      toolFromSchema({
        ...shared,
        name: "open",
        parameters: { type: "object", properties, additionalProperties: { type: "number" } },
      }),
    ];
    const script = ["plain", "strict", "open"].map((name) => acting(name, { a: 1, b: 2 }));
    const { agent } = textAgent([...script, "Final Answer: x"], { tools });
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual([{ a: 1 }, { a: 1 }, { a: 1, b: 2 }]);
  });

  it("AW4: a failed call may be made again with the same arguments", async () => {
    let runs = 0;
    const flaky = tool({
      name: "flaky",
      description: "Fails once.",
      input: z.object({}),
      run: () => {
        if (++runs === 1) throw new Error("offline");
        return "fine";
      },
    });
    const { agent, model } = textAgent([acting("flaky"), acting("flaky"), "Final Answer: x"], {
      tools: [flaky],
    });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    expect(toldTo(model, 1).at(-1)?.content).toContain("Observation: Error: flaky failed: offline");
    expect(toldTo(model, 2).at(-1)?.content).toContain("Observation: fine");
    expect(kept("tool_usage_error")).toHaveLength(1);
  });

  it("AW5: a failing tool is run once for each call, and the model gets its error without a schema", async () => {
    let runs = 0;
    const broken = tool({
      name: "broken",
      description: "Fails.",
      input: z.object({ path: z.string() }),
      run: () => {
        runs++;
        throw new Error("no such disk");
      },
    });
    const { agent, model } = textAgent([acting("broken", { path: "a" }), "Final Answer: x"], {
      tools: [broken],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(runs).toBe(1);
    const told = toldTo(model, 1).at(-1)?.content;
    expect(told).toContain("broken failed: no such disk");
    expect(told).not.toContain('"path"');
  });

  it("AW2: a limit of two uses refuses the third", async () => {
    const { count, seen } = counter({ maxUsageCount: 2 });
    const { agent, model } = textAgent(
      [
        acting("count", { by: 1 }),
        acting("count", { by: 2 }),
        acting("count", { by: 3 }),
        "Final Answer: x",
      ],
      { tools: [count] },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toHaveLength(2);
    expect(toldTo(model, 3).at(-1)?.content).toContain("it may be used 2 times");
  });

  it("TA1: an input other than an object is answered with the schema", async () => {
    const { count, seen } = counter();
    const { agent, model } = textAgent([acting("count", "three times"), "Final Answer: x"], {
      tools: [count],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual([]);
    expect(toldTo(model, 1).at(-1)?.content).toMatch(
      /arguments for count could not be read[^]*"by"/,
    );
  });

  it("AW3: a resultAsAnswer tool ends the task", async () => {
    const { count } = counter({ resultAsAnswer: true });
    const { agent, model } = textAgent([acting("count")], { tools: [count] });
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("counted 1");
    expect(model.calls).toHaveLength(1);
  });

  it("puts everything into one user message without a system prompt", async () => {
    const { agent, model } = textAgent(["Final Answer: x"], {
      tools: [counter().count],
      useSystemPrompt: false,
    });
    await runCrewToEnd(soloCrew(agent));
    expect(toldTo(model, 0).map(({ role }) => role)).toEqual(["user"]);
    expect(toldTo(model, 0)[0]?.content).toMatch(
      /You are Researcher[^]*Tool: count[^]*Do the work/,
    );
  });
});
