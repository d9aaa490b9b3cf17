// Answers have the shape of Semantic Scholar's documentation (api.semanticscholar.org/api-docs, paper/search).
import { expect, it } from "vitest";
import { semanticScholarSearch } from "../../../../../src/tools/catalog/semantic-scholar/semantic-scholar-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  total: 1,
  offset: 0,
  data: [
    {
      paperId: "649def34f8be52c8b66281af98ae884c09aef38b",
      title: "On tea",
      abstract: "A study.",
      authors: [{ authorId: "1", name: "A. Leaf" }],
      year: 2024,
      citationCount: 7,
      url: "https://www.semanticscholar.org/paper/649def",
      externalIds: { DOI: "10.1/tea", CorpusId: 5 },
    },
  ],
};

toolContract(semanticScholarSearch, {
  input: { query: "tea", limit: 3, year: "2020-2024" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "GET",
      path: "/graph/v1/paper/search?query=tea&limit=3&year=2020-2024&fields=title%2Cabstract%2Cauthors%2Cyear%2CcitationCount%2Curl%2CexternalIds",
      headers: expect.objectContaining({ "x-api-key": "sk-live-0123456789abcdef" }) as never,
    },
  ],
  text: "Title: On tea\nAuthors: A. Leaf\nYear: 2024\nCitations: 7\nAbstract: A study.\nURL: https://www.semanticscholar.org/paper/649def\nExternal IDs: DOI: 10.1/tea, CorpusId: 5",
  data: ANSWER.data,
});

it("does without a key", async () => {
  const { requests, text } = await callOf(
    semanticScholarSearch(),
    { query: "tea" },
    { answers: [Response.json({ total: 0, offset: 0 })] },
  );
  expect(requests[0]?.headers).not.toHaveProperty("x-api-key");
  expect(text).toContain("Nothing was found.");
});
