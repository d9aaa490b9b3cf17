import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  hallucinationGuardrail,
  llmGuardrail,
} from "../../../../src/agent/description/guardrail.ts";
import { EngineError } from "../../../../src/base/error.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import type { TaskOptions } from "../../../../src/crew/tasks/task.ts";
import type { TaskOutput } from "../../../../src/crew/tasks/task-output.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  calling,
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

const A = z.object({ a: z.number().int() });

/** Runs one task; `answers` are what its agent says, one after the other. */
async function guarded(answers: readonly string[], options: Partial<TaskOptions>) {
  const { agent, model } = scriptedAgent(answers);
  const run = await runCrewToEnd(soloCrew(agent, options));
  return { ...run, model, output: run.result.tasks[0] as unknown as TaskOutput };
}

async function refused(answers: readonly string[], options: Partial<TaskOptions>) {
  const { agent, model } = scriptedAgent(answers);
  return { ...(await runCrewToFailure(soloCrew(agent, options))), model };
}

describe("a guardrail", () => {
  it("TR1: gets the task's output, with its object", async () => {
    const seen: TaskOutput[] = [];
    await guarded(['{"a":1}'], {
      output: A,
      guardrail: (output) => (seen.push(output), [true, output]),
    });
    expect(seen).toMatchObject([
      {
        name: "work",
        agent: "Researcher",
        raw: '{"a":1}',
        object: { a: 1 },
        outputFormat: "json",
        usage: { requests: 1 },
      },
    ]);
  });

  it("GR1, TR2: (true, text) replaces the text, and the structured output is rebuilt from it", async () => {
    const { output, model } = await guarded(['{"a":1}', '{"a":7}'], {
      output: A,
      guardrail: () => [true, "a is seven"],
    });
    expect(output).toMatchObject({ raw: "a is seven", object: { a: 7 } });
    expect(keysOf(model)).toEqual(["task:work/turn:1/llm", "task:work/guardrail:0/output:1/llm"]);
  });

  it("GR1: the same in the convenient form, in which the value is optional", async () => {
    expect((await guarded(["x"], { guardrail: () => ({ ok: true, value: "y" }) })).output.raw).toBe(
      "y",
    );
    expect((await guarded(["x"], { guardrail: async () => ({ ok: true }) })).output.raw).toBe("x");
  });

  it("(true, output) replaces the output and its object, and keeps its usage", async () => {
    const { output } = await guarded(['{"a":1}'], {
      output: A,
      guardrail: (given) => [true, { ...given, raw: "new", object: { a: 2 }, usage: null }],
    });
    expect(output).toMatchObject({ raw: "new", object: { a: 2 }, usage: { requests: 1 } });
  });

  it("(true, output) without its object has it rebuilt from the new text", async () => {
    const { output } = await guarded(['{"a":1}'], {
      output: A,
      guardrail: () => [true, { raw: '{"a":3}' }],
    });
    expect(output).toMatchObject({ raw: '{"a":3}', object: { a: 3 } });
  });

  it("(true, the same output) is no change, though its object was read by the schema's transforms", async () => {
    const { output } = await guarded(['{"day":"2026-01-02"}'], {
      output: z.object({ day: z.iso.date().transform((text) => new Date(text)) }),
      guardrail: (given) => [true, given],
    });
    expect(output.object).toEqual({ day: "2026-01-02" });
  });

  it("TR2: an object outside the task's schema fails the task, naming guardrail and field", async () => {
    const { error } = await refused(['{"a":1}'], {
      output: A,
      guardrail: (given) => [true, { ...given, object: { a: "x" } }],
    });
    expect(error).toMatchObject({
      code: "output_invalid",
      message: expect.stringMatching(/a guardrail of task "work" .* \/a: /),
    });
  });

  it.each([3, { other: 1 }, [1]])("(true, %j) leaves the output as it is", async (value) => {
    expect((await guarded(["x"], { guardrail: () => [true, value] })).output.raw).toBe("x");
  });

  it.each([
    ["(true, null)", [true, null], "with null in its place"],
    ["(true, undefined)", [true, undefined], "with undefined in its place"],
    ["{ ok: true, value: null }", { ok: true, value: null }, "with null in its place"],
    ["a value with an error", { ok: true, value: "x", error: "y" }, "got {"],
    ["a refusal without a reason", { ok: false }, 'got {"ok":false}'],
    ["a refusal with a value", { ok: false, value: "x", error: "y" }, "got {"],
    ["a plain true", true, "got true"],
    ["an empty result", undefined, "got undefined"],
    ["a list of three", [true, "x", "y"], "got [true"],
    ["a pair of texts", ["true", "x"], 'got ["true"'],
  ])("%s is an error with the expected form, without a retry", async (_, verdict, came) => {
    const { error, model } = await refused(["x"], { guardrail: () => verdict as never });
    expect(error.code).toBe("output_invalid");
    expect(error.message).toContain(
      "must return [ok, value], { ok: true, value? } or { ok: false, error }",
    );
    expect(error.message).toContain(came);
    expect(model.calls).toHaveLength(1);
  });

  it("GR3: with constant refusals runs four times, then the task fails with its reason", async () => {
    let calls = 0;
    const { error, model, kept } = await refused(["1", "2", "3", "4"], {
      guardrails: [(output) => [true, output], () => (calls++, [false, "bad"])],
    });
    expect(calls).toBe(4);
    expect(model.calls).toHaveLength(4);
    expect(error).toMatchObject({
      code: "output_invalid",
      message: 'guardrail 1 of task "work" refused the answer after 3 retries: bad',
    });
    expect(kept("task_failed")).toMatchObject([{ error: error.message }]);
  });

  it("GR3: with guardrailMaxRetries 0 is asked once", async () => {
    let calls = 0;
    const { model, error } = await refused(["x"], {
      guardrail: () => (calls++, { ok: false, error: new Error("bad") }),
      guardrailMaxRetries: 0,
    });
    expect([calls, model.calls.length]).toEqual([1, 1]);
    expect(error.message).toBe(
      'the guardrail of task "work" refused the answer after 0 retries: bad',
    );
  });

  it("GR2: a retry is judged by all guardrails, from the first on (upstream: by the refusing one)", async () => {
    const asked: string[] = [];
    const { output, model } = await guarded(["one", "two"], {
      guardrails: [
        ({ raw }) => (asked.push(`g0 ${raw}`), [true, `${raw}!`]),
        ({ raw }) => (asked.push(`g1 ${raw}`), raw === "two!" ? [true, raw] : [false, "no"]),
      ],
    });
    expect(asked).toEqual(["g0 one", "g1 one!", "g0 two", "g1 two!"]);
    expect(model.calls).toHaveLength(2);
    expect(output.raw).toBe("two!");
  });

  it("GR3: each guardrail has retries of its own", async () => {
    const refusals = [2, 2];
    const refuse = (index: number) => (): [boolean, string] => {
      const left = refusals[index] ?? 0;
      refusals[index] = left - 1;
      return left > 0 ? [false, "no"] : [true, "yes"];
    };
    const { output } = await guarded(["1", "2", "3", "4", "5"], {
      guardrails: [refuse(0), refuse(1)],
      guardrailMaxRetries: 2,
    });
    expect(output.raw).toBe("yes");
  });

  it("does not run when there is a list of guardrails; does when the list is empty", async () => {
    const asked: string[] = [];
    const note =
      (name: string) =>
      (output: TaskOutput): [boolean, TaskOutput] => (asked.push(name), [true, output]);
    await guarded(["x"], { guardrail: note("one"), guardrails: [note("list")] });
    await guarded(["x"], { guardrail: note("one"), guardrails: [] });
    await guarded(["x"], { guardrails: note("alone") });
    expect(asked).toEqual(["list", "one", "alone"]);
  });

  it("GR2: a retry receives the reason and the refused answer, in addition to the task's own context", async () => {
    const { agent, model } = scriptedAgent(["facts", "long answer", "short"]);
    await runCrewToEnd(
      new Crew({
        tasks: [
          taskFor(agent, { name: "first" }),
          taskFor(agent, {
            name: "work",
            guardrail: ({ raw }) => [raw === "short", raw === "short" ? raw : "too long"],
          }),
        ],
      }),
    );
    expect(toldTo(model, 2).slice(0, 2)).toEqual(toldTo(model, 1));
    expect(lastTold(model, 2)).toMatch(/too long[^]*long answer/);
    expect(toldTo(model, 2).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
    expect(keysOf(model)[2]).toBe("task:work/guardrail-retry:1/turn:1/llm");
  });

  it("GR2: a refused answer is corrected in the same conversation, without another tool call", async () => {
    let paid = 0;
    const refund = tool({
      name: "refund",
      description: "Pays back.",
      input: z.object({}),
      run: () => `paid ${++paid}`,
    });
    const { agent, model } = scriptedAgent([calling("refund"), "long answer", "short"], {
      tools: [refund],
    });
    const guardrail = ({ raw }: { readonly raw: string }) =>
      [raw === "short", raw === "short" ? raw : "too long"] as const;
    expect((await runCrewToEnd(soloCrew(agent, { guardrail }))).result.raw).toBe("short");
    expect(paid).toBe(1);
    expect(toldTo(model, 2).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("counts the usage of all attempts, and limits tools over all of them", async () => {
    let runs = 0;
    const once = tool({
      name: "once",
      description: "Once.",
      input: z.object({}),
      maxUsageCount: 1,
      run: () => ++runs,
    });
    const { agent, model } = scriptedAgent([calling("once"), "1", calling("once"), "2"], {
      tools: [once],
    });
    const { result } = await runCrewToEnd(
      soloCrew(agent, { guardrail: ({ raw }) => [raw === "2", raw] }),
    );
    expect(result.tasks[0]?.usage.requests).toBe(4);
    expect(result.usage.requests).toBe(4);
    expect(runs).toBe(1);
    expect(lastTold(model, 3)).toContain("once was not run");
  });

  it("GR4: an exception ends the task at once and names the guardrail; EngineErrors keep their code", async () => {
    const thrown = await refused(["x"], {
      guardrails: [
        function isGood() {
          throw new Error("a bug");
        },
      ],
    });
    expect(thrown.error).toMatchObject({
      code: "user_code_failed",
      message: 'the guardrail ("isGood") of task "work" threw: a bug',
    });
    expect(thrown.model.calls).toHaveLength(1);
    const ours = await refused(["x"], {
      guardrail: () => {
        throw new EngineError("unavailable", "the checker is down");
      },
    });
    expect(ours.error.code).toBe("unavailable");
  });

  it("an invalid object in a retry fails the task with output_invalid, not as a refusal", async () => {
    const { error } = await refused(['{"a":1}', "x", "x", "x", "x"], {
      output: A,
      guardrail: ({ object }) => [false, `no: ${JSON.stringify(object)}`],
    });
    expect(error.message).toContain("does not fit the output schema after 3 repairs");
  });

  it("GR4: is called once for each answer, also when the run is replayed", async () => {
    let calls = 0;
    const { agent } = scriptedAgent(["one", "two"]);
    const run = startCrew(
      soloCrew(agent, {
        humanInput: true,
        guardrail: ({ raw }) => (calls++, [raw === "two", raw]),
      }),
    );
    for (let round = 0; round < 2; round++) {
      await run.settle();
      await run.handle.resume({ approve: true });
    }
    expect((await run.output()).raw).toBe("two");
    expect(calls).toBe(2);
  });

  it("reports itself in events", async () => {
    const { kept } = await guarded(["one", "two"], {
      guardrail: function isTwo({ raw }) {
        return raw === "two" ? [true, "TWO"] : [false, "not two"];
      },
    });
    expect(kept("llm_guardrail_started")).toMatchObject([
      {
        path: "task:work/guardrail:0",
        guardrail: "isTwo",
        guardrailType: "function",
        retryCount: 0,
      },
      { path: "task:work/guardrail-retry:1/guardrail:0", retryCount: 1 },
    ]);
    const started = kept("llm_guardrail_started");
    expect(kept("llm_guardrail_completed")).toMatchObject([
      { success: false, result: null, error: "not two", retryCount: 0, startedId: started[0]?.id },
      { success: true, result: "TWO", retryCount: 1, startedId: started[1]?.id },
    ]);
    expect(kept("task_completed")).toMatchObject([{ output: "TWO" }]);
    const broken = await refused(["x"], { guardrail: () => [true, null] });
    expect(broken.kept("llm_guardrail_completed")).toMatchObject([
      { success: false, error: broken.error.message },
    ]);
  });
});

describe("a guardrail in words", () => {
  const verdict = (valid: boolean, feedback: string | null = null) =>
    JSON.stringify({ valid, feedback });

  it("GR5: is judged by the agent's model, and the retry receives its feedback", async () => {
    const { output, model, kept } = await guarded(
      ["long answer", verdict(false, "too long"), "short", verdict(true)],
      { guardrail: "at most one word" },
    );
    expect(output).toMatchObject({ raw: "short", usage: { requests: 4 } });
    expect(lastTold(model, 1)).toMatch(/at most one word[^]*long answer/);
    expect(model.calls[1]?.request.responseSchema?.schema).toMatchObject({
      properties: { valid: { type: "boolean" } },
    });
    expect(lastTold(model, 2)).toMatch(/too long[^]*long answer/);
    expect(keysOf(model)).toEqual([
      "task:work/turn:1/llm",
      "task:work/guardrail:0/output:1/llm",
      "task:work/guardrail-retry:1/turn:1/llm",
      "task:work/guardrail-retry:1/guardrail:0/output:1/llm",
    ]);
    expect(kept("llm_guardrail_started")[0]).toMatchObject({
      guardrail: "at most one word",
      guardrailType: "llm",
    });
    expect(kept("llm_guardrail_completed")).toMatchObject([
      { success: false, error: "too long" },
      { success: true, result: "short" },
    ]);
  });

  it("names the rule when the model gives no reason", async () => {
    const { error } = await refused(["x", verdict(false, " ")], {
      guardrail: "be kind",
      guardrailMaxRetries: 0,
    });
    expect(error.message).toBe(
      'the guardrail ("be kind") of task "work" refused the answer after 0 retries: it does not keep the rule: be kind',
    );
  });

  it("GR5: a failing model fails the task with its own error, and uses up no attempt", async () => {
    const down = { error: new EngineError("model_unauthorized", "no key") };
    const { agent, model } = scriptedAgent(["x", down]);
    const { error } = await runCrewToFailure(soloCrew(agent, { guardrail: "be kind" }));
    expect(error).toMatchObject({
      code: "model_unauthorized",
      message: 'task "work" (agent "Researcher"): no key',
    });
    expect(model.calls).toHaveLength(2);
  });

  it("requests a malformed verdict again", async () => {
    const { output, model } = await guarded(["x", "looks fine to me", verdict(true)], {
      guardrail: "be kind",
    });
    expect(output.raw).toBe("x");
    expect(lastTold(model, 2)).toContain("does not fit the JSON Schema");
  });

  it("SH1: is judged by a required tool when the model has no response schema of its provider", async () => {
    const judged = { toolCalls: [{ name: "structured_output", arguments: verdict(true) }] };
    const { agent, model } = scriptedAgent(["x", judged], {
      modelOptions: { capabilities: { responseSchema: false } },
    });
    await runCrewToEnd(soloCrew(agent, { guardrail: "be kind" }));
    expect(model.calls[1]?.request).toMatchObject({ toolChoice: "required" });
    expect(model.calls).toHaveLength(2);
  });

  it("may have a judge of its own", async () => {
    const judge = scriptedModel([verdict(true)], { id: "scripted/judge" });
    const { model } = await guarded(["x"], {
      guardrail: llmGuardrail({ description: "be kind", llm: judge }),
    });
    expect([model.calls.length, judge.calls.length]).toEqual([1, 1]);
  });
});

describe("hallucinationGuardrail", () => {
  const score = (value: number, feedback = "") => JSON.stringify({ score: value, feedback });

  it("passes at the threshold, and refuses below it with the score and the statements", async () => {
    const { output, model, kept } = await guarded(
      ["invented", score(6.9, "the moon is cheese"), "sound", score(7)],
      { guardrail: hallucinationGuardrail() },
    );
    expect(output.raw).toBe("sound");
    expect(lastTold(model, 2)).toMatch(/scored 6\.9 of 10[^]*7 are needed: the moon is cheese/);
    expect(kept("llm_guardrail_started")[0]).toMatchObject({ guardrailType: "hallucination" });
  });

  it("compares with the task and its context, or with a configured context", async () => {
    const { agent, model } = scriptedAgent(["facts", "answer", score(10)]);
    await runCrewToEnd(
      new Crew({
        tasks: [
          taskFor(agent, { name: "first" }),
          taskFor(agent, { description: "Sum up", guardrail: hallucinationGuardrail() }),
        ],
      }),
    );
    expect(lastTold(model, 2)).toMatch(/<reference>\nSum up\n\nfacts\n<\/reference>[^]*answer/);
    const given = await guarded(["answer", score(3)], {
      guardrail: hallucinationGuardrail({ context: "book", toolResponse: "found", threshold: 3 }),
    });
    expect(lastTold(given.model, 1)).toContain("<reference>\nbook\n\nfound\n</reference>");
  });

  it.each([-1, 11, Number.NaN])("refuses the threshold %d", (threshold) => {
    expect(() => hallucinationGuardrail({ threshold })).toThrow(
      "threshold must be a number from 0 to 10",
    );
  });
});

describe("a task with guardrails that cannot work", () => {
  const { agent } = scriptedAgent([]);
  const pass = (): [boolean, string] => [true, "x"];
  it.each<[string, Partial<TaskOptions>, string]>([
    [
      "VD15: a text and no agent",
      { guardrail: "be kind" },
      "guardrail[0] is judged by the agent's model",
    ],
    [
      "VD15: several, one of them a text",
      { guardrails: [pass, "be kind"] },
      "guardrails[1] is judged",
    ],
    [
      "VD16: a function of two parameters",
      { agent, guardrail: ((first: unknown, second: unknown) => first === second) as never },
      "must be a function of one parameter, got one of 2",
    ],
    [
      "VD17: a value of another type",
      { agent, guardrails: [pass, 42 as never] },
      "guardrails[1] must be a function or a text, got 42",
    ],
    ["an empty text", { agent, guardrail: " " }, "must not be empty"],
    [
      "retries below zero",
      { agent, guardrailMaxRetries: -1 },
      "guardrailMaxRetries must be an integer >= 0, got -1",
    ],
  ])("%s is refused", (_, options, message) => {
    expect(() => taskFor(options.agent, options)).toThrow(message);
    expect(() => taskFor(options.agent, options)).toThrow(
      expect.objectContaining({ code: "invalid_definition" }) as Error,
    );
  });

  it("VD15: a text with a judge of its own needs no agent; a function without parameters is fine", () => {
    expect(
      taskFor(undefined, {
        guardrails: [
          llmGuardrail({ description: "be kind", llm: "offline/demo" }),
          () => [true, "x"],
        ],
      }).guardrails,
    ).toHaveLength(2);
  });
});
