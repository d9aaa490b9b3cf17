import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { OutputSchema } from "../../../../src/agent/loop/structured-output.ts";
import { EngineError } from "../../../../src/base/error.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { outputJson } from "../../../../src/crew/tasks/task-output.ts";
import {
  keysOf,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  toldTo,
} from "../../../support/crew-harness.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling } from "../../../support/crew-harness.ts";

const A = z.object({ a: z.number().int() });
const A_JSON = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

const objectOf = async (script: Parameters<typeof scriptedAgent>[0], output: OutputSchema) => {
  const { agent, model } = scriptedAgent(script);
  const { result } = await runCrewToEnd(soloCrew(agent, { output }));
  return { object: result.object, raw: result.raw, model };
};

describe.each([
  { kind: "zod", schema: A },
  { kind: "JSON Schema", schema: A_JSON },
])("an answer with an output schema, $kind", ({ schema }) => {
  it.each(['{"a":1}', ' {"a": 1}\n', 'text {"a":1} text', '```json\n{"a":1}\n```'])(
    "SO1: %j is taken as it is, without another call",
    async (answer) => {
      const { object, raw, model } = await objectOf([answer], schema);
      expect(object).toEqual({ a: 1 });
      expect(raw).toBe(answer);
      expect(model.calls).toHaveLength(1);
    },
  );

  it.each(['{"a":"1"}', '{"A": 1}', "{'a': 1,}", '{"a": 1, "b": "x\ny\u0001"}'])(
    "SO4: %j is read by its clear meaning",
    async (answer) => {
      const { object, model } = await objectOf([answer], schema);
      expect(object).toMatchObject({ a: 1 });
      expect(model.calls).toHaveLength(1);
    },
  );

  it("SO4: an answer with line breaks in its strings becomes JSON, and its text too", async () => {
    const { object, raw } = await objectOf(['{"a": 1, "b": "x\ny"}'], schema);
    expect(object).toMatchObject({ a: 1 });
    expect(JSON.parse(raw)).toEqual({ a: 1, b: "x\ny" });
  });

  it("SO2: JSON outside the schema is sent back with its faults and the schema", async () => {
    const { object, model } = await objectOf(['{"a":"x"}', '{"a":2}'], schema);
    expect(object).toEqual({ a: 2 });
    expect(lastTold(model, 1)).toMatch(
      /\{"a":"x"\}[^]*does not fit the JSON Schema[^]*\/a: [^]*"a"/,
    );
  });

  it("SO2: prose is turned into JSON by the model, under the task's own keys", async () => {
    const { object, model } = await objectOf(["a is one", '{"a":1}'], schema);
    expect(object).toEqual({ a: 1 });
    expect(keysOf(model)).toEqual(["task:work/turn:1/llm", "task:work/output:1/llm"]);
    expect(toldTo(model, 1)).toEqual([
      { role: "system", content: expect.stringContaining('"a"') },
      { role: "user", content: "a is one" },
    ]);
    expect(model.calls[1]?.request.responseSchema?.schema).toMatchObject({
      properties: { a: { type: "integer" } },
    });
  });

  it("SO2: each repair receives the faults of the last one", async () => {
    const { object, model } = await objectOf(
      ["a is one", '{"b":1}', '{"a":1.5}', '{"a":1}'],
      schema,
    );
    expect(object).toEqual({ a: 1 });
    expect(toldTo(model, 3).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(toldTo(model, 2).at(-1)?.content).toMatch(/does not fit the JSON Schema/);
    expect(lastTold(model, 3)).toContain("/a: ");
  });

  it("SO3: an invalid answer after three repairs fails the task, naming the field", async () => {
    const { agent, model } = scriptedAgent(() => '{"a":"x"}');
    const { error } = await runCrewToFailure(soloCrew(agent, { output: schema }));
    expect(error).toMatchObject({
      code: "output_invalid",
      message: expect.stringContaining("after 3 repairs: /a: "),
      issues: [{ path: "/a" }],
    });
    expect(model.calls).toHaveLength(4);
  });
});

describe("an answer with an output schema", () => {
  it("asks for the shape in the prompt, and by the provider's schema when there are no tools", async () => {
    const { model } = await objectOf(['{"a":1}'], A);
    expect(lastTold(model, 0)).toMatch(/valid against this JSON Schema:\n\{\n {2}"type": "object"/);
    expect(model.calls[0]?.request.responseSchema).toMatchObject({
      name: "answer",
      schema: { type: "object" },
    });
  });

  it("does not force the shape while tools may be called, and does for the forced answer", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => "seen",
    });
    const { agent, model } = scriptedAgent([calling("look"), '{"a":1}'], {
      tools: [look],
      maxIter: 1,
    });
    await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(model.calls.map((call) => call.request.responseSchema?.name)).toEqual([
      undefined,
      "answer",
    ]);
  });

  it("sends no response schema to models without support for it", async () => {
    const { agent, model } = scriptedAgent(["prose", '{"a":1}'], {
      modelOptions: { capabilities: { responseSchema: false } },
    });
    await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(model.calls.map((call) => call.request.responseSchema)).toEqual([undefined, undefined]);
  });

  it("SO1: finds an array in prose", async () => {
    expect((await objectOf(['Here:\n```json\n[{"a":1},{"a":2}]\n```'], z.array(A))).object).toEqual(
      [{ a: 1 }, { a: 2 }],
    );
  });

  it.each(["null", "[]", '"a"'])("SO2: JSON of another kind, %s, is sent back", async (answer) => {
    expect((await objectOf([answer, '{"a":1}'], A)).object).toEqual({ a: 1 });
  });

  it("CW3: the crew's object is the object of its last task, or absent without a schema", async () => {
    const { agent } = scriptedAgent(['{"a":1}', "text"]);
    const { result } = await runCrewToEnd(
      new Crew({
        tasks: [taskFor(agent, { name: "a", output: A }), taskFor(agent, { name: "b" })],
      }),
    );
    expect(result).not.toHaveProperty("object");
    expect(result.tasks).toMatchObject([
      { object: { a: 1 }, outputFormat: "json" },
      { raw: "text", outputFormat: "raw" },
    ]);
  });

  it("counts the repairs into the task's usage, and into its time", async () => {
    const { agent } = scriptedAgent(["prose", { text: '{"a":1}', usage: { totalTokens: 5 } }]);
    const { result } = await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(result.tasks[0]?.usage.requests).toBe(2);
    const slow = scriptedAgent(["prose", "never"], { maxExecutionTime: 1 });
    const run = startCrew(
      soloCrew(slow.agent, {
        output: A,
        crew: { stepCallback: async () => run.clock.advance(2000) },
      }),
    );
    void run.clock.advance(0);
    expect((await run.settle()).error?.code).toBe("timeout");
    expect(slow.model.calls).toHaveLength(1);
  });
});

