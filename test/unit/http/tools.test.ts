import { describe, expect, it } from "vitest";
import { toolCatalog } from "../../../src/tools/catalog/tool-catalog.ts";
import { HttpWorld, type HttpWorldOptions, textOf } from "../../support/http-app.ts";
import { calling } from "../../support/crew-harness.ts";
import { answering } from "../../support/tool-world.ts";

const KEY = "serper-key-0123456789";

function crewWith(...tools: readonly unknown[]): object {
  return {
    agents: { scout: { role: "Scout", goal: "Find", backstory: "You look.", tools } },
    tasks: [{ name: "look", description: "Look", expectedOutput: "A line", agent: "scout" }],
  };
}

function world(options: HttpWorldOptions = {}): HttpWorld {
  return new HttpWorld({ catalogs: [toolCatalog()], ...options });
}

const put = (json: object) => ({ method: "PUT", json });

describe("/tools", () => {
  it("lists registered and catalogue tools with their needs", async () => {
    const there = world({ variables: { SERPER_API_KEY: KEY } });
    const { json } = await there.ask("/tools/SerperDevTool");
    expect(json).toMatchObject({
      name: "SerperDevTool",
      modelName: "search_the_internet_with_serper",
      group: "search",
      service: "Serper",
      effect: "reads",
      needsApproval: false,
      variables: [{ name: "SERPER_API_KEY", isSet: true }],
      missingBindings: [],
      isReady: true,
      parameters: { properties: { search_query: { type: "string" } } },
      options: { properties: { nResults: { default: 10 } } },
    });
    expect(JSON.stringify(json)).not.toContain(KEY);
    expect((await world().ask("/tools/SerperDevTool")).json).toMatchObject({ isReady: false });
    const own = await there.ask("/tools/ask");
    expect(own.json).toMatchObject({ group: "registered", isReady: true, variables: [] });
    expect((await there.ask("/tools/nothing")).status).toBe(404);
  });

  it("reports a tool as ready when it has one of several keys", async () => {
    const { json } = await world().ask("/tools/WebSearchTool");
    expect(json).toMatchObject({ isReady: false });
    const there = world({ variables: { EXA_API_KEY: KEY } });
    expect((await there.ask("/tools/WebSearchTool")).json).toMatchObject({
      isReady: true,
      variables: expect.arrayContaining([
        expect.objectContaining({ name: "EXA_API_KEY", oneOf: "search", isSet: true }),
        expect.objectContaining({ name: "BRAVE_API_KEY", oneOf: "search", isSet: false }),
      ]) as never,
    });
  });

  it("answers in pages, by name", async () => {
    const names: string[] = [];
    let cursor = "";
    do {
      const { json } = await world().ask(`/tools?limit=20${cursor}`);
      names.push(...(json["items"] as unknown as { name: string }[]).map(({ name }) => name));
      cursor = json["nextCursor"] === undefined ? "" : `&cursor=${textOf(json["nextCursor"])}`;
    } while (cursor !== "");
    expect(names).toEqual(names.toSorted());
    expect(names).toContain("ask");
    expect(new Set(names).size).toBe(toolCatalog().list().length + 1);
  });
});

describe("stored crews with tools of the catalogue", () => {
  it("report missing variables when they are stored, and run once the variables are set", async () => {
    const { fetch, requests } = answering([
      Response.json({ organic: [{ title: "T", link: "https://a.example/" }] }),
    ]);
    let calls = 0;
    const there = world({
      script: () =>
        calls++ === 0
          ? calling("search_the_internet_with_serper", { search_query: "news" })
          : "There are news.",
      runServices: () => ({ network: { fetch }, variables: { SERPER_API_KEY: KEY } }),
    });
    const entry = { tool: "SerperDevTool", n_results: 3 };
    const stored = await there.ask("/crews/scouting", put(crewWith(entry)));
    expect(stored.status).toBe(201);
    expect(JSON.stringify(stored.json["warnings"])).toContain("SERPER_API_KEY");
    const id = await there.kickoff("scouting", { inputs: {} });
    const run = (await there.ask(`/runs/${id}`)).json;
    expect(run).toMatchObject({
      status: "completed",
      output: { raw: "There are news.", sources: [{ url: "https://a.example/", title: "T" }] },
    });
    expect(requests).toMatchObject([{ body: { q: "news", num: 3 } }]);
    expect(JSON.stringify([run, (await there.ask(`/runs/${id}/events`)).text])).not.toContain(KEY);
  });

  it("fail before any model call when a key is missing (T9)", async () => {
    const there = world({ runServices: () => ({ variables: {} }) });
    await there.ask("/crews/scouting", put(crewWith("SerperDevTool")));
    const id = await there.kickoff("scouting", { inputs: {} });
    expect((await there.ask(`/runs/${id}`)).json).toMatchObject({
      status: "failed",
      error: { code: "invalid_definition", message: expect.stringContaining("SERPER_API_KEY") },
    });
    expect(there.model.calls).toHaveLength(0);
  });

  it("are refused with all faults, each at its place (T11, T12, T14)", async () => {
    const { status, json } = await world().ask(
      "/crews/wrong",
      put(
        crewWith(
          { tool: "SerperDevTool", base_url: "https://evil.example" },
          { tool: "serper_dev", api_key: "sk-1" },
          "MultiOnTool",
          "NoSuchTool",
        ),
      ),
    );
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([
      { path: "/agents/scout/tools/0", message: expect.stringContaining("toolCatalog({ hosts })") },
      { path: "/agents/scout/tools/1", message: expect.stringContaining("holds no secret") },
      { path: "/agents/scout/tools/2", message: expect.stringContaining("StagehandTool") },
      { path: "/agents/scout/tools/3", message: expect.stringContaining("unknown tool") },
    ]);
    expect(JSON.stringify(json)).not.toContain("sk-1");
  });

  it("are refused by a Worker without the catalogue (T17)", async () => {
    const { json } = await new HttpWorld().ask("/crews/x", put(crewWith("SerperDevTool")));
    expect(json["errors"]).toMatchObject([
      { message: expect.stringContaining("which this Worker does not carry") },
    ]);
  });
});
