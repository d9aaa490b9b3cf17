import { describe, expect, it } from "vitest";
import { defineFlow } from "../../../../src/flow/index.ts";
import {
  applyEvent,
  describeProgress,
  noProgress,
  PROGRESS_EVENTS,
  readProgress,
  type MethodProgress,
  type ProgressEvent,
  type RunProgress,
} from "../../../../src/flow/plot/run-progress.ts";

const flow = defineFlow({
  name: "f",
  methods: {
    a: { start: true, run: ({ sleep }) => sleep("x", 1500) },
    pick: {
      listen: "a",
      router: true,
      emit: ["again", "stop"],
      run: ({ feedback }) => (feedback.length > 0 ? "stop" : "again"),
    },
    ask: { listen: "again", humanFeedback: { message: "Sure?" }, run: () => 1 },
    inner: { listen: "stop", run: () => 2 },
  },
});

function idle(): RunProgress {
  return noProgress(flow.definition);
}

function progressAfter(
  ...events: ReadonlyArray<Omit<ProgressEvent, "at" | "path"> & { path?: string }>
): RunProgress {
  const progress = idle();
  for (const [index, event] of events.entries())
    applyEvent(progress, {
      seq: index + 1,
      at: new Date(index * 1000).toISOString(),
      path: "",
      ...event,
    });
  return progress;
}

const started = (execution: string) => ({
  type: "method_execution_started",
  path: `method:${execution}`,
});
const finished = (execution: string, result: unknown = 1) => ({
  type: "method_execution_finished",
  path: `method:${execution}`,
  result,
});

describe("RP1: progress", () => {
  it("counts executions, and sums the time of the ended ones", () => {
    const { methods } = progressAfter(
      started("a"),
      finished("a"),
      started("a~2"),
      finished("a~2"),
      started("a~3"),
    );
    expect(methods["a"]).toMatchObject({
      count: 3,
      durationMs: 2000,
      open: { "method:a~3": 4000 },
    });
  });

  it("counts the labels of routers, and no results of other methods", () => {
    const { methods } = progressAfter(
      finished("pick", "again"),
      finished("pick~2", "again"),
      finished("pick~3", true),
      finished("pick~4", null),
      finished("a", "text"),
    );
    expect(methods["pick"]?.labels).toEqual({ again: 2, true: 1 });
    expect(methods["a"]?.labels).toBeNull();
  });

  it("has open waits, and the error of the last ended execution", () => {
    const wait = { key: "method:ask/feedback", kind: "human", prompt: "Sure?" };
    const open = progressAfter(started("ask"), { type: "wait_opened", ...wait });
    expect(open.methods["ask"]?.waits).toEqual({
      "method:ask/feedback": { kind: "human", prompt: "Sure?" },
    });
    const over = progressAfter(
      started("ask"),
      { type: "wait_opened", ...wait },
      { type: "wait_settled", ...wait },
      { type: "method_execution_failed", path: "method:ask", error: "no" },
    );
    expect(over.methods["ask"]).toMatchObject({ waits: {}, error: "no" });
    expect(
      progressAfter(
        { type: "method_execution_failed", path: "method:a", error: "no" },
        started("a~2"),
        finished("a~2"),
      ).methods["a"]?.error,
    ).toBeNull();
  });

  it("counts a method taken over by a fork, which ends without a beginning", () => {
    expect(progressAfter(finished("a")).methods["a"]).toMatchObject({
      count: 1,
      durationMs: 0,
      open: {},
    });
  });

  it("applies an event once, and knows the run's status", () => {
    const progress = progressAfter(started("a"), { type: "run_waiting" });
    const at = "2026-01-01T00:00:00Z";
    applyEvent(progress, { seq: 1, at, ...started("a") });
    applyEvent(progress, { at, ...started("a") });
    expect(progress).toMatchObject({ seq: 2, status: "waiting", methods: { a: { count: 1 } } });
    expect(progressAfter({ type: "run_waiting" }, { type: "wait_settled" }).status).toBe("running");
    expect(progressAfter({ type: "run_failed" }).status).toBe("failed");
  });
});

