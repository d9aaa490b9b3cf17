import { expect, it } from "vitest";
import { serperDev } from "../../../../../src/tools/catalog/serper/serper-dev.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  searchParameters: { q: "x", type: "search" },
  knowledgeGraph: { title: "Tea", type: "Drink", description: "Leaves in hot water." },
  organic: [
    { title: "Tea", link: "https://tea.example/a", snippet: "All of tea.", position: 1 },
    { title: "No link", snippet: "left out", position: 2 },
  ],
  peopleAlsoAsk: [{ question: "What is tea?", snippet: "A drink.", title: "t", link: "l" }],
  relatedSearches: [{ query: "green tea" }],
  credits: 1,
};
const variables = { SERPER_API_KEY: "key-0123456789" };

toolContract(serperDev, {
  input: { search_query: "x" },
  success: [Response.json(ANSWER)],
  requests: [{ method: "POST", url: "https://google.serper.dev/search" }],
  text: "1. Tea\n   https://tea.example/a\n   All of tea.",
  data: { organic: [{ title: "Tea" }] },
});

it("sends the query with country and language (T18)", async () => {
  const { requests } = await callOf(
    serperDev({ country: "us", locale: "en" }),
    { search_query: "x" },
    { answers: [Response.json(ANSWER)], variables },
  );
  expect(requests[0]).toMatchObject({
    method: "POST",
    body: { q: "x", num: 10, gl: "us", hl: "en" },
    headers: { "x-api-key": "key-0123456789" },
  });
});

it("leaves out results without a link, limits their number, and reports the cost (T19)", async () => {
  const organic = Array.from({ length: 12 }, (_, index) => ({
    title: `Title ${index}`,
    ...(index === 3 ? undefined : { link: `https://a.example/${index}` }),
    snippet: "s",
  }));
  const { extras, data, text } = await callOf(
    serperDev(),
    { search_query: "x" },
    { answers: [Response.json({ organic, credits: 1 })], variables },
  );
  expect(extras.sources).toHaveLength(10);
  expect((data as { organic: unknown[] }).organic).toHaveLength(10);
  expect(text).not.toContain("Title 3");
  expect(extras.cost).toEqual({ amount: 1, unit: "credits" });
});

it("accepts only web and news (T8)", () => {
  expect(() => serperDev({ searchType: "images" as never })).toThrow(
    /SerperDevTool.searchType: expected one of "search", "news"/,
  );
});

it("saves its results in the run's workspace", async () => {
  const { extras, text, files } = await callOf(
    serperDev({ saveFile: true }),
    { search_query: "x" },
    { answers: [Response.json(ANSWER)], variables },
  );
  const [file] = extras.files ?? [];
  expect(file?.path).toMatch(/^search_results_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d{3}\.txt$/);
  expect(text).toContain(`Saved as ${file?.path}.`);
  const [path = ""] = files.paths;
  expect(path).toMatch(new RegExp(`^runs/.+/${file?.path}$`));
  expect(JSON.parse(files.text(path) ?? "")).toMatchObject({ organic: [{ title: "Tea" }] });
});
