// What PUT says of the deployment, on a Worker like the README's: no memory, no knowledge, files where it says so.
import { describe, expect, it } from "vitest";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { CONTENT_SCAFFOLD, JSON_SCAFFOLD } from "../../support/crewai-projects.ts";
import { HttpWorld, type HttpWorldOptions } from "../../support/http-app.ts";

function put(json: object) {
  return { method: "PUT", json };
}

function worldWithFiles(options: HttpWorldOptions = {}): {
  world: HttpWorld;
  files: InMemoryFileStore;
} {
  const files = new InMemoryFileStore();
  return { world: new HttpWorld({ runServices: () => ({ files }), ...options }), files };
}

describe("the scaffolds of CrewAI", () => {
  it("DP1: run without memory, with a warning about how to add it", async () => {
    const { world, files } = worldWithFiles();
    const stored = await world.ask("/crews/demo", put({ files: JSON_SCAFFOLD }));
    expect(stored.status).toBe(201);
    expect(stored.json["warnings"]).toEqual([
      { path: "/tracing", message: "has no effect here: the events of a run have it" },
      { path: "/memory", message: expect.stringMatching(/no memory.*pass memory\(\)/) },
    ]);
    expect((await world.ask("/crews/demo")).json["warnings"]).toEqual(stored.json["warnings"]);
    const id = await world.kickoff("demo", { inputs: {} });
    const run = await world.ask(`/runs/${id}`);
    expect(run.json).toMatchObject({ status: "completed", output: { raw: "A fine answer" } });
    expect(files.text("report.md")).toBe("A fine answer");
    const { text } = await world.ask(`/runs/${id}/events`);
    const warning = text.split("\n").find((line) => line.includes('"type":"crew_warning"')) ?? "";
    expect(JSON.parse(warning.replace("data: ", ""))).toMatchObject({
      crewName: "demo",
      field: "/memory",
      message: expect.stringContaining("has no memory store"),
    });
  });

  it("DP1: run without a file store, and write no files", async () => {
    const world = new HttpWorld();
    const { status, json } = await world.ask("/crews/content", put({ files: CONTENT_SCAFFOLD }));
    expect([status, json["warnings"]]).toEqual([
      201,
      [{ path: "/tasks/0/outputFile", message: expect.stringMatching(/not written: set `files`/) }],
    ]);
    const id = await world.kickoff("content", { inputs: { topic: "tea" } });
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("completed");
  });

  it("have no warnings in a deployment with all services", async () => {
    const files = new InMemoryFileStore();
    const memory = memoryService({ storage: inMemoryStorage() });
    const world = new HttpWorld({ runServices: () => ({ files, memory }) });
    const scaffold = {
      ...JSON_SCAFFOLD,
      "crew.jsonc": JSON_SCAFFOLD["crew.jsonc"].replace(', "tracing": true', ""),
    };
    const { status, json } = await world.ask("/crews/demo", put({ files: scaffold }));
    expect([status, json["warnings"]]).toEqual([201, undefined]);
  });
});

const agents = { clerk: { role: "Clerk", goal: "Help", backstory: "Calm" } };
const task = { name: "note", description: "Note", expectedOutput: "A note", agent: "clerk" };

describe("a crew this deployment cannot run", () => {
  it.each([
    [{ knowledge: ["handbook"] }, "/knowledge", /pass knowledge\(\)/],
    [
      { knowledgeSources: [{ name: "a", content: "x" }] },
      "/knowledgeSources",
      /pass knowledge\(\)/,
    ],
    [{ inputFiles: { spec: "spec.md" } }, "/inputFiles", /set `files`/],
    [
      { agents: { clerk: { ...agents.clerk, knowledge: "x" } } },
      "/agents/clerk/knowledge",
      /knowl/,
    ],
    [{ tasks: [{ ...task, inputFiles: { a: "a.md" } }] }, "/tasks/0/inputFiles", /set `files`/],
  ])("DP2: is refused with the missing setting: %j", async (fields, path, message) => {
    const world = new HttpWorld();
    const { status, json } = await world.ask("/crews/c", put({ agents, tasks: [task], ...fields }));
    expect([status, json["errors"]]).toEqual([
      400,
      [{ path, message: expect.stringMatching(message) }],
    ]);
    expect((await world.ask("/crews/c")).status).toBe(404);
  });
});

describe("a crew in an incomplete deployment", () => {
  it("DP3: is warned of models without a key, and of stubs", async () => {
    const world = new HttpWorld({ models: modelCatalog({ variables: {} }) });
    const clerk = {
      ...agents.clerk,
      llm: "openai/gpt-5-mini",
      functionCallingLlm: ["anthropic/claude-haiku-4-5", "offline/demo"],
      tools: ["SerperDevTool"],
    };
    const definition = { agents: { clerk }, tasks: [task], missingTools: "stub" };
    const { status, json } = await world.ask("/crews/c", put(definition));
    expect([status, json["warnings"]]).toEqual([
      201,
      [
        {
          path: "/agents/clerk/tools/0",
          message:
            '"SerperDevTool" is in the catalogue, which this Worker does not carry: defineApp({ tools: toolCatalog() }); a stub stands for it, and each call of it fails',
        },
        {
          path: "/agents/clerk/llm",
          message: "calls will fail: no key for openai: set OPENAI_API_KEY",
        },
      ],
    ]);
  });

  it("DP3: is warned of the models of planning, memory and the crew, and of the deployment's own", async () => {
    const models = modelCatalog({ variables: { MODEL: "anthropic/claude-haiku-4-5" } });
    const world = new HttpWorld({ models });
    const clerk = { ...agents.clerk, planningConfig: { llm: "openai/gpt-5-mini" } };
    const fields = { functionCallingLlm: "openai/gpt-5", memory: { llm: "openai/gpt-5-nano" } };
    const definition = { agents: { clerk, other: clerk }, tasks: [task], ...fields };
    const { status, json } = await world.ask("/crews/c", put(definition));
    const key = /no key for openai: set OPENAI_API_KEY/;
    expect([status, json["warnings"]]).toEqual([
      201,
      [
        { path: "/memory", message: expect.stringMatching(/has no memory store/) },
        { path: "/functionCallingLlm", message: expect.stringMatching(key) },
        { path: "/memory/llm", message: expect.stringMatching(key) },
        { path: "/agents/clerk/planningConfig/llm", message: expect.stringMatching(key) },
        { path: "/agents/other/planningConfig/llm", message: expect.stringMatching(key) },
        {
          path: "/agents/clerk/llm",
          message: expect.stringMatching(/own model will fail: .*ANTHROPIC_API_KEY/),
        },
      ],
    ]);
    const named = { agents: { clerk: { ...agents.clerk, llm: "offline/demo" } }, tasks: [task] };
    expect((await world.ask("/crews/d", put(named))).json["warnings"]).toBeUndefined();
  });
});