it("RP2: nested flows and unknown methods do not count", () => {
  const events = [
    { ...started("a"), path: "method:a/flow:other/method:pick" },
    started("toString"),
    started("__proto__"),
    { type: "wait_opened", key: "task:x/wait", kind: "human" },
  ];
  expect(progressAfter(...events).methods).toEqual(idle().methods);
});

describe("described progress", () => {
  const method = (more: Partial<MethodProgress>): MethodProgress => ({
    count: 1,
    durationMs: 0,
    open: {},
    waits: {},
    labels: null,
    error: null,
    ...more,
  });
  const open = { "method:a": 0 };
  const wait = (kind: string) => ({ open, waits: { k: { kind, prompt: "" } } });

  it.each([
    ["idle", "not yet", method({ count: 0 }), "running"],
    ["idle", "not run", method({ count: 0 }), "completed"],
    ["running", "running", method({ open }), "running"],
    ["stopped", "stopped", method({ open }), "cancelled"],
    ["waiting", "waiting", method(wait("human")), "waiting"],
    ["waiting", "waiting", method(wait("input")), "running"],
    ["waiting", "sleeping", method(wait("timer")), "waiting"],
    ["running", "running", method(wait("child")), "waiting"],
    ["stopped", "stopped", method(wait("human")), "failed"],
    ["failed", "failed ×3", method({ error: "x", count: 3 }), "failed"],
    ["done", "done", method({}), "running"],
  ])("is %s, %s", (...[state, text, progress, status]) => {
    expect(describeProgress(progress, status, null)).toMatchObject({ state, text });
  });

  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1500, "1.5 s"],
    [59_000, "59 s"],
    [90_000, "1.5 min"],
    [7_200_000, "2.0 h"],
    [864_000_000, "10 d"],
  ])("takes %i ms as %s", (durationMs, time) => {
    expect(describeProgress(method({ durationMs }), "running", null).time).toBe(time);
  });

  it("counts up open executions while the run lasts", () => {
    const running = method({ open: { "method:a": 1000 }, durationMs: 500 });
    expect(describeProgress(running, "running", 3000).time).toBe("2.5 s");
    expect(describeProgress(running, "cancelled", 9000).time).toBe("500 ms");
  });
});

it("follows from the events of a real run, up to where it waits", async () => {
  const handle = flow.start();
  const events: unknown[] = [];
  for await (const event of handle.events()) {
    events.push(event);
    if (event.type === "wait_opened" && event.kind === "human") break;
  }
  const types = new Set<string>(PROGRESS_EVENTS);
  const body = new Response(
    events
      .filter((event) => types.has((event as { type: string }).type))
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join(""),
  ).body;
  const { methods, status } = await readProgress(flow.definition, body);
  expect(status).toBe("running");
  expect(methods).toMatchObject({
    a: { count: 1, open: {} },
    pick: { count: 1, labels: { again: 1 } },
    ask: { count: 1, waits: { "method:ask/feedback": { kind: "human", prompt: "Sure?" } } },
    inner: { count: 0 },
  });
  expect(methods["a"]?.durationMs).toBeGreaterThanOrEqual(1400);
  await handle.cancel();
});

it("gives the page the same: its functions need only their source", () => {
  // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- as the page does
  const make = new Function(`return [${applyEvent.toString()}, ${describeProgress.toString()}]`);
  const [apply, describeIt] = make() as [typeof applyEvent, typeof describeProgress];
  const [theirs, ours] = [idle(), idle()];
  const events = [started("pick"), finished("pick", "again"), { type: "run_paused", path: "" }];
  for (const [index, event] of events.entries()) {
    const sent = { seq: index + 1, at: new Date(index * 1000).toISOString(), ...event };
    apply(theirs, sent);
    applyEvent(ours, sent);
  }
  expect(theirs).toEqual(ours);
  for (const method of Object.values(ours.methods))
    expect(describeIt(method, "running", 5000)).toEqual(describeProgress(method, "running", 5000));
});
