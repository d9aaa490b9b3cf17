import { expect, it } from "vitest";
import { crewFromDefinition } from "../../../../src/crew/definition/crew-definition.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { serpApiGoogleSearch } from "../../../../src/tools/catalog/serpapi/serpapi-google-search.ts";
import { serplyWebSearch } from "../../../../src/tools/catalog/serply/serply-web-search.ts";
import { toolCatalog } from "../../../../src/tools/catalog/tool-catalog.ts";
import { calling, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";
import { answering } from "../../../support/tool-world.ts";

const SCRIPT = [
  calling("google_search_2", { search_query: "tea" }),
  calling("google_search", { search_query: "oolong" }),
  "done",
];

function services() {
  const { fetch, requests } = answering(({ url }) =>
    Response.json(url.includes("serply") ? { results: [] } : { organic_results: [] }),
  );
  const variables = { SERPAPI_API_KEY: "serpapi-0123456789", SERPLY_API_KEY: "serply-0123456789" };
  return { requests, services: { variables, network: { fetch } } };
}

function hostsOf(requests: ReadonlyArray<{ readonly url: string }>): readonly string[] {
  return requests.map(({ url }) => new URL(url).host);
}

it("gives two tools with one model name distinct names (T6)", async () => {
  const { agent, model } = scriptedAgent(SCRIPT, {
    tools: [serpApiGoogleSearch(), serplyWebSearch()],
  });
  const world = services();
  await soloCrew(agent).kickoff({ services: world.services });
  expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual([
    "google_search",
    "google_search_2",
  ]);
  expect(hostsOf(world.requests)).toEqual(["api.serply.io", "serpapi.com"]);
});

it("does so for the classes in a definition, in their order (T6)", async () => {
  const model = scriptedModel(SCRIPT);
  const crew = crewFromDefinition(
    {
      name: "solo",
      agents: {
        scout: {
          role: "Scout",
          goal: "Find",
          backstory: "You look.",
          tools: ["SerpApiGoogleSearchTool", "SerplyWebSearchTool"],
        },
      },
      tasks: [{ name: "work", description: "Look", expectedOutput: "A line", agent: "scout" }],
    },
    { catalogs: [toolCatalog()] },
  );
  const world = services();
  await crew.kickoff({ services: world.services, models: () => model });
  expect(hostsOf(world.requests)).toEqual(["api.serply.io", "serpapi.com"]);
});
