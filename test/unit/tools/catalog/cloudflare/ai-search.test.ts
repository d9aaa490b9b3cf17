// The double answers as `AiSearchSearchResponse` of @cloudflare/workers-types says of the binding.
import { expect, it } from "vitest";
import { aiSearch } from "../../../../../src/tools/catalog/cloudflare/ai-search.ts";
import { requireNeeds } from "../../../../../src/tools/tool-needs.ts";
import { callOf } from "../../../../support/tool-world.ts";

const ANSWER = {
  search_query: "tea",
  chunks: [
    { id: "1", type: "text", score: 0.9, text: "Tea is a drink.", item: { key: "tea.md" } },
    { id: "2", type: "text", score: 0.5, text: "So is coffee.", item: { key: "coffee.md" } },
  ],
};

it("finds passages of an instance", async () => {
  const asked: unknown[] = [];
  const { text, data, extras } = await callOf(
    aiSearch({ matchThreshold: 0.4 }),
    { query: "tea", limit: 3 },
    {
      services: {
        aiSearch: {
          search: async (request: unknown) => {
            asked.push(request);
            return ANSWER;
          },
        },
      },
    },
  );
  expect(asked).toEqual([
    {
      query: "tea",
      ai_search_options: { retrieval: { max_num_results: 3, match_threshold: 0.4 } },
    },
  ]);
  expect(text).toContain("1. tea.md\nTea is a drink.\n\n2. coffee.md\nSo is coffee.");
  expect(data).toEqual({
    chunks: [
      { score: 0.9, text: "Tea is a drink.", key: "tea.md" },
      { score: 0.5, text: "So is coffee.", key: "coffee.md" },
    ],
  });
  expect(extras.untrusted).toEqual(["AI Search"]);
});

it("finds an instance of a namespace by its name", async () => {
  const names: string[] = [];
  const { text } = await callOf(
    aiSearch({ instance: "docs" }),
    { query: "tea" },
    {
      services: {
        aiSearch: {
          get: (name: string) => {
            names.push(name);
            return { search: async () => ({ search_query: "tea", chunks: [] }) };
          },
        },
      },
    },
  );
  expect(names).toEqual(["docs"]);
  expect(text).toContain("Nothing was found.");
});

it("fails with the service's error, and on an invalid answer", async () => {
  const call = async (search: () => Promise<unknown>): Promise<string | undefined> => {
    const services = { aiSearch: { search } };
    return (await callOf(aiSearch(), { query: "tea" }, { services })).failure?.message;
  };
  expect(await call(async () => Promise.reject(new Error("no such instance")))).toBe(
    "AI Search failed: no such instance",
  );
  expect(await call(async () => ({ data: [] }))).toBe("AI Search answered something unexpected.");
  expect(() => requireNeeds([aiSearch()], {})).toThrow("ai_search needs the binding AI_SEARCH");
});
