import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import { briefing, greeting, HttpWorld, textOf } from "../../support/http-app.ts";

const agent = new Agent({ role: "Writer", goal: "Write", backstory: "You write short." });

/** A person reads the first task's answer. */
const reviewed = new Crew({
  name: "reviewed",
  tasks: [
    new Task({
      name: "draft",
      description: "Draft a page about {topic}",
      expectedOutput: "A page",
      agent,
      humanInput: true,
    }),
    new Task({ name: "final", description: "Polish it", expectedOutput: "A page", agent }),
  ],
});

const crews = { briefing, greeting, reviewed };

function lastWords({ messages }: ModelRequest): string {
  return JSON.stringify(messages.at(-1));
}

function worldOf(): HttpWorld {
  return new HttpWorld({
    crews,
    script: (request) => {
      if (lastWords(request).includes("too long")) return "Short draft";
      return JSON.stringify(request.messages).includes("Polish it") ? "Final page" : "Draft";
    },
    webhooks: { hasSecret: true },
  });
}

async function kickedOff(world: HttpWorld, body: object = {}): Promise<string> {
  const { status, json } = await world.ask("/compat/reviewed/kickoff", {
    json: { inputs: { topic: "tea" }, ...body },
  });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(["kickoff_id"]);
  await world.clock.settle();
  return textOf(json["kickoff_id"]);
}

async function statusOf(world: HttpWorld, id: string) {
  return (await world.ask(`/compat/reviewed/status/${id}`)).json;
}

async function resume(world: HttpWorld, id: string, more: object) {
  const json = { execution_id: id, task_id: "draft", human_feedback: "", ...more };
  return world.ask("/compat/reviewed/resume", { json });
}

describe("GET inputs", () => {
  it("lists the placeholders the crew needs", async () => {
    const { status, json } = await worldOf().ask("/compat/briefing/inputs");
    expect([status, json]).toEqual([200, { inputs: ["topic"] }]);
    expect((await worldOf().ask("/compat/greeting/inputs")).json).toEqual({ inputs: [] });
  });

  it("is 404 for an unknown crew", async () => {
    const { status, json, headers } = await worldOf().ask("/compat/nobody/inputs");
    expect([status, json]).toEqual([
      404,
      { error: "Not Found", code: "not_found", message: 'there is no crew "nobody"' },
    ]);
    expect(headers.get("content-type")).toBe("application/json");
  });
});

describe("POST kickoff", () => {
  it("takes either spelling, meta, and unknown fields", async () => {
    const world = worldOf();
    const { json } = await world.ask("/compat/reviewed/kickoff", {
      json: {
        inputs: { topic: "tea" },
        meta: { order: 7 },
        task_webhook_url: "https://example.com/tasks",
        stepWebhookUrl: null,
        crewWebhookUrl: "",
        trigger_source: "their frontend",
      },
    });
    const run = await world.ask(`/runs/${textOf(json["kickoff_id"])}`);
    expect(run.json).toMatchObject({ kind: "crew", name: "reviewed", meta: { order: 7 } });
  });

  it("is 422 with the names of missing inputs", async () => {
    const { status, json } = await worldOf().ask("/compat/briefing/kickoff", {
      json: { inputs: { other: 1 } },
    });
    expect([status, json]).toEqual([
      422,
      {
        error: "Missing Inputs",
        code: "missing_inputs",
        message: "the crew's texts need these inputs, got none: topic",
        details: { missing_inputs: ["topic"] },
      },
    ]);
  });

  it.each([
    ["no inputs", {}, /\/inputs/],
    ["inputs other than an object", { inputs: ["tea"] }, /\/inputs expected/],
    ["an invalid address", { inputs: { topic: "t" }, taskWebhookUrl: 7 }, /taskWebhookUrl/],
    [
      "a private address",
      { inputs: { topic: "t" }, crewWebhookUrl: "http://127.0.0.1/" },
      /\/crewWebhookUrl url must not be an address of a private network/,
    ],
  ])("is 400 for %s", async (_, json, message) => {
    const answer = await worldOf().ask("/compat/briefing/kickoff", { json });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json).toSorted()).toEqual(["code", "error", "message"]);
    expect(answer.json["message"]).toMatch(message);
  });

  it("is 400 for webhooks without a signing secret", async () => {
    const world = new HttpWorld({ crews, webhooks: { hasSecret: false } });
    const { status, json } = await world.ask("/compat/greeting/kickoff", {
      json: { inputs: {}, stepWebhookUrl: "https://example.com/" },
    });
    expect([status, json["message"]]).toEqual([
      400,
      expect.stringContaining("EDGECREW_WEBHOOK_SECRET"),
    ]);
  });

  it("answers the same kickoff_id to the same Idempotency-Key", async () => {
    const world = worldOf();
    const options = { json: { inputs: {} }, headers: { "idempotency-key": "order 7" } };
    const first = await world.ask("/compat/greeting/kickoff", options);
    expect((await world.ask("/compat/greeting/kickoff", options)).json).toEqual(first.json);
  });
});

