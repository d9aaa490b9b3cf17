// Answers have the shape of Perplexity's documentation (docs.perplexity.ai, chat completions) and of perplexityai.
import { expect, it } from "vitest";
import { perplexitySearch } from "../../../../../src/tools/catalog/perplexity/perplexity-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  id: "1",
  model: "sonar",
  choices: [
    { index: 0, finish_reason: "stop", message: { role: "assistant", content: "A drink [1]." } },
  ],
  citations: ["https://tea.example/a"],
  search_results: [
    { title: "Tea", url: "https://tea.example/a", date: "2026-01-15", snippet: "A drink." },
  ],
  usage: { prompt_tokens: 14, completion_tokens: 70, cost: { total_cost: 0.006 } },
};

toolContract(perplexitySearch, {
  input: { query: "What is tea?" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://api.perplexity.ai/chat/completions",
      body: {
        model: "sonar",
        max_tokens: 1000,
        messages: [{ role: "system" }, { role: "user", content: "What is tea?" }],
        web_search_options: { search_context_size: "high" },
      },
    },
  ],
  text: "A drink [1].\n\n[1] https://tea.example/a",
  data: { content: "A drink [1].", citations: ["https://tea.example/a"] },
});

it("cites its sources, and reports the cost", async () => {
  const { extras } = await callOf(
    perplexitySearch(),
    { query: "What is tea?" },
    { answers: [Response.json(ANSWER)], variables: { PERPLEXITY_API_KEY: "p-0123456789" } },
  );
  expect(extras.sources).toEqual([
    { url: "https://tea.example/a", title: "Tea", date: "2026-01-15", snippet: "A drink." },
  ]);
  expect(extras.cost).toEqual({ amount: 0.006, unit: "usd" });
});

it("has AG2's names as well", () => {
  expect(perplexitySearch.entry.otherNames).toEqual([
    "perplexity-search",
    "perplexity_search",
    "perplexity_answer",
  ]);
});
