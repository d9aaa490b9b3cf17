import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../../src/events/run-event.ts";
import { NO_USAGE } from "../../../../src/base/usage.ts";
import { answerTo, crewaiBody, statusOf } from "../../../../src/protocols/crewai/codec.ts";
import type { Run, Wait } from "../../../../src/runtime/run.ts";

const RUN: Run = {
  id: "run-1",
  kind: "crew",
  name: "desk",
  status: "completed",
  inputs: {},
  output: {
    raw: "all done",
    tasks: [
      { name: "same", raw: "one", agent: "A" },
      { name: "same", raw: "two", agent: "B" },
    ],
  },
  usage: NO_USAGE,
  waits: [],
  tasks: [
    {
      key: "task:same",
      name: "same",
      agent: "A",
      status: "completed",
      startedAt: "2026-01-01T00:00:00.000Z",
      finishedAt: "2026-01-01T00:00:01.250Z",
    },
    { key: "task:same~2", name: "same", agent: "B", status: "completed" },
  ],
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:02.000Z",
};

type Given = { readonly run?: Run; readonly [field: string]: unknown };

function bodyOf(type: RunEvent["type"], path: string, { run = RUN, ...payload }: Given) {
  const event = { seq: 3, id: "e", type, at: RUN.createdAt, runId: "run-1", path, ...payload };
  return crewaiBody({
    id: "run-1:3:0",
    target: { url: "https://example.com/", format: "crewai" },
    event: event as unknown as RunEvent,
    meta: { order: 7 },
    run: () => run,
  });
}

describe("webhook bodies", () => {
  const common = { kickoff_id: "run-1", seq: 3, meta: { order: 7 } };

  it("report a task's output, and not those of crews inside it", () => {
    const payload = { taskName: "same", agentRole: "A", output: "one" };
    expect(bodyOf("task_completed", "task:same", payload)).toEqual({
      ...common,
      task_id: "task:same",
      output: "one",
      agent: "A",
    });
    expect(bodyOf("task_completed", "task:same/turn:1/tool:crew#0/task:in", payload)).toBe(
      undefined,
    );
  });

  it("have an answer under review", () => {
    const payload = { agentRole: "A", message: "?", output: "draft", requestId: "r" };
    expect(bodyOf("human_feedback_requested", "task:same/human:1", payload)).toEqual({
      ...common,
      task_id: "task:same",
      output: "draft",
      agent: "A",
      pending_human_input: true,
    });
  });

  it("report an agent's steps: calls of tools, their failures, and answers", () => {
    const call = { toolName: "search", toolArgs: { query: "tea" }, agentRole: "A" };
    const step = { ...common, task_id: "task:same", agent: "A" };
    const used = { ...step, tool: "search", input: { query: "tea" } };
    const path = "task:same/turn:1/tool:search#0";
    expect(bodyOf("tool_usage_finished", path, { ...call, output: "found" })).toEqual({
      ...used,
      result: "found",
    });
    expect(bodyOf("tool_usage_error", path, { ...call, error: "broken" })).toEqual({
      ...used,
      result: "broken",
    });
    expect(
      bodyOf("agent_execution_completed", "task:same", { agentRole: "A", output: "one" }),
    ).toEqual({ ...step, result: "one" });
  });

  it("report the end, as the status does", () => {
    expect(bodyOf("run_completed", "", { output: null })).toEqual({
      ...common,
      status: "completed",
      result: {
        output: "all done",
        tasks: [
          { task_id: "task:same", output: "one", agent: "A", execution_time: 1.25 },
          { task_id: "task:same~2", output: "two", agent: "B", execution_time: 0 },
        ],
      },
      execution_time: 2,
    });
    const failed: Run = {
      ...RUN,
      status: "failed",
      error: { code: "model_failed", message: "broken", retryable: false },
    };
    expect(bodyOf("run_failed", "", { run: failed })).toEqual({
      ...common,
      status: "error",
      error: "broken",
      execution_time: 2,
    });
  });
});

describe("a status", () => {
  it("names the running task, else the next one, else null", () => {
    const at = (first: "running" | "completed", second: "pending" | "completed") => {
      const [one, two] = RUN.tasks ?? [];
      const tasks = [
        { ...one!, name: "first", status: first },
        { ...two!, name: "second", status: second },
      ];
      return statusOf({ ...RUN, status: "running", tasks });
    };
    expect(at("running", "pending")).toMatchObject({ current_task: "first" });
    expect(at("completed", "pending")).toMatchObject({
      current_task: "second",
      progress: { completed_tasks: 1, total_tasks: 2 },
    });
    expect(at("completed", "completed")).toMatchObject({ current_task: null });
  });

  it("stands without the definition, which may be gone", () => {
    const { tasks: _, ...run } = RUN;
    expect(statusOf({ ...run, status: "queued" })).toEqual({
      status: "running",
      state: "RUNNING",
      current_task: null,
      progress: { completed_tasks: 0, total_tasks: 0 },
    });
    expect(statusOf(run)).toMatchObject({
      result: { tasks: [{ task_id: "same" }, { task_id: "same" }] },
    });
  });
});

describe("a person's answer", () => {
  const given = { humanFeedback: '{"a":1}', isApprove: false };
  const wait: Wait = { key: "task:same/human:1", kind: "human" };

  it("fits its wait", () => {
    expect(answerTo(wait, given)).toEqual({
      key: wait.key,
      feedback: '{"a":1}',
      approve: false,
    });
    expect(answerTo({ ...wait, choices: ["a"] }, given)).toEqual({
      key: wait.key,
      value: '{"a":1}',
    });
    expect(answerTo({ ...wait, schema: {} }, given)).toEqual({ key: wait.key, value: { a: 1 } });
    expect(answerTo({ ...wait, schema: {} }, { ...given, humanFeedback: "plain" })).toEqual({
      key: wait.key,
      value: "plain",
    });
  });
});
