import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { validateJsonSchema } from "../../../../src/base/json-schema.ts";
import { testReport } from "../../../../src/crew/actions/test-report.ts";
import type { Api } from "../../../../src/parts/part.ts";
import { Examples } from "../../../../src/http/openapi/examples.ts";
import { openApiDocument } from "../../../../src/http/openapi/openapi.ts";
import { defineFlow } from "../../../../src/flow/index.ts";
import type { Operation } from "../../../../src/parts/operation.ts";
import { declarativeFlows } from "../../../../src/declarative/index.ts";
import { STATUS_BY_CODE } from "../../../../src/parts/code-answers.ts";
import {
  askingScript,
  briefing,
  greeting,
  HttpWorld,
  review,
  type AskOptions,
  textOf,
} from "../../../support/http-app.ts";
import { SIGN } from "../../../support/signed-deliveries.ts";
import { TriggerWorld } from "../../../support/trigger-world.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { talkOf } from "../../../support/talks.ts";

const open = { auth: { mode: "open" } } as const;
const { operations } = new HttpWorld().api;
const { api } = new TriggerWorld(open);
const document = openApiDocument(api);
const all = api.operations;

function operationOf(id: string): Operation {
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}

/** Every object inside a value, with the place it is at. */
function* objects(value: unknown, path = "#"): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, item] of Object.entries(value))
    yield* objects(item, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

function at(pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (value, key) =>
        (value as Record<string, unknown> | undefined)?.[
          key.replaceAll("~1", "/").replaceAll("~0", "~")
        ],
      document,
    );
}