describe("a model without a schema of its provider's", () => {
  const withoutSchema = { modelOptions: { capabilities: { responseSchema: false } } };
  const answering = (args: string) => ({
    toolCalls: [{ name: "structured_output", arguments: args }],
  });

  it("SH1: answers by a required tool, and its arguments are the answer", async () => {
    const { agent, model } = scriptedAgent([answering('{"a":1}')], withoutSchema);
    const { result } = await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(result).toMatchObject({ raw: '{"a":1}', object: { a: 1 } });
    expect(model.calls[0]?.request).toMatchObject({
      toolChoice: "required",
      tools: [{ name: "structured_output", parameters: { type: "object", required: ["a"] } }],
    });
    expect(model.calls).toHaveLength(1);
  });

  it("SH1: the same when an answer is repaired; the tool is the same object each time", async () => {
    const { agent, model } = scriptedAgent(
      ["prose", answering('{"a":"x"}'), answering('{"a":1}')],
      withoutSchema,
    );
    const { result } = await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(result.object).toEqual({ a: 1 });
    expect(lastTold(model, 2)).toContain("/a: ");
    expect(model.calls[1]?.request.tools).toBe(model.calls[0]?.request.tools);
    expect(toldTo(model, 2).at(-2)).toEqual({ role: "assistant", content: '{"a":"x"}' });
  });

  it("SH1: is asked again without the tool when the provider refuses it", async () => {
    const refused = { error: new EngineError("model_rejected", "tool_choice is not supported") };
    const { agent, model } = scriptedAgent([refused, "prose", refused, '{"a":1}'], withoutSchema);
    const { result } = await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(result.object).toEqual({ a: 1 });
    expect(model.calls.map(({ request }) => request.tools?.length)).toEqual([
      1,
      undefined,
      1,
      undefined,
    ]);
    const other = scriptedAgent([refused], {
      modelOptions: { capabilities: { tools: false, responseSchema: false } },
    });
    expect((await runCrewToFailure(soloCrew(other.agent, { output: A }))).error.code).toBe(
      "model_rejected",
    );
  });

  it("SH1, SH2: leaves out other tools, and uses a tool also for schemas of other types than object", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => "seen",
    });
    const { agent, model } = scriptedAgent([calling("look"), '{"a":1}'], {
      ...withoutSchema,
      tools: [look],
      maxIter: 1,
    });
    await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(model.calls.map(({ request }) => request.tools?.map(({ name }) => name))).toEqual([
      ["look"],
      ["look"],
    ]);
    const list = scriptedAgent([calling("structured_output", { items: [1] })], withoutSchema);
    const { result } = await runCrewToEnd(soloCrew(list.agent, { output: z.array(z.number()) }));
    expect(result.object).toEqual([1]);
  });

  it("a person's feedback continues from an answer through the tool", async () => {
    const { agent, model } = scriptedAgent(
      [answering('{"a":1}'), answering('{"a":2}')],
      withoutSchema,
    );
    const run = startCrew(soloCrew(agent, { output: A, humanInput: true }));
    await run.settle();
    await run.handle.resume({ feedback: "two" });
    await run.settle();
    await run.handle.resume({ approve: true });
    expect((await run.output()).object).toEqual({ a: 2 });
    expect(toldTo(model, 1).at(-2)).toEqual({ role: "assistant", content: '{"a":1}' });
  });
});

