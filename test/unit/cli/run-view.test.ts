import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/client/index.ts";
import {
  emptyView,
  foldEvent,
  noticed,
  withTasks,
  type RunView,
} from "../../../src/cli/run-view.ts";
import { eventMaker } from "../../support/view-events.ts";

const folded = (events: readonly RunEvent[], from = emptyView("r1", "briefing")): RunView =>
  events.reduce(foldEvent, from);

describe("a run folded from its events", () => {
  it("RNV1: is the same from the same events, and does not mutate its input", () => {
    const make = eventMaker();
    const events = [
      make("run_started", "", { kind: "crew", name: "briefing", inputs: {} }),
      make("task_started", "task:a", {
        taskId: "task:a",
        taskName: "a",
        agentRole: "A",
        context: "",
      }),
      make("wait_opened", "task:a/ask", { key: "task:a/ask", kind: "human" }),
      make("wait_settled", "task:a/ask", { key: "task:a/ask" }),
      make("task_completed", "task:a", { taskName: "a", agentRole: "A", output: "x" }),
      make("run_completed", "", { output: "x" }),
    ];
    const steps = events.map((_, index) => JSON.stringify(folded(events.slice(0, index + 1))));
    const seen: string[] = [];
    let view = emptyView("r1", "briefing");
    for (const event of events) {
      const before = JSON.stringify(view);
      const after = foldEvent(view, event);
      expect(JSON.stringify(view)).toBe(before);
      seen.push(JSON.stringify(after));
      view = after;
    }
    expect(seen).toEqual(steps);
    expect(view).toMatchObject({ status: "completed", rows: [{ state: "done", times: 1 }] });
  });

  it("RNV2: counts tokens and tools for the innermost row, and not for a namesake", () => {
    const make = eventMaker();
    const view = folded([
      make("method_execution_started", "method:ask", {
        flowName: "f",
        methodName: "ask",
        state: {},
      }),
      // The other one has not begun: nothing of it is counted for its namesake.
      make("tool_usage_finished", "method:asking/tool:look#0", { toolName: "look" }),
      make("method_execution_started", "method:asking", {
        flowName: "f",
        methodName: "asking",
        state: {},
      }),
      make("task_started", "method:ask/task:a", {
        taskId: "x",
        taskName: "a",
        agentRole: "A",
        context: "",
      }),
      ...["method:ask/task:a/turn:1/llm", "method:asking/llm", "elsewhere/llm"].map((path) =>
        make("llm_call_completed", path, { usage: { totalTokens: 10, costUsd: 0.5 } }),
      ),
      make("tool_usage_finished", "method:ask/task:a/turn:1/tool:look#0", { toolName: "look" }),
      make("tool_usage_finished", "method:ask/task:a/turn:2/tool:look#0", { toolName: "look" }),
    ]);
    expect(view.rows.map(({ name, tokens, tools }) => [name, tokens, tools])).toEqual([
      ["ask", 0, {}],
      ["asking", 10, {}],
      ["a", 10, { look: 2 }],
    ]);
    expect([view.tokens, view.costUsd]).toEqual([30, 1.5]);
  });

  it("RNV3: is waiting while a question is open; timers and child runs are not questions", () => {
    const make = eventMaker();
    const started = folded([
      make("task_started", "task:a", { taskId: "x", taskName: "a", agentRole: "A", context: "" }),
      make("wait_opened", "task:a/sleep", { key: "task:a/sleep", kind: "timer" }),
      make("wait_opened", "task:a/part", { key: "task:a/part", kind: "child", childRunId: "c1" }),
    ]);
    expect(started.rows[0]?.state).toBe("running");
    expect(started.children).toEqual([{ key: "task:a/part", runId: "c1", state: "running" }]);
    const states: unknown[] = [];
    let view = started;
    for (const event of [
      make("wait_opened", "task:a/one", { key: "task:a/one", kind: "human" }),
      make("wait_opened", "task:a/two", { key: "task:a/two", kind: "input" }),
      make("wait_settled", "task:a/one", { key: "task:a/one" }),
      make("wait_settled", "task:a/part", { key: "task:a/part" }),
      make("wait_settled", "task:a/two", { key: "task:a/two" }),
    ]) {
      view = foldEvent(view, event);
      states.push(view.rows[0]?.state);
    }
    expect(states).toEqual(["person", "person", "person", "person", "running"]);
    expect(view.children[0]?.state).toBe("done");
  });

  it("RNV4: a method called again is one row, running again", () => {
    const make = eventMaker();
    const named = { flowName: "f", methodName: "measure", state: {} };
    const view = folded([
      make("method_execution_started", "method:measure", named),
      make("method_execution_finished", "method:measure", { ...named, result: 1 }),
      make("method_execution_started", "method:measure~2", named),
      make("llm_call_completed", "method:measure~2/llm", { usage: { totalTokens: 7, costUsd: 0 } }),
    ]);
    expect(view.rows).toMatchObject([{ name: "measure", times: 2, state: "running", tokens: 7 }]);
    expect(view.rows[0]).not.toHaveProperty("endedAtMs");
  });

  it("RNV4: shows retries and restarts on the row and as notices, until it continues", () => {
    const make = eventMaker();
    const key = "task:a/turn:1/llm";
    const error = { code: "model_failed", message: "busy", retryable: true };
    const view = folded([
      make("task_started", "task:a", { taskId: "x", taskName: "a", agentRole: "A", context: "" }),
      make("step_retrying", key, { key, attempt: 1, delayMs: 1_500, error }),
    ]);
    expect(view.rows[0]?.state).toBe("again");
    expect(view.notices).toEqual([`${key}: attempt 2 in 1.5 s, after: busy`]);
    const restarted = foldEvent(view, make("step_restarted", key, { key, attempt: 2 }));
    expect(restarted.notices.at(-1)).toBe(`${key}: begun again after a crash`);
    const on = foldEvent(restarted, make("llm_call_started", key, {}));
    expect(on.rows[0]?.state).toBe("running");
  });

  it("keeps the newest notices, and counts all", () => {
    let view = emptyView("r1", "x");
    for (let index = 0; index < 60; index++) view = noticed(view, `n${index}`);
    expect([view.notices.length, view.notices.at(-1), view.noticed]).toEqual([50, "n59", 60]);
  });

  it("has rows for future tasks, which start in place", () => {
    const make = eventMaker();
    const tasks = ["a", "b"].map((name) => ({
      key: `task:${name}`,
      name,
      agent: "A",
      status: "pending" as const,
    }));
    const view = folded(
      [make("task_started", "task:b", { taskId: "x", taskName: "b", agentRole: "B", context: "" })],
      withTasks(emptyView("r1", "x"), tasks),
    );
    expect(view.rows.map(({ name, state, times }) => [name, state, times])).toEqual([
      ["a", "waiting", 0],
      ["b", "running", 1],
    ]);
    expect(withTasks(view, tasks).rows).toHaveLength(2);
  });
});
