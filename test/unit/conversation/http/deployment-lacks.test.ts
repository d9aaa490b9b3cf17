// What a stored conversation would use and its deployment does not have.
import { describe, expect, it } from "vitest";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { inMemoryStorage } from "../../../../src/memory/in-memory-records.ts";
import { memoryService } from "../../../../src/memory/make-memory-service.ts";
import { codeService } from "../../../../src/code/make-code-service.ts";
import { modelCatalog } from "../../../../src/llm/model-catalog.ts";
import type { RunProgram } from "../../../../src/runtime/run-program.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";
import { echoRunner } from "../../../support/code-runners.ts";
import { ConversationWorld } from "../../../support/conversation-world.ts";
import type { AskOptions } from "../../../support/http-app.ts";

const put = (json: unknown): AskOptions => ({ method: "PUT", json });
const REMEMBERING = { agents: { a: { system_message: "A", memory: true } } };

describe("a stored conversation in an incomplete deployment", () => {
  it("CDL1: warns of missing memory, and runs without it, with a warning in the run", async () => {
    const world = new ConversationWorld();
    const { status, json } = await world.ask("/conversations/desk", put(REMEMBERING));
    const warnings = [
      { path: "/agents/a/memory", message: expect.stringMatching(/no memory.*pass memory\(\)/) },
    ];
    expect([status, json["warnings"]]).toEqual([201, warnings]);
    expect((await world.ask("/conversations/desk")).json["warnings"]).toEqual(warnings);
    expect(json["definition"]).toMatchObject({ agents: { a: { memory: true } } });
    const id = await world.converse("desk");
    const run = await world.ask(`/runs/${id}`);
    expect(run.json).toMatchObject({ status: "completed", output: { lastSpeaker: "a" } });
    const { text } = await world.ask(`/runs/${id}/events`);
    const lines = text.split("\n").filter((line) => line.includes('"type":"conversation_warning"'));
    expect(lines.map((line) => JSON.parse(line.replace("data: ", "")))).toMatchObject([
      { conversation: "desk", field: "/agents/a/memory" },
    ]);
  });

  it("CDL1: warns once, through a crash at every write", async () => {
    const { part } = new ConversationWorld();
    const start = { id: "r", tenant: "t", kind: "conversation", name: "desk" } as const;
    const inputs = { message: "x" };
    const program = () =>
      part.kinds?.["conversation"]?.program({ ...start, inputs, definition: REMEMBERING });
    const { whole, cut } = await cutAfterEveryWrite(() => ({
      program: program() as RunProgram,
      inputs,
    }));
    const types = whole.events.map(({ type }) => type);
    expect(types.filter((type) => type === "conversation_warning")).toHaveLength(1);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("CDL1: runs without it inside another one too", async () => {
    const world = new ConversationWorld();
    await world.ask("/conversations/desk", put(REMEMBERING));
    const outer = { agents: { b: { after_work: { conversation: "desk" } } }, max_rounds: 3 };
    await world.ask("/conversations/outer", put(outer));
    const id = await world.converse("outer");
    const { json } = await world.ask(`/runs/${id}`);
    expect(json["status"]).toBe("completed");
    expect(JSON.stringify(json["output"])).not.toContain("failed");
  });

  it("has no warning when there is a memory", async () => {
    const memory = memoryService({ storage: inMemoryStorage() });
    const world = new ConversationWorld({ runServices: () => ({ memory }) });
    const { json } = await world.ask("/conversations/desk", put(REMEMBERING));
    expect(json).not.toHaveProperty("warnings");
  });

  it("CDL2: is refused without its knowledge", async () => {
    const world = new ConversationWorld();
    const { status, text } = await world.ask("/conversations/desk", {
      method: "PUT",
      body: "agents:\n  a: {}\n  b: { knowledge: handbook }\n",
      headers: { "content-type": "application/yaml" },
    });
    expect(status).toBe(400);
    expect(JSON.parse(text)["errors"]).toEqual([
      {
        path: "/agents/b/knowledge",
        message: expect.stringMatching(/^body\.yaml:3:\d+: .*pass knowledge\(\)/),
      },
    ]);
  });

  it("CDL2: is refused with a code-running agent when no runner exists", async () => {
    const world = new ConversationWorld();
    const agents = {
      a: { code_execution_config: { last_n_messages: 2, work_dir: "coding", use_docker: false } },
      b: { codeExecution: false },
    };
    const { status, json } = await world.ask("/conversations/desk", put({ agents }));
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([
      {
        path: "/agents/a/codeExecution",
        message: expect.stringMatching(/^this deployment runs no code: pass codeRunners\(\)/),
      },
    ]);
    const code = codeService({ python: echoRunner("python") });
    const running = new ConversationWorld({ runServices: () => ({ code }) });
    const stored = await running.ask("/conversations/desk", put({ agents }));
    expect(stored.status).toBe(201);
    expect(stored.json["definition"]).toMatchObject({
      agents: { a: { codeExecution: { lastNMessages: 2, workDir: "coding" } } },
    });
    const timed = { a: { code_execution_config: { timeout: 90 } } };
    const { json: again } = await running.ask("/conversations/timed", put({ agents: timed }));
    expect(again["definition"]).toMatchObject({
      agents: { a: { codeExecution: { timeoutMs: 90_000 } } },
    });
    for (const wrong of [{ timeout: "1m" }, { last_n_messages: -1 }, { work_dir: "../x" }, "yes"]) {
      const wronged = { a: { code_execution_config: wrong } };
      const refused = await running.ask("/conversations/wrong", put({ agents: wronged }));
      expect(refused.status).toBe(400);
      expect(JSON.stringify(refused.json)).toContain("codeExecution");
    }
  });

  it("CDL3: warns of every model without a key", async () => {
    const world = new ConversationWorld({ models: modelCatalog({ variables: {} }) });
    const llm = "openai/gpt-5-mini";
    const { json } = await world.ask(
      "/conversations/desk",
      put({
        agents: {
          a: {
            llm,
            function_calling_llm: llm,
            input_guardrails: [{ name: "g", prompt: "x", llm, to: "stay" }],
            output_guardrails: [{ name: "g", prompt: "x", llm, to: "stay" }],
          },
          b: { llm: false },
        },
        pattern: { kind: "auto", llm },
        safeguard_policy: {},
        safeguard_llm: llm,
        mask_llm: llm,
      }),
    );
    const warnings = json["warnings"] as unknown as ReadonlyArray<{ path: string }>;
    expect(warnings.map(({ path }) => path)).toEqual([
      "/agents/a/llm",
      "/agents/a/functionCallingLlm",
      "/agents/a/inputGuardrails/0/llm",
      "/agents/a/outputGuardrails/0/llm",
      "/pattern/llm",
      "/safeguardLlm",
      "/maskLlm",
    ]);
  });

  it("CDL1: warns of servers without a connection", async () => {
    const world = new ConversationWorld();
    const { json } = await world.ask(
      "/conversations/desk",
      put({ agents: { a: { mcps: ["https://tools.example.com/mcp"] } } }),
    );
    expect(json["warnings"]).toMatchObject([{ path: "/agents/a/mcps" }]);
  });
});

it("names agents of the app over HTTP", async () => {
  const agents = { scribe: new Agent({ role: "Scribe", goal: "Write", backstory: "You write." }) };
  const world = new ConversationWorld({ agents });
  const stored = await world.ask(
    "/conversations/desk",
    put({ agents: { s: { agent: "scribe", description: "Writes it down." } } }),
  );
  expect(stored).toMatchObject({
    status: 201,
    json: { agents: [{ name: "s", description: "Writes it down." }] },
  });
  const id = await world.converse("desk");
  expect((await world.ask(`/runs/${id}`)).json).toMatchObject({
    status: "completed",
    output: { lastSpeaker: "s" },
  });
});
