import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonValue } from "../../../../../src/base/json.ts";
import { isJsonObject } from "../../../../../src/base/json.ts";
import {
  ReasoningAgent,
  type ReasoningAgentOptions,
} from "../../../../../src/conversation/capabilities/reasoning/reasoning-agent.ts";
import type { ReasonConfig } from "../../../../../src/conversation/capabilities/reasoning/reason-config.ts";
import {
  nodesOf,
  type ThinkNode,
} from "../../../../../src/conversation/capabilities/reasoning/think-node.ts";
import { chatProgram } from "../../../../../src/conversation/chats/initiate-chat.ts";
import type { RunEvent } from "../../../../../src/events/run-event.ts";
import { createDemoModel } from "../../../../../src/llm/offline/demo-model.ts";
import {
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedRequest,
} from "../../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../../src/tools/tool.ts";
import { quietAgent } from "../../../../support/chatting-agents.ts";
import { calling } from "../../../../support/crew-harness.ts";
import { cutAfterEveryWrite, runWhole } from "../../../../support/cut-off.ts";

type Question = "options" | "rating" | "ratings" | "run" | "answer";

function questionOf({ messages, responseSchema }: ScriptedRequest): Question {
  const system = messages[0]?.content ?? "";
  const properties = responseSchema?.schema["properties"];
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  for (const name of ["options", "ratings", "rating"] as const)
    if (names.includes(name) || system.includes(`"${name}":{`)) return name;
  return system.includes("final answer to a task") ? "answer" : "run";
}

const stepsIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^Step \d+: (.*)$/gm), ([, step = ""]) => step);

/** What a model answers to each kind of question; what is left out has answers that depend on the steps so far alone. */
type Answers = {
  readonly [Kind in Question]?: (
    text: string,
    steps: readonly string[],
  ) => ScriptedReply | JsonValue;
};

/** Good steps end in `good`; the way to the answer has three of them. */
const DEFAULTS: Required<Answers> = {
  options: (_, steps) =>
    steps.length < 3
      ? {
          reflection: `after ${steps.length}`,
          options: ["bad", "good", "fair"].map((kind) => `${steps.length} ${kind}`),
        }
      : { reflection: "enough", options: ["TERMINATE"] },
  rating: (_, steps) => {
    const worth = steps.map((step) => (step.includes("good") ? 10 : step.includes("fair") ? 5 : 1));
    const sum = worth.reduce((total, each) => total + each, 0);
    return { reason: `of ${steps.length}`, rating: worth.length === 0 ? 1 : sum / worth.length };
  },
  ratings: (text) => ({
    ratings: Array.from(text.matchAll(/^\d+\. (.*)$/gm), ([, step = ""]) => ({
      reason: step,
      rating: step.includes("good") ? 9 : 2,
    })),
  }),
  run: (_, steps) => `did ${steps.at(-1)}`,
  answer: (text, steps) =>
    `Answer of ${steps.length} steps${/Answer \d/.test(text) ? " joined" : ""}`,
};

function thinking(
  reasonConfig: ReasonConfig = {},
  {
    answers = {},
    model: modelOptions,
    ...options
  }: Partial<ReasoningAgentOptions> & {
    readonly answers?: Answers;
    readonly model?: ScriptedModelOptions;
  } = {},
) {
  const kinds: Question[] = [];
  const texts: string[] = [];
  const state = { open: 0, most: 0 };
  const llm = scriptedModel(async (request) => {
    state.open++;
    state.most = Math.max(state.most, state.open);
    await Promise.resolve().then(() => Promise.resolve());
    state.open--;
    const kind = questionOf(request);
    const text = request.messages.at(-1)?.content ?? "";
    kinds.push(kind);
    texts.push(text);
    const answer = (answers[kind] ?? DEFAULTS[kind])(text, stepsIn(text));
    return typeof answer === "string" || (isJsonObject(answer) && "toolCalls" in answer)
      ? answer
      : JSON.stringify(answer);
  }, modelOptions);
  const agent = new ReasoningAgent({ name: "thinker", llm, reasonConfig, ...options });
  const asker = quietAgent("asker");
  const program = chatProgram([asker, agent], { message: "What is it?", maxTurns: 1 });
  return { agent, asker, llm, kinds, texts, state, program };
}

