// Answers after the examples in Patronus AI's reference of its API, v1.
import { describe, expect, it } from "vitest";
import type { RunScope } from "../../../../../src/events/run-scope.ts";
import { scriptedModel } from "../../../../../src/llm/scripted/scripted-model.ts";
import { LocalRun } from "../../../../../src/runtime/handle/local-run.ts";
import { patronusEval } from "../../../../../src/tools/catalog/patronus/patronus-eval.ts";
import { patronusLocalEvaluator } from "../../../../../src/tools/catalog/patronus/patronus-local-evaluator.ts";
import { patronusPredefinedCriteriaEval } from "../../../../../src/tools/catalog/patronus/patronus-predefined-criteria-eval.ts";
import type { Tool } from "../../../../../src/tools/tool.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";
import { answering, callOf, type SeenRequest } from "../../../../support/tool-world.ts";

const RESULT = {
  results: [
    {
      evaluator_id: "judge-large-2024-08-08",
      profile_name: "patronus:is-code",
      status: "success",
      evaluation_result: { pass: true, score_raw: 1, explanation: "It is code." },
    },
  ],
};
const EVALUATORS = {
  evaluators: [
    { id: "judge", name: "Judge", deprecated: false, aliases: [], description: "d" },
    { id: "old", name: "Old", deprecated: true, aliases: [], description: "d" },
  ],
};
const CRITERIA = {
  evaluator_criteria: [
    {
      evaluator_family: "Judge",
      name: "patronus:is-code",
      config: { pass_criteria: "It is code." },
    },
    { evaluator_family: "Judge", name: "patronus:is-kind", config: {}, description: "Is polite." },
    { evaluator_family: "Judge", name: "patronus:empty", config: {}, description: null },
    { evaluator_family: "old", name: "patronus:gone", config: {}, description: "Gone." },
  ],
};
const variables = { PATRONUS_API_KEY: "key-0123456789" };
const work = { evaluated_model_input: "Write code", evaluated_model_output: "print(1)" };

toolContract(patronusPredefinedCriteriaEval, {
  options: { evaluators: [{ evaluator: "judge", criteria: "patronus:is-code" }] },
  input: { ...work, evaluated_model_gold_answer: { description: "print(2)" } },
  success: [Response.json(RESULT)],
  requests: [
    {
      method: "POST",
      url: "https://api.patronus.ai/v1/evaluate",
      body: {
        ...work,
        evaluated_model_gold_answer: "print(2)",
        evaluators: [{ evaluator: "judge", criteria: "patronus:is-code" }],
      },
    },
  ],
  text: "It is code.",
  data: { results: [{ status: "success" }] },
});

describe("PatronusEvalTool", () => {
  it("shows the model the criteria, and uses the chosen ones", async () => {
    const patronus = ({ path }: SeenRequest): Response => {
      if (path === "/v1/evaluators") return Response.json(EVALUATORS);
      return Response.json(path === "/v1/evaluator-criteria" ? CRITERIA : RESULT);
    };
    const { fetch, requests } = answering(patronus);
    let tools: readonly Tool[] = [];
    const program = {
      tasks: [],
      run: async (scope: RunScope) => {
        tools = await patronusEval().open(scope.at("tools"), { agentRole: "Tester" });
        return null;
      },
    };
    const services = { variables, network: { fetch } };
    await new LocalRun({ kind: "agent", name: "t", inputs: {} }, program, { services }).output();
    const [tool] = tools;
    expect(tool?.safeName).toBe("patronus_evaluation_tool");
    const told = JSON.stringify(tool?.parameters);
    expect(told).toContain(
      "Judge patronus:is-code: It is code.\\nJudge patronus:is-kind: Is polite.",
    );
    expect(told).not.toMatch(/patronus:(gone|empty)/);
    expect(requests.every(({ headers }) => headers["x-api-key"] === "key-0123456789")).toBe(true);
    const evaluators = [{ evaluator: "Judge", criteria: "patronus:is-code" }];
    const called = await callOf(
      tool as Tool,
      { ...work, evaluators },
      { answers: patronus, variables },
    );
    expect(called.requests[0]?.body).toEqual({
      ...work,
      evaluators: [{ evaluator: "judge", criteria: "patronus:is-code" }],
    });
    expect(called.text).toContain("It is code.");
  });
});

describe("PatronusLocalEvaluatorTool", () => {
  const input = { ...work, evaluator: "length", evaluated_model_gold_answer: "print(2)" };

  it("judges by a metric of one's own", async () => {
    const tool = patronusLocalEvaluator({
      llm: scriptedModel([]),
      evaluators: [
        {
          name: "length",
          score: ({ trace }) => ({ score: (trace.output ?? "").length, feedback: trace.prompt }),
        },
      ],
    });
    const { text, data } = await callOf(tool, input);
    expect(text).toBe(
      "Evaluation result: 8 of 10, Explanation: Write code\n\nThe right answer: print(2)",
    );
    expect(data).toMatchObject({ score: 8 });
  });

  it("judges by a built-in metric, with a model", async () => {
    const llm = scriptedModel(['{"score": 7, "feedback": "Short."}']);
    const tool = patronusLocalEvaluator({ llm, evaluator: "semantic_quality" });
    expect(tool.parameters["properties"]).not.toHaveProperty("evaluator");
    expect((await callOf(tool, work)).text).toBe("Evaluation result: 7 of 10, Explanation: Short.");
  });

  it("names the known evaluators", async () => {
    const { failure } = await callOf(patronusLocalEvaluator(), input);
    expect(failure).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("goal_alignment, semantic_quality"),
    });
  });
});
