import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
} from "../../../src/crew/definition/crew-definition.ts";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import { isFromData, type DefinitionRules } from "../../../src/llm/definition-rules.ts";
import { SecretBox } from "../../../src/security/secret-box.ts";
import { HttpWorld, textOf, type HttpWorldOptions } from "../../support/http-app.ts";

const CANARY = "CANARY-key-0123456789";
const box = new SecretBox("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", (length) =>
  crypto.getRandomValues(new Uint8Array(length)),
);
const RULES: DefinitionRules = {
  outbound: {},
  secrets: ["TEAM_KEY"],
  seal: (key, owner) => box.seal(key, owner),
  open: (sealed, owner) => box.open(sealed, owner),
};

function world(options: HttpWorldOptions = {}): HttpWorld {
  return new HttpWorld({
    definitionRules: RULES,
    declarativeFlows: declarativeFlows(),
    ...options,
  });
}

const AGENT = { role: "A", goal: "B", backstory: "C" };
const TASK = { name: "t", description: "D", expectedOutput: "E", agent: "a" };

/** Definitions with this spec in each place that takes one. */
function crewsWith(
  model: JsonObject,
  embedder = model,
): ReadonlyArray<readonly [string, JsonObject]> {
  const crew = (fields: JsonObject, agent: JsonObject = {}): JsonObject => ({
    agents: { a: { ...AGENT, ...agent } },
    tasks: [TASK],
    ...fields,
  });
  return [
    ["llm", crew({}, { llm: model })],
    ["llm in a chain", crew({}, { llm: ["openai/gpt-5", model] })],
    [
      "llm in a list with settings",
      crew({}, { llm: { config_list: ["openai/gpt-5", model], routing: "round_robin" } }),
    ],
    ["function_calling_llm", crew({}, { function_calling_llm: model })],
    ["planning_config.llm", crew({}, { planning_config: { llm: model } })],
    ["memory.llm of an agent", crew({}, { memory: { llm: model } })],
    ["embedder of an agent", crew({}, { embedder })],
    ["manager_llm", crew({ process: "hierarchical", manager_llm: model })],
    ["planning_llm", crew({ planning_llm: model })],
    ["chat_llm", crew({ chat_llm: model })],
    ["functionCallingLlm of the crew", crew({ functionCallingLlm: model })],
    ["embedder", crew({ embedder })],
    ["memory.embedder", crew({ memory: { embedder } })],
  ];
}

const put = (app: HttpWorld, json: JsonValue, path = "/crews/mine") =>
  app.ask(path, { method: "PUT", json });