const countOf = (kinds: readonly Question[], kind: Question): number =>
  kinds.filter((each) => each === kind).length;

/** The trees that a run tells of, and its answer. */
async function thought(made: ReturnType<typeof thinking>) {
  const { run, events } = await runWhole({ program: made.program });
  expect(run.error).toBeUndefined();
  const trees = events.flatMap((event: RunEvent) =>
    event.type === "chat_reasoning_completed" ? event.trees : [],
  );
  return {
    answer: (run.output as { summary: string }).summary,
    trees,
    tree: trees[0] as ThinkNode,
    usage: run.usage,
    run,
  };
}

describe("beam search", () => {
  it("TSR1: continues with the best thoughts of each depth and answers from all ends", async () => {
    const made = thinking({ beamSize: 2 });
    const { tree, answer, usage } = await thought(made);
    expect(tree.children.map(({ content }) => content)).toEqual(["0 bad", "0 good", "0 fair"]);
    const expanded = nodesOf(tree).filter(({ children }) => children.length > 0);
    expect(expanded.map(({ path }) => path)).toEqual([
      "0",
      "0/1",
      "0/1/1",
      "0/1/1/1",
      "0/1/1/2",
      "0/1/2",
      "0/2",
    ]);
    expect(countOf(made.kinds, "answer")).toBe(1);
    expect(made.texts.at(-1)).toMatch(
      /Thoughts 1:\nStep 1: 0 good\nStep 2: 1 good\nStep 3: 2 good\n\nThoughts 2:/,
    );
    expect(answer).toBe("Answer of 6 steps");
    expect(usage.requests).toBe(made.kinds.length);
  });

  it("TSR1: with dfs one thought continues, and the best answer comes from one way", async () => {
    const made = thinking({ method: "dfs", answerApproach: "best" });
    const { tree, answer } = await thought(made);
    expect(nodesOf(tree).filter(({ children }) => children.length > 0)).toHaveLength(4);
    expect(answer).toBe("Answer of 3 steps");
  });

  it("TSR1: ends at the configured depth", async () => {
    const { tree } = await thought(thinking({ maxDepth: 2 }));
    expect(Math.max(...nodesOf(tree).map(({ depth }) => depth))).toBe(2);
  });

  it("TSR3: asks side by side, up to the limit of the platform", async () => {
    const made = thinking({ beamSize: 10, forestSize: 5 });
    await thought(made);
    expect(made.state.most).toBeGreaterThan(1);
    expect(made.state.most).toBeLessThanOrEqual(5);
  });

  it("several trees are made into one answer", async () => {
    const made = thinking({ method: "dfs", forestSize: 3, maxDepth: 1 });
    const { trees, answer } = await thought(made);
    expect(trees.map(({ path }) => path)).toEqual(["0", "1", "2"]);
    expect(countOf(made.kinds, "answer")).toBe(4);
    expect(answer).toBe("Answer of 0 steps joined");
  });
});

describe("simulations", () => {
  it.each(["mcts", "lats"] as const)(
    "TSR2, THN2: %s tries whole ways and carries rewards up",
    async (method) => {
      const made = thinking({ method, nsim: 6, maxDepth: 3, answerApproach: "best" });
      const { tree } = await thought(made);
      expect(tree.visits).toBe(6);
      const inner = nodesOf(tree).filter(({ children }) =>
        children.some(({ visits }) => visits > 0),
      );
      expect(inner.length).toBeGreaterThan(2);
      for (const node of inner) {
        const below = node.children.reduce((sum, { visits }) => sum + visits, 0);
        const rewards = node.children.reduce((sum, { value, visits }) => sum + value * visits, 0);
        expect(below).toBe(node.visits);
        expect(node.value).toBeCloseTo(rewards / below, 10);
      }
      expect(countOf(made.kinds, "rating")).toBeLessThanOrEqual(6);
      const lessons = made.texts.filter((text) => text.includes("Earlier tries")).length;
      expect(lessons > 0).toBe(method === "lats");
    },
  );

  it("TSR2: reaches the best way in the end", async () => {
    const made = thinking({
      method: "mcts",
      nsim: 60,
      maxDepth: 2,
      explorationConstant: 0.5,
      answerApproach: "best",
    });
    const { tree } = await thought(made);
    const [first] = tree.children.toSorted((one, other) => other.visits - one.visits);
    expect(first?.content).toBe("0 good");
    expect(made.texts.at(-1)).toContain("Step 1: 0 good\nStep 2: 1 good");
  });
});

