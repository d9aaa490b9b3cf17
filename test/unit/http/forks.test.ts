import { expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { askingScript, HttpWorld, textOf, type JsonAnswer } from "../../support/http-app.ts";

const YAML = (goal: string): string => `agents:
  one: { role: One, goal: ${goal}, backstory: b }
  two: { role: Two, goal: ${goal}, backstory: b }
tasks:
  first: { description: Do one, expected_output: it, agent: one }
  second: { description: Do two, expected_output: it, agent: two }
`;

const wordsOf = ({ messages }: Pick<ModelRequest, "messages">): string =>
  messages.map(({ content }) => textOfContent(content ?? "")).join("\n");

/** A world with the stored crew `pair`, of which one run has ended. */
async function storedWorld(): Promise<{ readonly world: HttpWorld; readonly id: string }> {
  const world = new HttpWorld({ script: () => "A fine answer" });
  await store(world, "find tea");
  return { world, id: await started(world, "/crews/pair/kickoff", {}) };
}

async function store(world: HttpWorld, goal: string): Promise<void> {
  const headers = { "content-type": "application/yaml" };
  const { status } = await world.ask("/crews/pair", { method: "PUT", body: YAML(goal), headers });
  expect(status).toBeLessThan(300);
}

async function started(world: HttpWorld, path: string, json: object): Promise<string> {
  const { status, json: answer } = await world.ask(path, { json });
  expect([status, answer]).toEqual([202, expect.anything()]);
  await world.clock.settle();
  return textOf(answer["id"]);
}

const runOf = async (world: HttpWorld, id: string): Promise<JsonAnswer> =>
  (await world.ask(`/runs/${id}`)).json;

it("a fork runs the present definition, and takes over earlier results (CA20)", async () => {
  const { world, id } = await storedWorld();
  await store(world, "find coffee");
  const calls = world.model.calls.length;
  const fork = await started(world, `/runs/${id}/fork`, {
    fromTask: "second",
    definition: "present",
  });
  expect(await runOf(world, fork)).toMatchObject({
    status: "completed",
    origin: { runId: id, before: "task:second", definition: "present" },
  });
  const [call, more] = world.model.calls.slice(calls);
  expect(more).toBeUndefined();
  expect(call && wordsOf(call.request)).toContain("find coffee");
  const same = await started(world, `/runs/${id}/fork`, { fromTask: "second", definition: "same" });
  expect((await runOf(world, same))["origin"]).not.toHaveProperty("definition");
  const last = world.model.calls.at(-1);
  expect(last && wordsOf(last.request)).toContain("find tea");
});

it("an unknown version, or the present definition of code, is 404 (CA20, BI10)", async () => {
  const { world, id } = await storedWorld();
  const ask = (run: string, definition: unknown) =>
    world.ask(`/runs/${run}/fork`, { json: { fromStart: true, definition } });
  expect((await ask(id, 99)).json).toMatchObject({
    status: 404,
    detail: expect.stringContaining("version 99"),
  });
  expect((await ask(id, "newest")).status).toBe(400);
  const code = await started(world, "/crews/greeting/kickoff", {});
  expect((await ask(code, "present")).status).toBe(404);
  expect((await ask(code, "same")).status).toBe(202);
});

it("another model replaces the model of every later agent call, in forks and kickoffs (CA20)", async () => {
  const named = scriptedModel(() => "From the other model");
  const own = scriptedModel(() => "From its own");
  const world = new HttpWorld({
    runModels: (spec) => (spec === "openai/other" ? named : own),
  });
  const inputs = { topic: "tea" };
  const id = await started(world, "/crews/briefing/kickoff", { inputs });
  expect([own.calls.length, named.calls.length]).toEqual([2, 0]);
  const fork = await started(world, `/runs/${id}/fork`, {
    fromTask: "report",
    llm: "openai/other",
  });
  expect([own.calls.length, named.calls.length]).toEqual([2, 1]);
  await started(world, `/runs/${fork}/fork`, { fromStart: true });
  expect([own.calls.length, named.calls.length]).toEqual([2, 3]); // a fork of it goes on with the model
  await started(world, "/crews/briefing/kickoff", { inputs, llm: "openai/other" });
  await started(world, "/agents/writer/kickoff", { messages: "Hi", llm: "openai/other" });
  await started(world, "/crews/briefing/kickoff-for-each", {
    inputs: [inputs],
    llm: "openai/other",
  });
  await world.clock.advance(60_000);
  expect([own.calls.length, named.calls.length]).toEqual([2, 8]);
});

it("agents follow the training named at the start, also when forked midway", async () => {
  const agent = new Agent({ role: "Writer", goal: "Write", backstory: "b" });
  const common = { description: "Write", expectedOutput: "A text", agent };
  const crew = new Crew({
    name: "pair",
    tasks: [new Task({ name: "a", ...common }), new Task({ name: "b", ...common })],
  });
  const world = new HttpWorld({ crews: { pair: crew } });
  const lessons = { suggestions: ["Be brief."], quality: 9, finalSummary: "" };
  await world.trained("default").put({ name: "brief", agents: { Writer: lessons } });
  const id = await started(world, "/crews/pair/kickoff", {});
  const last = (): string => wordsOf(world.model.calls.at(-1)?.request ?? { messages: [] });
  expect(last()).not.toContain("Be brief.");
  const fork = await started(world, `/runs/${id}/fork`, { fromTask: "b", trained: "brief" });
  expect((await runOf(world, fork))["status"]).toBe("completed");
  expect(world.model.calls).toHaveLength(3);
  expect(last()).toContain("Be brief.");
  await started(world, "/crews/pair/kickoff", { trained: "brief" });
  expect(last()).toContain("Be brief.");
});

it("a person's answer is edited, and the rest is done with it (CA19)", async () => {
  const world = new HttpWorld({ script: askingScript() });
  const id = await started(world, "/crews/briefing/kickoff", { inputs: { topic: "tea" } });
  const { json } = await world.ask(`/runs/${id}`);
  const key = textOf(json["waits"]?.[0]?.["key"]);
  const waiting = { edit: { key, value: "no" } };
  expect((await world.ask(`/runs/${id}/fork`, { json: waiting })).status).toBe(409);
  await world.ask(`/runs/${id}/resume`, { json: { feedback: "yes" } });
  await world.clock.settle();
  const fork = await started(world, `/runs/${id}/fork`, { edit: { key, value: "no" }, id: "f-1" });
  const { json: journal } = await world.ask(`/runs/${fork}/journal?values=1`);
  const rows = journal["items"] as unknown as readonly JsonAnswer[];
  expect(rows.find((row) => textOf(row["key"]) === key)).toMatchObject({
    edited: true,
    value: { feedback: "no" },
  });
  expect((await runOf(world, fork))["origin"]).toMatchObject({ runId: id, edited: key });
  const again = { ...waiting, id: "f-1" };
  expect((await world.ask(`/runs/${id}/fork`, { json: again })).status).toBe(202);
  const other = { fromStart: true, id: "f-1" };
  expect((await world.ask(`/runs/${id}/fork`, { json: other })).status).toBe(409);
});

it.each([
  [{ edit: { key: "task:greet/turn:1/llm", value: { text: "x" } }, fromStep: "task:greet" }, ""],
  [{ edit: { key: "task:greet/turn:1/llm" } }, "/edit/value"],
  [{ edit: { key: "task:greet", value: "x" } }, "/edit/key"],
  [{ edit: { key: "task:greet/turn:1/llm", value: { text: 1 } } }, "/edit/value/text"],
  [{ fromStart: false }, "/fromStart"],
  [{ fromStart: true, llm: "nope" }, "/llm"],
  [{ fromStart: true, llm: "nobody/nope" }, "/llm"],
  [{ fromStart: true, trained: "nope" }, "/trained"],
  [{ fromStart: true, definition: 0 }, "/definition"],
])("a fork with %j is 400 at %j (BI10)", async (json, path) => {
  const world = new HttpWorld();
  const id = await started(world, "/crews/greeting/kickoff", {});
  const { status, json: problem } = await world.ask(`/runs/${id}/fork`, { json });
  expect(status).toBe(400);
  expect(problem["errors"]).toContainEqual(expect.objectContaining({ path }));
});

it.each(["/crews/greeting/kickoff", "/flows/review/kickoff"])(
  "a kickoff with an unknown model is 400: %s",
  async (path) => {
    const world = new HttpWorld();
    const { status, json } = await world.ask(path, { json: { llm: "nope" } });
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/llm"]);
  },
);

it("ID1: an id used with another model is a conflict", async () => {
  const world = new HttpWorld();
  const kickoff = (llm?: string) =>
    world.ask("/crews/greeting/kickoff", { json: { id: "one", ...(llm && { llm }) } });
  expect((await kickoff("openai/other")).status).toBe(202);
  expect((await kickoff("openai/other")).status).toBe(202);
  expect((await kickoff("openai/third")).status).toBe(409);
  expect((await kickoff()).status).toBe(409);
  expect((await world.ask("/runs/one")).json).toMatchObject({ llm: "openai/other" });
});
