// What else can be done with a crew over HTTP: training, tests, chat.
import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { briefing, greeting, HttpWorld, textOf } from "../../support/http-app.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";

const LESSON = { suggestions: ["Name sources"], quality: 8, finalSummary: "better" };

/** One model for everything: tasks, lessons, scores, chats. */
const script: Script = ({ messages, tools }) => {
  const [system] = messages;
  const says = (text: string): boolean => system?.content.includes(text) ?? false;
  if (says("You look at how somebody learned")) return JSON.stringify(LESSON);
  if (says("You score the results")) return '{"quality":7}';
  if (says("You describe what software does"))
    return '{"crew":"Writes briefings","inputs":{"topic":"What it is about"}}';
  if (!says("You talk with a person")) return `answer ${messages.length}`;
  const last = messages.at(-1);
  if (last?.role === "tool") return `Here: ${last.content}`;
  return { toolCalls: [{ name: tools?.[0]?.name ?? "", arguments: { topic: "tea" } }] };
};

const inputs = { topic: "tea" };

function world(): HttpWorld {
  return new HttpWorld({ script });
}

describe("POST /crews/:name/train", () => {
  it("starts a run that waits for feedback, and stores the lessons", async () => {
    const http = world();
    const { status, headers, json } = await http.ask("/crews/briefing/train", {
      json: { iterations: 1, name: "evening", inputs, id: "run-1" },
    });
    expect([status, headers.get("location"), json["id"]]).toEqual([202, "/runs/run-1", "run-1"]);
    for (const task of ["research", "report"]) {
      await http.clock.settle();
      expect((await http.ask("/runs/run-1")).json).toMatchObject({
        status: "waiting",
        waits: [{ key: `iteration:1/task:${task}/human:1`, kind: "human" }],
      });
      const key = `iteration:1/task:${task}/human:1`;
      await http.ask("/runs/run-1/resume", { json: { key, feedback: "shorter" } });
    }
    await http.clock.settle();
    const training = { name: "evening", agents: { Researcher: LESSON, Writer: LESSON } };
    expect((await http.ask("/runs/run-1")).json).toMatchObject({
      kind: "crew",
      name: "briefing",
      status: "completed",
      entry: { action: "train", iterations: 1, name: "evening" },
      output: training,
    });
    expect((await http.ask("/trainings/evening")).json).toEqual(training);
    expect((await http.ask("/trainings/evening", { method: "DELETE" })).status).toBe(204);
    for (const method of ["GET", "DELETE"])
      expect((await http.ask("/trainings/evening", { method })).json).toMatchObject({
        status: 404,
        detail: 'no training is stored under the name "evening"',
      });
  });

  it("is a tenant's own", async () => {
    const http = world();
    await http.trained("acme").put({ name: "evening", agents: {} });
    expect((await http.ask("/trainings/evening")).status).toBe(404);
    expect((await http.ask("/trainings")).json).toEqual({ items: [] });
  });

  it("is listed by name, page by page (DV7)", async () => {
    const http = world();
    const agents = { Poet: { suggestions: ["s"], quality: 7, finalSummary: "f" } };
    for (const name of ["b", "a"]) await http.trained("default").put({ name, agents });
    const { json } = await http.ask("/trainings?limit=1");
    expect(json["items"]).toEqual([
      { name: "a", quality: { Poet: 7 }, updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    const next = await http.ask(`/trainings?limit=1&cursor=${textOf(json["nextCursor"])}`);
    expect(next.json["items"]).toEqual([expect.objectContaining({ name: "b" })]);
    expect(next.json["nextCursor"]).toBeUndefined();
  });

  it("is stored under the crew's name by default, and used by crews with `trained`", async () => {
    const agent = new Agent({ role: "Writer", goal: "Write", backstory: "You write." });
    const tasks = [new Task({ name: "a", description: "Do", expectedOutput: "It", agent })];
    const crews = { found: new Crew({ name: "Own", trained: true, tasks }) };
    const http = new HttpWorld({ script, crews });
    await http.ask("/crews/found/train", { json: { iterations: 1, id: "run-1" } });
    await http.clock.settle();
    await http.ask("/runs/run-1/resume", { json: { feedback: "more" } });
    await http.clock.settle();
    expect((await http.ask("/trainings/Own")).json["agents"]).toEqual({ Writer: LESSON });
    await http.kickoff("found");
    expect(http.model.calls.at(-1)?.request.messages.at(-1)?.content).toMatch(/- Name sources$/);
  });

  it.each([
    [{}, "/iterations"],
    [{ iterations: 0 }, "/iterations"],
    [{ iterations: 101 }, "/iterations"],
    [{ iterations: 1, name: "" }, "/name"],
    [{ iterations: 1, how: 1 }, "/how"],
    [{ iterations: 1 }, "/inputs/topic"],
  ])("refuses %j", async (body, path) => {
    const { status, json } = await world().ask("/crews/briefing/train", { json: body });
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, path]);
  });
});

describe("POST /crews/:name/test", () => {
  it("answers the report when it is waited for, and lists it", async () => {
    const http = world();
    const crews = [1, 2, 3];
    for (const n of crews) {
      const asked = http.ask("/crews/briefing/test", {
        json: { iterations: 2, inputs, eval_model: "any", id: `run-${n}` },
        headers: { prefer: "wait=30" },
      });
      await http.clock.settle();
      const { status, json } = await asked;
      expect(status).toBe(200);
      expect(json["output"]).toMatchObject({ crew: { scores: [7, 7], average: 7 } });
      await http.clock.advance(1000);
    }
    const first = await http.ask("/crews/briefing/evaluations?limit=2");
    expect(first.json["items"]).toMatchObject([
      { runId: "run-3", report: { tasks: [{ name: "research" }, { name: "report" }] } },
      { runId: "run-2", createdAt: expect.stringMatching(/Z$/) },
    ]);
    const cursor = textOf(first.json["nextCursor"]);
    const second = await http.ask(`/crews/briefing/evaluations?limit=2&cursor=${cursor}`);
    expect(second.json).toMatchObject({ items: [{ runId: "run-1" }] });
    expect(second.json["nextCursor"]).toBeUndefined();
    expect((await http.ask("/crews/greeting/evaluations")).json).toEqual({ items: [] });
  });

  it("refuses a foreign cursor", async () => {
    const http = world();
    const { json } = await http.ask("/crews?limit=1");
    const { status } = await http.ask(
      `/crews/briefing/evaluations?cursor=${textOf(json["nextCursor"])}`,
    );
    expect(status).toBe(400);
  });
});

describe("POST /crews/:name/chat", () => {
  const messages = [{ role: "user", content: "A briefing on tea" }];

  it("answers the turn when it is waited for; the crew's run is part of it", async () => {
    const http = world();
    const asked = http.ask("/crews/briefing/chat", {
      json: { messages, id: "turn-1" },
      headers: { prefer: "wait=30" },
    });
    await http.clock.settle();
    const { status, json } = await asked;
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: "briefing",
      entry: { action: "chat", messages },
      output: { raw: "Here: answer 2", message: { role: "assistant", content: "Here: answer 2" } },
    });
  });

  it("streams when asked to", async () => {
    const http = world();
    const asked = http.ask("/crews/briefing/chat", {
      json: { messages },
      headers: { accept: "text/event-stream" },
    });
    await http.clock.settle();
    const { headers, text } = await asked;
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(text).toContain("event: crew_kickoff_completed");
    expect(text).toContain("event: run_completed");
  });

  it("is 404 for unknown crews", async () => {
    expect((await world().ask("/crews/nobody/chat", { json: { messages } })).status).toBe(404);
  });
});

describe("the client", () => {
  it("trains, tests and chats", async () => {
    const http = new HttpWorld({ script, crews: { greeting, briefing } });
    const client = new EdgecrewClient({
      baseUrl: "http://crews.test",
      fetch: (url, init) => Promise.resolve(http.app.request(url, init)),
      clock: http.clock,
    });
    const training = await client.crews.train("greeting", { iterations: 1, name: "n" });
    await http.clock.settle();
    await training.resume({ feedback: "more" });
    await http.clock.settle();
    expect(await training.output()).toEqual(await client.trainings.get("n"));
    await client.trainings.delete("n");
    await expect(client.trainings.get("n")).rejects.toMatchObject({ code: "not_found" });
    const test = await client.crews.test("greeting", { iterations: 1, evalModel: "any" });
    await http.clock.settle();
    expect((await client.crews.evaluations("greeting")).items).toMatchObject([
      { runId: test.id, report: await test.output() },
    ]);
    const turn = await client.crews.chat("briefing", [{ role: "user", content: "Tea" }]);
    await http.clock.settle();
    expect(await turn.output()).toMatchObject({ raw: "Here: answer 2" });
  });
});