describe("responseModel", () => {
  it("holds the model to the shape by the provider's means alone: the prompt does not speak of it", async () => {
    const { agent, model } = scriptedAgent(['{"a":1}']);
    const { result } = await runCrewToEnd(soloCrew(agent, { responseModel: A }));
    expect(result.object).toEqual({ a: 1 });
    expect(model.calls[0]?.request.responseSchema?.schema).toMatchObject({ type: "object" });
    expect(lastTold(model, 0)).not.toContain("JSON Schema");
  });

  it.each([
    [
      "tools may be called first",
      {},
      [tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "" })],
    ],
    ["the model takes neither schema nor tools", { responseSchema: false, tools: false }, []],
  ])("is described in the prompt when %s", async (_, capabilities, tools) => {
    const { agent, model } = scriptedAgent(['{"a":1}'], { modelOptions: { capabilities }, tools });
    await runCrewToEnd(soloCrew(agent, { responseModel: A }));
    expect(lastTold(model, 0)).toContain("JSON Schema");
  });

  it("VD14: excludes output", () => {
    expect(() => taskFor(undefined, { output: A, responseModel: A })).toThrow("output_type: ");
  });
});

describe("a converter", () => {
  it("makes the object instead of the model, once, and receives the schema", async () => {
    const asked: unknown[] = [];
    const { agent, model } = scriptedAgent(["a is 5", '{"valid":true,"feedback":null}']);
    const run = startCrew(
      soloCrew(agent, {
        output: A,
        converter: async (answer, schema) => {
          asked.push([answer, schema?.["type"]]);
          return { a: Number(answer.at(-1)) };
        },
        guardrail: "be kind",
        humanInput: true,
      }),
    );
    await run.settle();
    expect(asked).toEqual([]);
    await run.handle.resume({ approve: true });
    expect((await run.settle()).status).toBe("completed");
    expect(asked).toEqual([["a is 5", "object"]]);
    expect(model.calls).toHaveLength(2);
  });

  it("needs no schema, and fails when its result does not match a present one", async () => {
    const free = await runCrewToEnd(
      soloCrew(scriptedAgent(["x"]).agent, { converter: (answer) => [answer] }),
    );
    expect(free.result).toMatchObject({ raw: "x", object: ["x"] });
    const { error } = await runCrewToFailure(
      soloCrew(scriptedAgent(["x"]).agent, { output: A, converter: () => ({ a: "x" }) }),
    );
    expect(error).toMatchObject({
      code: "output_invalid",
      message: expect.stringMatching(/the converter of task "work" gave .*\/a: /),
    });
  });
});

describe("outputJson", () => {
  it("is the JSON of a structured output, and an error for plain text", async () => {
    const { agent } = scriptedAgent(['text {"a":1}', "text"]);
    const { result } = await runCrewToEnd(soloCrew(agent, { output: A }));
    expect(outputJson(result)).toBe('{"a":1}');
    expect(() => outputJson({ raw: "text" })).toThrow("give its task an output schema");
  });
});

it("SO4: takes fields in the case of CrewAI's prompt files", async () => {
  const plans = z.object({
    listOfPlansPerTask: z.array(
      z.object({ taskNumber: z.int(), task: z.string(), plan: z.string() }),
    ),
  });
  const { object, model } = await objectOf(
    ['{"list_of_plans_per_task": [{"task_number": "1", "task": "a", "plan": "b"}]}'],
    plans,
  );
  expect(object).toEqual({ listOfPlansPerTask: [{ taskNumber: 1, task: "a", plan: "b" }] });
  expect(model.calls).toHaveLength(1);
});