describe("GET status", () => {
  it("shows a running execution, the task waiting for a person, and the end", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    expect(await statusOf(world, id)).toEqual({
      status: "running",
      state: "RUNNING",
      current_task: "draft",
      progress: { completed_tasks: 0, total_tasks: 2 },
      pending_human_input: {
        task_id: "draft",
        output: "Draft",
        prompt: expect.stringMatching(/^Draft\n/),
      },
    });
    await world.clock.advance(2500);
    await resume(world, id, { is_approve: true });
    await world.clock.settle();
    expect(await statusOf(world, id)).toEqual({
      status: "completed",
      state: "SUCCESS",
      result: {
        output: "Final page",
        tasks: [
          { task_id: "draft", output: "Draft", agent: "Writer", execution_time: 2.5 },
          { task_id: "final", output: "Final page", agent: "Writer", execution_time: 0 },
        ],
      },
      execution_time: 2.5,
    });
  });

  it("shows a cancelled or failed execution as an error", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    await world.clock.advance(1250);
    await world.ask(`/runs/${id}/cancel`, { json: { reason: "enough" } });
    expect(await statusOf(world, id)).toEqual({
      status: "error",
      state: "FAILED",
      error: "the run was cancelled: enough",
      execution_time: 1.25,
    });
  });

  it("is 404 for anything other than an execution of this crew", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    for (const path of [`briefing/status/${id}`, "reviewed/status/nobody", "reviewed/status/a b"]) {
      const { status, json } = await world.ask(`/compat/${path}`);
      expect([status, json["code"]]).toEqual([404, "not_found"]);
    }
  });
});

