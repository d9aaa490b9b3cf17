import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { LiveEvent, RunEvent } from "../../../src/events/run-event.ts";
import { EventTracer } from "../../../src/events/traced-event.ts";
import { Fingerprint } from "../../../src/security/fingerprint.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, runCrewToEnd, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { RunWorld } from "../../support/run-world.ts";

const traced = (events: ReadonlyArray<RunEvent | LiveEvent>) => {
  const tracer = new EventTracer();
  return events.map((event) => tracer.trace(event));
};

describe("the events of a crew", () => {
  it("E1: nest as they happen, each end naming its start", async () => {
    const { agent } = scriptedAgent(["done"]);
    const { kept } = await runCrewToEnd(soloCrew(agent));
    const all = kept();
    expect(all.map(({ type, parentId, startedId }) => [type, parentId, startedId])).toEqual([
      ["run_started", undefined, undefined],
      ["crew_kickoff_started", "run_started", undefined],
      ["task_started", "crew_kickoff_started", undefined],
      ["agent_execution_started", "task:work:task_started", undefined],
      ["llm_call_started", "task:work:agent_execution_started", undefined],
      [
        "llm_call_completed",
        "task:work:agent_execution_started",
        "task:work/turn:1/llm:llm_call_started",
      ],
      ["agent_execution_completed", "task:work:task_started", "task:work:agent_execution_started"],
      ["task_completed", "crew_kickoff_started", "task:work:task_started"],
      ["crew_kickoff_completed", "run_started", "crew_kickoff_started"],
      ["run_completed", undefined, undefined],
    ]);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  });

  it("carry the task, the agent and the event before them", async () => {
    const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "x" });
    const { agent } = scriptedAgent([calling("look"), "done"], { tools: [look], role: "Scout" });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    const all = traced(kept());
    expect(all.map(({ previousEventId }) => previousEventId)).toEqual([
      undefined,
      ...all.slice(0, -1).map(({ id }) => id),
    ]);
    const inside = all.slice(2, -2);
    expect(inside.map(({ type }) => type)).toContain("tool_usage_finished");
    for (const event of inside)
      expect(event).toMatchObject({ taskId: "task:work", taskName: "work", agentRole: "Scout" });
    for (const event of [...all.slice(0, 2), ...all.slice(-2)]) {
      expect(event).not.toHaveProperty("taskId");
      expect(event).not.toHaveProperty("agentRole");
    }
  });

  it("carry the fingerprint of their crew, task or agent, if any", async () => {
    const { agent } = scriptedAgent(["done"], { securityConfig: "agent" });
    const crew = soloCrew(agent, { securityConfig: "task", crew: { securityConfig: "crew" } });
    const { kept } = await runCrewToEnd(crew);
    const of = (seed: string): string => Fingerprint.generate(seed).uuid;
    const byType = Object.fromEntries(
      traced(kept()).map(({ type, sourceFingerprint }) => [type, sourceFingerprint]),
    );
    expect(byType).toMatchObject({
      crew_kickoff_completed: of("crew"),
      task_completed: of("task"),
      llm_call_completed: of("agent"),
    });
    expect(byType["run_completed"]).toBeUndefined();
  });

  it("name their trigger in a flow", async () => {
    const world = new RunWorld(async (scope: RunScope) => {
      const first = scope
        .at("a")
        .emit("task_started", { taskId: "a", taskName: "a", agentRole: "x", context: "" });
      scope.at("b").open("run_resumed", {}, first).emit("run_paused", {});
      return null;
    });
    await world.begin();
    const [, first, second, inner] = world.store.events.read(0, 10);
    expect(second).toMatchObject({ path: "b", triggeredByEventId: first?.id });
    expect(inner).toMatchObject({ type: "run_paused", parentId: second?.id });
    expect(inner).not.toHaveProperty("triggeredByEventId");
  });

  it("token chunks carry the agent and the task, for a subscriber of the raw stream", async () => {
    const { agent } = scriptedAgent(["one two"], { role: "Scout", stream: true });
    const { heard } = await runCrewToEnd(soloCrew(agent));
    const chunks = heard.filter(({ type }) => type === "llm_stream_chunk");
    expect(chunks.length).toBeGreaterThan(0);
    for (const chunk of chunks)
      expect(chunk).toMatchObject({ agentRole: "Scout", taskName: "work" });
  });
});

it("TE1: relations do not depend on live events in between", async () => {
  const { agent } = scriptedAgent(["one two three"], { stream: true });
  const { heard, kept } = await runCrewToEnd(soloCrew(agent));
  expect(heard.length).toBeGreaterThan(kept().length);
  expect(traced(heard).filter((event) => "seq" in event)).toEqual(traced(kept()));
});

it("TE2: a stream traced from the middle loses only names of scopes opened before", async () => {
  const { kept } = await runCrewToEnd(soloCrew(scriptedAgent(["done"]).agent));
  const whole = traced(kept());
  const lost = new Set<string>();
  for (let from = 1; from < whole.length; from++) {
    const [first, ...rest] = traced(kept().slice(from));
    expect(whole[from]).toMatchObject(first ?? {});
    expect(whole.slice(from + 1)).toMatchObject(rest);
    rest.forEach((event, index) => {
      for (const key of Object.keys(whole[from + 1 + index] ?? {}))
        if (!(key in event)) lost.add(key);
    });
  }
  expect([...lost].toSorted()).toEqual(["taskId", "taskName"]);
});

it("TE1: name the innermost task, for any form of its key", async () => {
  const task = (name: string) => ({ taskName: name, agentRole: "x", context: "" });
  const world = new RunWorld(async (scope: RunScope) => {
    const outer = scope.at("first");
    const opened = outer.open("task_started", { taskId: outer.path, ...task("outer") });
    const inner = opened.at("task:not-one").at("second");
    const nested = inner.open("task_started", { taskId: inner.path, ...task("inner") });
    nested.at("deep").emit("run_resumed", {});
    inner.emit("task_completed", { taskName: "inner", agentRole: "x", output: "" });
    opened.at("after").emit("run_resumed", {});
    return null;
  });
  await world.begin();
  const events = traced(world.store.events.read(0, 10));
  expect(events.map(({ path, taskId }) => [path, taskId])).toEqual([
    ["", undefined],
    ["first", "first"],
    ["first/task:not-one/second", "first/task:not-one/second"],
    ["first/task:not-one/second/deep", "first/task:not-one/second"],
    ["first/task:not-one/second", "first/task:not-one/second"],
    ["first/after", "first"],
    ["", undefined],
  ]);
});
