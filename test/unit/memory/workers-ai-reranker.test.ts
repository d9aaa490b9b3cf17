import { expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { workersAiReranker } from "../../../src/memory/workers-ai-reranker.ts";

type Asked = { query: string; contexts: ReadonlyArray<{ text: string }>; top_k: number };

/** The binding as Cloudflare documents it: scores by the index of the context. */
function binding(scoreOf: (text: string) => number) {
  const asked: Array<readonly [string, Asked]> = [];
  const run = async (model: string, input: unknown) => {
    asked.push([model, input as Asked]);
    const { contexts } = input as Asked;
    return { response: contexts.map(({ text }, id) => ({ id, score: scoreOf(text) })) };
  };
  return { asked, run };
}

async function recalled(
  ai: { run: (model: string, input: unknown) => Promise<unknown> },
  minScore = 0,
) {
  const reranker = workersAiReranker({ binding: ai, minScore });
  const memory = new Memory({ reranker, llm: scriptedModel([]) });
  for (const content of ["tea is hot", "tea is green", "tea is cheap"])
    await memory.remember(content, { scope: "/", categories: [], importance: 0.5 });
  const found = await memory.recall("tea", { depth: "shallow" });
  return found.map(({ record }) => record.content);
}

it("puts matches in the order of the model's scores, and leaves out low scores", async () => {
  const scores: Record<string, number> = {
    "tea is green": 0.9,
    "tea is cheap": 0.5,
    "tea is hot": 0.1,
  };
  const ai = binding((text) => scores[text] ?? 0);
  expect(await recalled(ai)).toEqual(["tea is green", "tea is cheap", "tea is hot"]);
  expect(ai.asked).toMatchObject([["@cf/baai/bge-reranker-base", { query: "tea", top_k: 3 }]]);
  expect(
    await recalled(
      binding((text) => scores[text] ?? 0),
      0.4,
    ),
  ).toEqual(["tea is green", "tea is cheap"]);
});

it("keeps the order when the model fails or returns no scores", async () => {
  const plain = (await recalled({ run: async () => ({ response: [] }) })).toSorted();
  expect(plain).toEqual(["tea is cheap", "tea is green", "tea is hot"]);
  expect(await recalled({ run: () => Promise.reject(new Error("away")) })).toHaveLength(3);
});
