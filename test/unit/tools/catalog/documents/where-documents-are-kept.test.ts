import { expect, it } from "vitest";
import { githubSearch } from "../../../../../src/tools/catalog/documents/github-search.ts";
import { pgSearch } from "../../../../../src/tools/catalog/documents/pg-search.ts";
import { ragTool } from "../../../../../src/tools/catalog/documents/rag-tool.ts";
import { txtSearch } from "../../../../../src/tools/catalog/documents/txt-search.ts";
import { calling, scriptedAgent, soloCrew } from "../../../../support/crew-harness.ts";
import { documentWorld } from "../../../../support/document-world.ts";

const SCRIPT = [calling("search_a_txts_content", { search_query: "tea", txt: "a.txt" }), "done"];

it("a run without a store for documents fails before its first model call, and names the setting", async () => {
  const { agent, model } = scriptedAgent(SCRIPT, { tools: [txtSearch()] });
  await expect(soloCrew(agent).kickoff()).rejects.toMatchObject({
    code: "invalid_definition",
    message: expect.stringContaining("TXTSearchTool keeps what it reads"),
  });
  expect(model.calls).toEqual([]);
});

it.each([
  ["GithubSearchTool", githubSearch()],
  ["PGSearchTool", pgSearch({ dbUri: "d1:SHOP", tableName: "tea" })],
  ["RagTool", ragTool({ sources: ["Tea is hot."] })],
])("%s is refused there, too", (name, tool) => {
  expect(() => tool.check?.({})).toThrow(name);
});

it("a tool with its own knowledge does not need the run's", async () => {
  const { knowledge } = documentWorld();
  const { agent } = scriptedAgent(SCRIPT, { tools: [txtSearch({ knowledge })] });
  await expect(soloCrew(agent).kickoff()).resolves.toMatchObject({ raw: "done" });
});