describe("models and embedders of stored definitions", () => {
  it.each(crewsWith({ model: "openai/x", base_url: "http://169.254.169.254/v1" }))(
    "DR2: an address of a private network is refused in %s",
    async (_, definition) => {
      const { status, text } = await put(world(), definition);
      expect([status, text]).toEqual([400, expect.stringContaining("private network")]);
    },
  );

  it.each(crewsWith({ model: "openai/x", baseUrl: "https://localhost" }))(
    "DR1: the spec in %s reaches the resolver with its mark",
    (_, definition) => {
      const crew = crewFromDefinition(readCrewDefinition(definition), { fromData: true });
      const specs: object[] = [];
      const look = (value: unknown, seen = new Set<unknown>()): void => {
        if (typeof value !== "object" || value === null || seen.has(value)) return;
        seen.add(value);
        if (isJsonObject(value) && value["baseUrl"] === "https://localhost") specs.push(value);
        for (const item of Object.values(value)) look(item, seen);
      };
      look(crew);
      // The crew's own functionCallingLlm has no effect, and reaches nobody.
      expect([
        specs.length > 0 || "functionCallingLlm" in definition,
        specs.every(isFromData),
      ]).toEqual([true, true]);
    },
  );

  it.each(crewsWith({ model: "openai/x", apiKey: CANARY }))(
    "DK1: a key in %s is stored sealed, and never shown",
    async (_, definition) => {
      const app = world();
      const { status, text } = await put(app, definition);
      expect([status, text.includes(CANARY)]).toEqual([201, false]);
      const shown = await app.ask("/crews/mine");
      expect(shown.text).not.toContain(CANARY);
      expect(shown.text).not.toContain("sealed");
      expect(shown.text).toContain('{"hidden":true}');
      const row = await app.definitions.get("default", "crew", "mine");
      const stored = JSON.stringify(row?.definition);
      expect(stored).not.toContain(CANARY);
      const { sealed = "", owner = "" } =
        /"sealed":"(?<sealed>[^"]+)","owner":"(?<owner>[^"]+)"/.exec(stored)?.groups ?? {};
      expect([owner, await box.open(sealed, owner)]).toEqual(["default/crew/mine", CANARY]);
      await expect(box.open(sealed, "other/crew/mine")).rejects.toThrow("encrypted");
    },
  );

  it("DK1: a row of an earlier version is shown without its key", async () => {
    const app = world();
    const definition: JsonValue = {
      agents: { a: { ...AGENT, llm: { model: "openai/x", apiKey: CANARY } } },
      tasks: [TASK],
    };
    for (const broken of [definition, { ...definition, tasks: [{ ...TASK, tools: ["gone"] }] }]) {
      await app.definitions.put("default", "crew", { name: "old", definition: broken, nowMs: 1 });
      const { status, text } = await app.ask("/crews/old");
      expect([status, text.includes(CANARY)]).toEqual([200, false]);
    }
  });

  it("DK1: explains the setup when no key can be sealed", async () => {
    const { seal: _, ...rules } = RULES;
    const keyless = new SecretBox(undefined, () => new Uint8Array(12));
    for (const definitionRules of [rules, { ...rules, seal: keyless.seal.bind(keyless) }]) {
      const definition = {
        agents: { a: { ...AGENT, llm: { model: "x", apiKey: CANARY } } },
        tasks: [TASK],
      };
      const { status, text, json } = await put(world({ definitionRules }), definition);
      expect([status, text.includes(CANARY)]).toEqual([400, false]);
      expect(json["errors"]?.[0]?.["path"]).toBe("/agents/a/llm/apiKey");
      expect(json["detail"]).toContain('{ "secret": "NAME" }');
    }
  });

  it("DK1: the key is in no run, event or journal", async () => {
    const app = world();
    await put(app, {
      agents: { a: { ...AGENT, llm: { model: "openai/x", apiKey: CANARY } } },
      tasks: [TASK],
    });
    const id = await app.kickoff("mine");
    for (const path of [`/runs/${id}`, `/runs/${id}/export`, `/runs/${id}/journal?values=1`]) {
      const { status, text } = await app.ask(path);
      expect({ path, status, leaks: text.includes(CANARY) }).toEqual({
        path,
        status: 200,
        leaks: false,
      });
    }
  });

  it("DK1: a run of an earlier version hides the keys it was started with", async () => {
    const app = world();
    const llm = { model: "openai/x", apiKey: CANARY };
    const definition: JsonValue = { agents: { a: { ...AGENT, llm } }, tasks: [TASK] };
    const entry = { action: "test", iterations: 1, evalModel: llm };
    const start = { kind: "crew", name: "old", inputs: {}, tenant: "default", definition } as const;
    await app.runs.start({ ...start, id: "one", entry });
    await app.runs.start({ ...start, id: "two" });
    await app.clock.settle();
    for (const path of ["/runs/one", "/runs/one/export", "/runs/two/export"]) {
      const { status, text } = await app.ask(path);
      expect({ path, status, leaks: text.includes(CANARY) }).toEqual({
        path,
        status: 200,
        leaks: false,
      });
      expect(text).toContain('{"hidden":true}');
    }
    expect((await app.ask("/runs/one/cancel", { json: {} })).text).not.toContain(CANARY);
  });

  it("names of secrets are shown, and refused unless they are listed", async () => {
    const app = world();
    const named = (secret: string) => ({
      agents: { a: { ...AGENT, llm: { model: "openai/x", apiKey: { secret } } } },
      tasks: [TASK],
    });
    expect((await put(app, named("TEAM_KEY"))).status).toBe(201);
    expect((await app.ask("/crews/mine")).text).toContain('"apiKey":{"secret":"TEAM_KEY"}');
    expect((await put(app, named("EDGECREW_ADMIN_KEY"))).status).toBe(400);
  });

  it.each([
    ["a key other than a text", { model: "openai/x", apiKey: [CANARY] }],
    ["a number too many", { model: "openai/x", apiKey: CANARY, temperature: "hot" }],
    ["a model other than a text", { model: 3, apiKey: CANARY, nested: { client_secret: CANARY } }],
    ["a key of an odd name", { model: "openai/x", aws_secret_access_key: CANARY }],
    ["a list with a setting too many", { config_list: [{ model: "m", apiKey: CANARY }], key: "x" }],
    ["a list with a bad entry", { configList: [{ model: "m", apiKey: CANARY, top_p: 7 }] }],
    ["a sealed key from outside", { model: "openai/x", apiKey: { sealed: "v1.a.b", owner: "x" } }],
    ["a hidden key", { model: "openai/x", apiKey: { hidden: true } }],
  ])("DK2: PUT refuses %s, and quotes no secret", async (_, llm) => {
    const app = world();
    const { status, text } = await put(app, { agents: { a: { ...AGENT, llm } }, tasks: [TASK] });
    expect([status, text.includes("CANARY")]).toEqual([400, false]);
    expect(await app.definitions.get("default", "crew", "mine")).toBeUndefined();
  });

  it("leaves people's own data alone", async () => {
    const app = world();
    const inputs = { llm: { apiKey: "mine", baseUrl: "http://localhost" }, token: "t" };
    expect((await put(app, { agents: { a: AGENT }, tasks: [TASK], inputs })).status).toBe(201);
    expect((await app.ask("/crews/mine")).json["definition"]?.["inputs"]).toEqual(inputs);
  });

  it("the model that judges a test has the same rules", async () => {
    const app = world();
    const test = (evalModel: JsonValue) =>
      app.ask("/crews/greeting/test", { json: { iterations: 1, evalModel } });
    expect((await test({ model: "openai/x", baseUrl: "http://127.0.0.1:9" })).status).toBe(400);
    expect((await test({ model: "openai/x", apiKey: { sealed: "a", owner: "b" } })).status).toBe(
      400,
    );
    const { status, json } = await test({ model: "openai/x", apiKey: CANARY });
    expect(status).toBe(202);
    expect((await app.ask(`/runs/${textOf(json["id"])}/export`)).text).not.toContain(CANARY);
  });
});