describe("the description", () => {
  it.each([
    ["alone", new HttpWorld(), operations],
    ["with a deployment's additions", new TriggerWorld(open), all],
  ])("describes every route, and no other: %s", (_, world, operationsOfIt) => {
    const routes = world.app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const described = operationsOfIt.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual([...new Set(routes)].toSorted());
  });

  it("is OpenAPI 3.1 in its structure", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { title: expect.any(String), version: expect.any(String) },
    });
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, methods] of Object.entries(document.paths)) {
      expect(path).toMatch(/^\//);
      for (const [method, operation] of Object.entries(methods)) {
        expect(["get", "put", "post", "patch", "delete"]).toContain(method);
        const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
        expect(inPath.map(({ name }) => name)).toEqual(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        );
        expect(inPath.every(({ required }) => required)).toBe(true);
        const places = operation.parameters.map(
          (parameter) => `${parameter.in}:${parameter.name.toLowerCase()}`,
        );
        expect(new Set(places).size).toBe(places.length);
        for (const parameter of operation.parameters) expect(parameter.schema).toBeTypeOf("object");
        expect([method, operation.requestBody === undefined]).not.toEqual(["get", false]);
        expect([method, operation.requestBody === undefined]).not.toEqual(["delete", false]);
        expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
        for (const [status, response] of Object.entries(operation.responses)) {
          expect(status).toMatch(/^[1-5]\d\d$/);
          expect(response.description).not.toBe("");
        }
        for (const tag of operation.tags)
          expect(document.tags.map(({ name }) => name)).toContain(tag);
        for (const name of (operation.security ?? []).flatMap(Object.keys))
          expect(document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it("has no dangling reference", () => {
    const references = [...objects(document)].flatMap(([path, { $ref }]) =>
      typeof $ref === "string" ? [[path, $ref] as const] : [],
    );
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter(([, to]) => !/^#\/./.test(to) || at(to) === undefined)).toEqual([]);
  });

  it("has schemas of JSON Schema 2020-12 only", () => {
    const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
    for (const [path, object] of objects(document.components.schemas)) {
      if (
        path.split("/").at(-2) === "properties" ||
        path.endsWith("/properties") ||
        typeof object["type"] !== "string"
      )
        continue;
      expect(types).toContain(object["type"]);
      expect(object["required"] ?? []).toBeInstanceOf(Array);
      expect(object).not.toHaveProperty("nullable");
    }
  });

  it("states the limit of tags", () => {
    const { properties } = document.components.schemas["Kickoff"] as {
      readonly properties: Readonly<Record<string, object>>;
    };
    expect(properties["tags"]).toMatchObject({ type: "array", maxItems: 8 });
    const { parameters = [] } = document.paths["/runs"]?.["get"] ?? {};
    expect(parameters.find(({ name }) => name === "tag")?.schema).toMatchObject({
      anyOf: [{ pattern: expect.stringContaining("{0,2}") }, { maxItems: 3 }],
    });
  });

  it("has valid examples", () => {
    const examples = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ requestBody }) => requestBody?.content["application/json"] ?? [])
      .filter(({ example }) => example !== undefined);
    expect(examples.length).toBeGreaterThan(5);
    for (const { schema, example } of examples)
      expect(validateJsonSchema(whole(schema), example)).toEqual([]);
  });

  const commandsOf = (world: { readonly api: Api }, id: string): string => {
    const operation = world.api.operations.find((each) => each.id === id);
    return operation === undefined ? "" : new Examples(world.api).commands(operation, "http://x");
  };

  it("DX1: shows requests to the deployed definitions, with valid inputs, and replaces no definition", () => {
    const world = new HttpWorld({ crews: { briefing }, agents: {}, flows: { review } });
    const kickoff = commandsOf(world, "kickoffCrew");
    expect(kickoff).toMatch(/^curl -X POST http:\/\/x\/crews\/briefing\/kickoff/);
    expect(kickoff).toContain(`'{"inputs":{"topic":"a sample topic"}}'`);
    expect(commandsOf(world, "putCrew")).toMatch(/^curl -X PUT http:\/\/x\/crews\/my-crew/);
    expect(commandsOf(world, "deleteFlow")).not.toContain("/flows/review");
    expect(commandsOf(world, "forkRun")).toContain(`'{"fromTask":"research","inputs":`);
    expect(commandsOf(world, "kickoffAgent")).toMatch(/^# Needs an agent in the app's code\.\n/);
  });

  it("DX1: finds inputs of other types, and notes when it finds no valid ones", () => {
    const methods = { go: { start: true, run: () => null } } as const;
    const numbers = z.object({ pages: z.number().int(), tags: z.array(z.string()) });
    const counting = defineFlow({ name: "counting", state: numbers, methods });
    const world = new HttpWorld({ crews: {}, agents: {}, flows: { counting } });
    expect(commandsOf(world, "kickoffFlow")).toContain(`'{"inputs":{"pages":3,"tags":[]}}'`);
    const code = z.object({ code: z.string().regex(/^\d{7}$/) });
    const picky = defineFlow({ name: "picky", state: code, methods });
    const other = new HttpWorld({ crews: {}, agents: {}, flows: { picky } });
    expect(commandsOf(other, "kickoffFlow")).toMatch(/^# Needs inputs that the flow takes\.\n/);
  });

  it("DX2: shows the preparing requests above an example", () => {
    const world = new HttpWorld({ crews: {}, agents: {}, flows: {} });
    const shown = commandsOf(world, "getRun").split("\n");
    expect(
      shown.filter((line) => /^(#|curl)/.test(line)).map((line) => line.replace(" \\", "")),
    ).toEqual([
      "# First:",
      "curl -X PUT http://x/crews/my-crew",
      "curl -X POST http://x/crews/my-crew/kickoff",
      "# Then:",
      "curl http://x/runs/example-run",
    ]);
    expect(commandsOf(world, "resumeRun")).toMatch(/^# Needs a run that waits/);
  });

  it("DX2: reads the id at the start of an answer for the next request", () => {
    const world = new HttpWorld({ crews: {}, agents: {}, flows: {} });
    const shown = commandsOf(world, "deleteKey");
    expect(shown).toMatch(/^# First:\nID=\$\(curl -X POST http:\/\/x\/keys /);
    expect(shown).toContain("# Then:\ncurl -X DELETE http://x/keys/$ID ");
    const sed = /\| (sed '.*')\)$/m.exec(shown)?.[1] ?? "";
    const answer = JSON.stringify({ id: "k-1", tenant: "acme", inner: { id: "other" } });
    expect(
      execFileSync("sh", ["-c", `printf '%s' '${answer}' | ${sed}`], { encoding: "utf8" }).trim(),
    ).toBe("k-1");
  });

  it("is served, also as a page without outside resources", async () => {
    const world = new TriggerWorld(open);
    expect((await world.ask("/openapi.json")).json).toEqual(JSON.parse(JSON.stringify(document)));
    const { headers, text } = await world.ask("/docs");
    expect(headers.get("content-type")).toContain("text/html");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|<link|@import|url\(|src=/);
    for (const { id, summary } of all)
      expect(text).toContain(`<section id="${id}"><h3>${summary}</h3>`);
    expect(text).toContain("curl -X POST http://localhost/crews/briefing/kickoff");
    expect(text).toContain("curl -X POST http://localhost/agents/researcher/kickoff");
    expect(text).toContain("curl -X POST http://localhost/flows/review/kickoff");
    const named = new HttpWorld({ crews: { greeting }, agents: {}, flows: {} });
    const other = (await named.ask("/docs")).text;
    expect(other).toContain("curl -X POST http://localhost/crews/greeting/kickoff");
    expect(other).toContain("curl -X PUT http://localhost/crews/my-crew");
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(targets.filter((target) => !text.includes(`id="${target}"`))).toEqual([]);
  });
});

/** A schema of the document that can be checked on its own. */
function whole(schema: JsonObject): JsonObject {
  return { ...schema, components: document.components };
}

const TRAINING = {
  name: "greeting",
  agents: { Writer: { suggestions: ["Wave"], quality: 8.5, finalSummary: "better" } },
};
const STATE = {
  flowId: "t-1",
  flow: "review",
  method: "draft",
  state: { id: "t-1", topic: "tea" },
  runId: "run-4",
  key: "save:draft",
  createdAtMs: 0,
};
const EVALUATION = {
  runId: "run-9",
  crew: "greeting",
  evalModel: "judge",
  report: { ...testReport("judge", []) },
  createdAtMs: 0,
};

/** A task that no model does. */
const DOOMED = "Fail at once";
const asked = askingScript("Which?", ["tea", "coffee"]);

describe("real answers", () => {
  const world = new TriggerWorld({
    ...open,
    script: (request) =>
      JSON.stringify(request.messages).includes(DOOMED)
        ? { error: new EngineError("model_rejected", "no") }
        : asked(request),
    declarativeFlows: declarativeFlows(),
    flows: { review, talk: talkOf({ llm: scriptedModel(() => "hello") }) },
  });
  const definition = operations.find(({ id }) => id === "putCrew")?.example;
  const declaration = operations.find(({ id }) => id === "putFlow")?.example;
  const covered = new Set<string>();

  async function conforms(id: string, path: string, options: AskOptions = {}): Promise<void> {
    const answer = await world.ask(path, options);
    const operation = all.find((each) => each.id === id);
    const described =
      document.paths[operation?.path ?? ""]?.[operation?.method ?? ""]?.responses[
        String(answer.status)
      ];
    expect(described, `${id} answered ${answer.status}: ${answer.text}`).toBeDefined();
    const type = answer.headers.get("content-type")?.split(";")[0];
    const schema = described?.content?.[type ?? ""]?.schema;
    const isJson = type?.includes("json") ?? false;
    expect(isJson ? validateJsonSchema(whole(schema ?? {}), answer.json) : []).toEqual([]);
    if (answer.status < 300) covered.add(id);
  }

  it("are as described, for every operation", async () => {
    await conforms("health", "/healthz");
    await conforms("about", "/about");
    await conforms("openApi", "/openapi.json");
    await conforms("docs", "/docs");
    await conforms("putCrew", "/crews/drafts", { method: "PUT", json: definition });
    await conforms("putCrew", "/crews/drafts", { method: "PUT", json: definition });
    await conforms("putCrew", "/crews/drafts", { method: "PUT", json: { agents: 1 } });
    await conforms("putCrew", "/crews/drafts", {
      method: "PUT",
      json: definition,
      headers: { "if-match": '"7"' },
    });
    await conforms("checkCrew", "/crews/check", { method: "POST", json: definition });
    await conforms("checkCrew", "/crews/check", { method: "POST", json: { agents: 1 } });
    await conforms("listCrewVersions", "/crews/drafts/versions");
    await conforms("getCrewVersion", "/crews/drafts/versions/1");
    await conforms("restoreCrewVersion", "/crews/drafts/versions/1/restore", { method: "POST" });
    await conforms("listCrews", "/crews?limit=2");
    await conforms("getCrew", "/crews/drafts");
    await conforms("getCrew", "/crews/nobody");
    await conforms("kickoffCrew", "/crews/briefing/kickoff", {
      json: { id: "run-1", inputs: { topic: "tea" }, meta: { a: 1 } },
    });
    await conforms("kickoffCrew", "/crews/briefing/kickoff", { json: {} });
    await conforms("kickoffCrewForEach", "/crews/briefing/kickoff-for-each", {
      json: { id: "batch-1", inputs: [{ topic: "tea" }, { topic: "ink" }] },
    });
    await conforms("kickoffCrewForEach", "/crews/briefing/kickoff-for-each", {
      json: { inputs: [{}] },
    });
    await world.clock.settle();
    await conforms("getRun", "/runs/run-1");
    await conforms("listWaits", "/waits?limit=1");
    await conforms("resumeRun", "/runs/run-1/resume", { json: { value: "milk" } });
    await conforms("resumeRun", "/runs/run-1/resume", { json: { value: "tea" } });
    await conforms("pauseRun", "/runs/run-1/pause", { json: {} });
    await conforms("unpauseRun", "/runs/run-1/unpause", { json: {} });
    await world.clock.settle();
    await conforms("runJournal", "/runs/run-1/journal?values=1&limit=3");
    await conforms("runStep", "/runs/run-1/step?key=task:research");
    await conforms("runStep", "/runs/run-1/step?key=task:research&from=2&length=5");
    await conforms("runModelCalls", "/runs/run-1/calls?limit=1");
    await conforms("runModelCall", "/runs/run-1/call?key=task:research/turn:1/llm");
    await conforms("runModelCall", "/runs/run-1/call?key=nothing");
    await conforms("runWebhooks", "/runs/run-1/webhooks");
    await conforms("exportRun", "/runs/run-1/export");
    await conforms("exportRun", "/runs/nobody/export");
    await conforms("listRuns", "/runs?limit=1");
    await conforms("listRuns", "/runs?parent=batch-1");
    await conforms("getRun", "/runs/batch-1");
    await conforms("forkRun", "/runs/run-1/fork", { json: { fromTask: "research" } });
    await conforms("replayRun", "/runs/run-1/replay", {
      json: { fromTask: "research", id: "run-2" },
    });
    await conforms("retryRun", "/runs/run-1/retry", { json: {} });
    await conforms("putCrew", "/crews/doomed", {
      method: "PUT",
      json: {
        agents: { a: { role: "A", goal: "g", backstory: "b" } },
        tasks: [{ name: "t", description: DOOMED, expectedOutput: "-", agent: "a" }],
      },
    });
    await conforms("kickoffCrew", "/crews/doomed/kickoff", { json: { id: "failed-1" } });
    await world.clock.settle();
    await conforms("retryRun", "/runs/failed-1/retry", { json: {} });
    await conforms("cancelRun", "/runs/run-2/cancel", { json: { reason: "enough" } });
    await conforms("getRun", "/runs/run-2");
    await conforms("runCheckpoints", "/runs/run-1/checkpoints?values=1");
    const { json: checkpoints } = await world.ask("/runs/run-1/checkpoints");
    const last = encodeURIComponent(textOf(checkpoints["items"]?.[0]?.["id"]));
    await conforms("diffCheckpoints", `/runs/run-1/checkpoints/diff?from=${last}&to=${last}`);
    await conforms("deleteRun", "/runs/run-2", { method: "DELETE" });
    await conforms("pruneRuns", "/runs/prune", {
      json: { olderThan: "2020-01-01T00:00:00Z" },
    });
    await conforms("runEvents", "/runs/run-1/events");
    await conforms("trainCrew", "/crews/greeting/train", { json: { iterations: 1, id: "run-3" } });
    await conforms("trainCrew", "/crews/greeting/train", { json: { iterations: 0 } });
    await world.trained("default").put(TRAINING);
    await conforms("getRun", "/runs/run-3");
    await conforms("getTraining", "/trainings/greeting");
    await conforms("listTrainings", "/trainings?limit=1");
    await conforms("listTrainings", "/trainings?limit=0");
    await conforms("deleteTraining", "/trainings/greeting", { method: "DELETE" });
    await conforms("getTraining", "/trainings/greeting");
    await conforms("testCrew", "/crews/greeting/test", { json: { iterations: 1 } });
    await world.evaluations("default").put(EVALUATION);
    await conforms("listEvaluations", "/crews/greeting/evaluations?limit=1");
    await conforms("listEvaluations", "/crews/greeting/evaluations?cursor=x");
    const messages = [{ role: "user", content: "Hello" }];
    await conforms("chatWithCrew", "/crews/greeting/chat", { json: { messages } });
    await conforms("chatWithCrew", "/crews/greeting/chat", { json: { messages: [] } });
    await conforms("createKey", "/keys", { json: { tenant: "acme", scopes: ["read"], name: "n" } });
    await conforms("listKeys", "/keys");
    const { json } = await world.ask("/keys");
    await conforms("deleteKey", `/keys/${textOf(json["items"]?.[0]?.["id"])}`, {
      method: "DELETE",
    });
    await conforms("listAgents", "/agents");
    await conforms("getAgent", "/agents/writer");
    await conforms("kickoffAgent", "/agents/writer/kickoff", { json: { messages: "hi" } });
    await conforms("putFlow", "/flows/triage", { method: "PUT", json: declaration });
    await conforms("putFlow", "/flows/triage", { method: "PUT", json: declaration });
    await conforms("putFlow", "/flows/triage", { method: "PUT", json: { methods: 1 } });
    await conforms("checkFlow", "/flows/check", { method: "POST", json: declaration });
    await conforms("listFlowVersions", "/flows/triage/versions");
    await conforms("getFlowVersion", "/flows/triage/versions/1");
    await conforms("restoreFlowVersion", "/flows/triage/versions/1/restore", { method: "POST" });
    await conforms("putFlow", "/flows/review", { method: "PUT", json: declaration });
    await conforms("getFlow", "/flows/triage");
    await conforms("listFlows", "/flows");
    await conforms("listFlows", "/flows?limit=1");
    await conforms("listTools", "/tools");
    await conforms("listTools", "/tools?limit=1");
    await conforms("getTool", "/tools/ask");
    await conforms("getTool", "/tools/nobody");
    await conforms("deleteFlow", "/flows/triage", { method: "DELETE" });
    await conforms("deleteFlow", "/flows/triage", { method: "DELETE" });
    await conforms("getFlow", "/flows/review");
    await conforms("getFlow", "/flows/nobody");
    await conforms("plotFlow", "/flows/review/plot?format=json");
    await conforms("plotFlow", "/flows/review/plot?format=svg");
    await conforms("plotFlow", "/flows/review/plot");
    await conforms("plotFlow", "/flows/nobody/plot");
    await conforms("kickoffFlow", "/flows/review/kickoff", {
      json: { id: "run-4", inputs: { topic: "tea" } },
    });
    await conforms("kickoffFlow", "/flows/review/kickoff", { json: { inputs: { topic: 4 } } });
    await world.clock.settle();
    await conforms("getRun", "/runs/run-4");
    const turn = { message: "hi", sessionId: "s 1", intents: ["greet"] };
    await conforms("takeTurn", "/flows/talk/turns", { json: turn });
    await conforms("takeTurn", "/flows/talk/turns", { json: { message: "" } });
    await conforms("takeTurn", "/flows/talk/turns", { json: turn });
    await world.clock.settle();
    await conforms("takeTurn", "/flows/talk/turns", {
      json: { ...turn, id: "t-2" },
      headers: { prefer: "wait=5" },
    });
    await conforms("getFlow", "/flows/talk");
    await conforms("flowGraph", "/flows/talk/graph");
    await conforms("crewGraph", "/crews/briefing/graph?layout=0");
    await conforms("runGraph", "/runs/run-4/graph");
    await conforms("listFlowSessions", "/flows/talk/sessions");
    await conforms("listFlowSessions", "/flows/review/sessions");
    await conforms("getSession", "/flows/talk/sessions/s%201");
    await conforms("getSession", "/flows/talk/sessions/other");
    await conforms("deleteSession", "/flows/talk/sessions/s%201", { method: "DELETE" });
    await conforms("sendRunMessage", "/runs/run-4/messages", { json: { content: "short" } });
    await conforms("sendRunMessage", "/runs/run-4/messages", { json: { content: "" } });
    await conforms("listRunMessages", "/runs/run-4/messages");
    await conforms("withdrawRunMessage", "/runs/run-4/messages/m1", { method: "DELETE" });
    await conforms("withdrawRunMessage", "/runs/run-4/messages/m2", { method: "DELETE" });
    await conforms("sendEvent", "/runs/run-4/events/paid", { json: { payload: 1 } });
    await conforms("sendEvent", "/runs/run-4/events/paid%20twice", { json: {} });
    await conforms("kickoffFlow", "/flows/review/kickoff", {
      json: { inputs: { topic: "tea" }, restoreFromStateId: "t-1" },
    });
    await world.flowStates("default").saveState(STATE);
    await conforms("getFlowState", "/flows/review/states/t-1");
    await conforms("getFlowState", "/flows/review/states/t-2");
    await conforms("flowStateHistory", "/flows/review/states/t-1/history?limit=1");
    await conforms("flowStateHistory", "/flows/review/states/t-1/history?cursor=x");
    await conforms("deleteFlowStates", "/flows/review/states/t-1", { method: "DELETE" });
    await conforms("plotRun", "/runs/run-4/plot?format=json");
    await conforms("plotRun", "/runs/run-4/plot?format=mermaid");
    await conforms("plotRun", "/runs/run-1/plot");
    await conforms("reindex", "/admin/reindex", { json: { ids: ["run-1"] } });
    await conforms("compatInputs", "/compat/briefing/inputs");
    await conforms("compatInputs", "/compat/nobody/inputs");
    await conforms("compatKickoff", "/compat/briefing/kickoff", { json: { inputs: {} } });
    await conforms("compatKickoff", "/compat/briefing/kickoff", {
      json: { inputs: { topic: "tea" } },
      headers: { "idempotency-key": "theirs" },
    });
    await world.clock.settle();
    await conforms("compatStatus", "/compat/briefing/status/theirs");
    const answer = { execution_id: "theirs", task_id: "task:research", is_approve: true };
    await conforms("compatResume", "/compat/briefing/resume", { json: answer });
    await conforms("compatResume", "/compat/briefing/resume", {
      json: { ...answer, human_feedback: "tea" },
    });
    await world.clock.settle();
    await conforms("compatStatus", "/compat/briefing/status/theirs");
    await conforms("deleteCrew", "/crews/drafts", { method: "DELETE" });
    const examples = new Examples(api);
    const example = (id: string) => examples.body(operationOf(id));
    const schedule = example("createSchedule");
    await conforms("createSchedule", "/schedules", { json: schedule });
    await conforms("createSchedule", "/schedules", { json: schedule });
    await conforms("createSchedule", "/schedules", { json: { cron: "x" } });
    await conforms("listSchedules", "/schedules?limit=1");
    await conforms("runSchedule", "/schedules/example/run", { method: "POST" });
    await world.tickAt("2026-01-09T08:00:00Z");
    await conforms("getSchedule", "/schedules/example");
    const change = { method: "PATCH", json: example("changeSchedule") };
    await conforms("changeSchedule", "/schedules/example", change);
    await conforms("deleteSchedule", "/schedules/example", { method: "DELETE" });
    const webhook = { method: "PUT", json: example("putHook") };
    await conforms("putHook", "/hooks/issues", webhook);
    await conforms("putHook", "/hooks/issues", webhook);
    await conforms("listHooks", "/hooks");
    await conforms("getHook", "/hooks/issues");
    await conforms("testHook", "/hooks/issues/test", {
      method: "POST",
      json: { payload: { issue: { title: "It rains" } } },
    });
    await new Promise((resolve) => setTimeout(resolve, 20)); // noted after the answer
    await conforms("listDeliveries", "/hooks/issues/deliveries");
    const deliveries = (await world.ask("/hooks/issues/deliveries")).json["items"];
    const [{ id: deliveryId }] = deliveries as unknown as [{ id: string }];
    await conforms("getDelivery", `/hooks/issues/deliveries/${deliveryId}`);
    const secret = "a secret shared with GitHub";
    const sent = SIGN["github"]?.({ secret, body: '{"issue":{"title":"tea"}}', at: 0 });
    await conforms("deliverHook", "/hooks/issues", { method: "POST", ...sent });
    await conforms("deliverHook", "/hooks/issues", { method: "POST", ...sent, body: "{}" });
    await conforms("deliverHook", "/hooks/nobody", { method: "POST", ...sent });
    await conforms("deleteHook", "/hooks/issues", { method: "DELETE" });
    expect([...covered].toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  });

  it("of the event stream are as described", async () => {
    const { text } = await world.ask("/runs/run-1/events");
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = ""]) => JSON.parse(data) as unknown,
    );
    expect(events.length).toBeGreaterThan(3);
    for (const event of events)
      expect(validateJsonSchema(whole({ $ref: "#/components/schemas/Event" }), event)).toEqual([]);
  });

  it("have stable statuses", () => {
    expect(STATUS_BY_CODE).toMatchObject({
      invalid_input: 400,
      unauthorized: 401,
      forbidden: 403,
      not_found: 404,
      conflict: 409,
      payload_too_large: 413,
      internal: 500,
      unavailable: 503,
    });
  });
});