describe("POST resume", () => {
  it("continues with the approved output, and confirms it", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const { status, json } = await resume(world, id, { is_approve: true, human_feedback: "Nice" });
    expect([status, json["status"], typeof json["message"]]).toEqual([200, "resumed", "string"]);
    await world.clock.settle();
    const asked = world.model.calls.map((request) => JSON.stringify(request.messages));
    expect(asked.at(-1)).toContain("Nice");
  });

  it("has the task done again with the feedback", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const { json } = await resume(world, id, { is_approve: false, human_feedback: "too long" });
    expect(json["status"]).toBe("retrying");
    await world.clock.settle();
    expect((await statusOf(world, id))["pending_human_input"]).toMatchObject({
      task_id: "draft",
      output: "Short draft",
    });
  });

  it("reports the execution as completed after its last task", async () => {
    const last = new Crew({ name: "reviewed", tasks: reviewed.tasks.slice(0, 1) });
    const world = new HttpWorld({ crews: { reviewed: last }, script: () => "Draft" });
    const id = await kickedOff(world);
    const answer = resume(world, id, { is_approve: true });
    await world.clock.settle();
    expect((await answer).json["status"]).toBe("completed");
  });

  it("takes camelCase as well, and unused addresses", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const { status } = await world.ask("/compat/reviewed/resume", {
      json: {
        executionId: id,
        taskId: "draft",
        humanFeedback: "",
        isApprove: true,
        taskWebhookUrl: "https://example.com/",
      },
    });
    expect(status).toBe(200);
  });

  it("CA1: finds the task by its step key as well, which webhooks had once", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const { status } = await resume(world, id, { is_approve: true, task_id: "task:draft" });
    expect(status).toBe(200);
  });

  it("CA1: finds the waiting one of two tasks with one name", async () => {
    const plain = new Task({ name: "draft", description: "d", expectedOutput: "e", agent });
    const tasks = [plain, ...reviewed.tasks.slice(0, 1)];
    const twice = new Crew({ name: "reviewed", tasks });
    const world = new HttpWorld({ crews: { reviewed: twice }, script: () => "Draft" });
    const id = await kickedOff(world);
    const { pending_human_input: pending } = await statusOf(world, id);
    expect(pending).toMatchObject({ task_id: "task:draft~2" });
    expect((await resume(world, id, { is_approve: true, task_id: "draft" })).status).toBe(200);
  });

  it("is 404 for an unknown execution or task", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const nobody = await resume(world, "nobody", { is_approve: true });
    expect([nobody.status, nobody.json["code"]]).toEqual([404, "not_found"]);
    const noTask = await resume(world, id, { is_approve: true, task_id: "task:other" });
    expect([noTask.status, noTask.json["message"]]).toEqual([
      404,
      expect.stringContaining("its tasks: draft, final"),
    ]);
  });

  it("is 400 if the task does not wait for a person, or the body is incomplete", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const early = await resume(world, id, { is_approve: true, task_id: "final" });
    expect([early.status, early.json["code"]]).toEqual([400, "conflict"]);
    const without = await resume(world, id, {});
    expect([without.status, without.json["message"]]).toEqual([
      400,
      expect.stringMatching(/\/is_approve expected/),
    ]);
  });

  it("takes an answer once that comes again, and refuses another one", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    await resume(world, id, { is_approve: true });
    expect((await resume(world, id, { is_approve: true })).json["status"]).toBe("resumed");
    await world.clock.settle();
    const calls = world.model.calls.length;
    expect((await resume(world, id, { is_approve: true })).status).toBe(200);
    const other = await resume(world, id, { is_approve: false, human_feedback: "no" });
    expect([other.status, other.json["code"]]).toEqual([400, "conflict"]);
    expect(world.model.calls).toHaveLength(calls);
  });

  it("does not take feedback that comes again for an answer to the next question", async () => {
    const world = worldOf();
    const id = await kickedOff(world);
    const json = {
      execution_id: id,
      task_id: "draft",
      human_feedback: "too long",
      is_approve: false,
    };
    const said = (headers = {}) => world.ask("/compat/reviewed/resume", { json, headers });
    const [one, two] = [{ "idempotency-key": "1" }, { "idempotency-key": "2" }];
    expect((await said(one)).json["status"]).toBe("retrying");
    await world.clock.settle();
    const calls = world.model.calls.length;
    expect((await said(one)).json["status"]).toBe("retrying");
    expect(await said()).toMatchObject({ status: 400, json: { code: "conflict" } });
    await world.clock.settle();
    expect(world.model.calls).toHaveLength(calls);
    expect((await said(two)).json["status"]).toBe("retrying");
    await world.clock.settle();
    expect(world.model.calls.length).toBeGreaterThan(calls);
  });
});

it("answers every error as these clients know it", async () => {
  const world = new HttpWorld({ crews, auth: { mode: "keys", adminKey: "k" } });
  const locked = await world.ask("/compat/greeting/inputs");
  expect([locked.status, locked.json["code"]]).toEqual([401, "unauthorized"]);
  expect(locked.headers.get("www-authenticate")).toContain("Bearer");
  const nothing = await world.ask("/compat/greeting/other", { key: "k" });
  expect([nothing.status, nothing.json["code"]]).toEqual([404, "not_found"]);
  const text = await world.ask("/compat/greeting/kickoff", { body: "hello", key: "k" });
  expect([text.status, text.json["code"]]).toEqual([415, "invalid_input"]);
  const outside = await world.ask("/compatible", { key: "k" });
  expect(outside.headers.get("content-type")).toBe("application/problem+json");
});