describe("models of stored flows", () => {
  const flow = (llm: JsonObject) => ({
    name: "mine",
    methods: {
      a: {
        start: true,
        do: { call: "agent", with: { role: "A", goal: "B", backstory: "C", input: "'x'", llm } },
        human_feedback: { message: "Good?", emit: ["yes", "no"], llm },
      },
      b: {
        listen: "yes",
        do: { call: "crew", with: { agents: { a: { ...AGENT, llm } }, tasks: [{ ...TASK }] } },
      },
    },
  });

  it("DR2, DK1: have the same rules", async () => {
    const app = world();
    const address = flow({ model: "openai/x", baseUrl: "http://10.0.0.1" });
    const refused = await put(app, address, "/flows/mine");
    expect(refused.status).toBe(400);
    expect(refused.json["errors"]).toHaveLength(3);
    const keyed = await put(app, flow({ model: "openai/x", apiKey: CANARY }), "/flows/mine");
    expect([keyed.status, keyed.text.includes(CANARY)]).toEqual([201, false]);
    expect((await app.ask("/flows/mine")).text).not.toContain(CANARY);
    const row = await app.definitions.get("default", "flow", "mine");
    expect(JSON.stringify(row)).not.toContain(CANARY);
    expect((await app.ask("/flows/mine/kickoff", { json: {} })).status).toBe(202);
  });
});