describe("answers of models", () => {
  it("THK1: every question is a step with the path of its thought as key", async () => {
    const made = thinking({ beamSize: 1, maxDepth: 2 });
    await thought(made);
    const keys = made.llm.calls.map(({ idempotencyKey = "" }) =>
      idempotencyKey.replace(/^.*\/think\//, ""),
    );
    expect(keys).toEqual([
      "0/options/llm",
      "0/0/rating/llm",
      "0/1/rating/llm",
      "0/2/rating/llm",
      "0/1/options/llm",
      "0/1/0/rating/llm",
      "0/1/1/rating/llm",
      "0/1/2/rating/llm",
      "0/answer/llm",
    ]);
  });

  it("THK2: thoughts in a list, in prose, and ratings in words are read", async () => {
    const made = thinking(
      { beamSize: 2, maxDepth: 1 },
      {
        answers: {
          options: () => "Two ways:\n1. Add the numbers\n2) Multiply them\n\nThat is all.",
          rating: (_, [step]) =>
            step === "Multiply them" ? "I would say 8/10, it works." : "No idea!",
        },
      },
    );
    const { tree } = await thought(made);
    expect(tree.children.map(({ content, value }) => [content, value])).toEqual([
      ["Add the numbers", 0],
      ["Multiply them", 7 / 9],
    ]);
    expect(tree.children[0]?.ratingDetails).toBe("No rating could be read: No idea!");
    const prose = await thought(
      thinking({ maxDepth: 1 }, { answers: { options: () => "Just add." } }),
    );
    expect(prose.tree.children.map(({ content }) => content)).toEqual(["Just add."]);
  });

  it.each([
    [{ rating: 99, reason: "" }, 1],
    [{ rating: -3, reason: "" }, 0],
    [{ rating: "7", reason: "in quotes" }, 6 / 9],
    ["```json\n{'rating': 4, 'reason': 'close',}\n```", 3 / 9],
    ["Score: 10", 1],
    ["In 2024 I rated 3.5 of those", 2.5 / 9],
    [{ reason: "none" }, 0],
  ] as const)("THK2: the rating %j is worth %d", async (rating, value) => {
    const { tree } = await thought(
      thinking({ method: "dfs", maxDepth: 1 }, { answers: { rating: () => rating } }),
    );
    expect(tree.children[0]?.value).toBeCloseTo(value, 10);
  });

  it("THK2: at most four different thoughts follow on one, and blank ones are left out", async () => {
    const options = ["a", "a ", "", "b", "c", "d", "e"];
    const { tree } = await thought(
      thinking({ maxDepth: 1 }, { answers: { options: () => ({ reflection: "", options }) } }),
    );
    expect(tree.children.map(({ content }) => content)).toEqual(["a", "b", "c", "d"]);
  });

  it("THK2: thoughts after one thought are rated in one call with batchGrading", async () => {
    const made = thinking({ batchGrading: true, maxDepth: 1, ratingScale: 9 });
    const { tree } = await thought(made);
    expect(made.kinds).toEqual(["options", "ratings", "answer"]);
    expect(tree.children.map(({ value }) => value)).toEqual([1 / 8, 1, 1 / 8]);
    const short = thinking(
      { batchGrading: true, maxDepth: 1 },
      { answers: { ratings: () => ({ ratings: [{ reason: "", rating: 4 }] }) } },
    );
    expect((await thought(short)).tree.children.map(({ value }) => value)).toEqual([3 / 9, 0, 0]);
  });

  it("THK1: thoughts are executed with the agent's tools before further thoughts", async () => {
    const add = tool({
      name: "add",
      description: "Adds.",
      input: z.object({ a: z.number(), b: z.number() }),
      run: ({ a, b }) => a + b,
    });
    const made = thinking(
      { method: "dfs", interimExecution: true, maxDepth: 2 },
      {
        tools: [add],
        answers: { run: (text) => (text === "5" ? "It is 5." : calling("add", { a: 2, b: 3 })) },
      },
    );
    const { tree } = await thought(made);
    expect(tree.children[1]?.output).toBe("It is 5.");
    expect(made.texts.at(-1)).toContain("Step 1: 0 good\nResult: It is 5.\nStep 2: 1 good");
  });

  it("another model may rate", async () => {
    const graderLlm = scriptedModel(() => '{"rating": 3, "reason": "so so"}');
    const made = thinking({ maxDepth: 1 }, { graderLlm });
    const { tree, usage } = await thought(made);
    expect(made.kinds).toEqual(["options", "answer"]);
    expect(tree.children[0]?.ratingDetails).toBe("3 of 10: so so");
    expect(usage.requests).toBe(5);
  });

  it("a model without schemas is asked by a tool or in words", async () => {
    const made = thinking(
      { maxDepth: 1 },
      { model: { capabilities: { responseSchema: false, tools: false } } },
    );
    const { tree } = await thought(made);
    expect(tree.children).toHaveLength(3);
  });
});

describe("a reasoning agent", () => {
  it("RSA2: thinks about the last message, with the earlier conversation", async () => {
    const made = thinking({ maxDepth: 1 });
    const asker = quietAgent("asker", { defaultAutoReply: "And why?" });
    await asker.initiateChat(made.agent, { message: "What is it?", maxTurns: 2 });
    expect(made.texts.at(-1)).toMatch(
      /^Task:\nAnd why\?\n\nWhat was said before:\nasker: What is it\?\nthinker: Answer of 3 steps/,
    );
  });

  it("RSA1: its usage counts, and the log has one message of it", async () => {
    const made = thinking({ maxDepth: 1 });
    const { chatHistory, cost } = await made.asker.initiateChat(made.agent, {
      message: "Hm?",
      maxTurns: 1,
    });
    expect(chatHistory).toHaveLength(2);
    expect(cost.byAgent["thinker"]).toMatchObject({ requests: made.kinds.length });
  });

  it("is refused with an invalid config, and with a demo model", async () => {
    expect(() => thinking({ method: "magic" as never })).toThrow(
      /one of beam_search, mcts, lats, dfs, got "magic"/,
    );
    expect(() => thinking({ maxDepth: 0 })).toThrow(
      /maxDepth must be an integer from 1 to 10, got 0/,
    );
    expect(() => thinking({ answerApproach: "all" as never })).toThrow(
      /"pool" or "best", got "all"/,
    );
    expect(() => thinking({ explorationConstant: -1 })).toThrow(
      /explorationConstant must be a number >= 0/,
    );
    expect(() => new ReasoningAgent({ name: "x", llm: false as never })).toThrow(/needs a model/);
    const made = thinking({}, { llm: createDemoModel() });
    await expect(made.asker.initiateChat(made.agent, { message: "Hm?" })).rejects.toThrow(
      /cannot weigh thoughts/,
    );
  });
});

it.each([
  { method: "beam_search", beamSize: 2, maxDepth: 2 },
  { method: "mcts", nsim: 4, maxDepth: 2 },
  { method: "lats", nsim: 3, maxDepth: 2, forestSize: 2 },
] as const)(
  "RSA1, TSR2: wherever the process dies, the thoughts are the same: %j",
  async (config) => {
    const { whole, cut } = await cutAfterEveryWrite(() => ({ program: thinking(config).program }));
    expect(whole.course.status).toBe("completed");
    expect(cut.length).toBeGreaterThan(15);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  },
  60_000,
);
