import { describe, expect, it } from "vitest";
import { EventLog, eventId, InMemoryEventStore } from "../../../src/events/event-log.ts";
import type { LiveEvent, RunEvent } from "../../../src/events/run-event.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { openSqlStore, RUN_STORES } from "../../support/run-stores.ts";

const chunk = { callId: "c", chunk: "piece", attempt: 1, offset: 0 };

describe.each(RUN_STORES)("the event log, $name", ({ open }) => {
  const logs = () => {
    const fixture = open();
    const clock = new SimulatedClock();
    return {
      fixture,
      clock,
      log: new EventLog({ runId: "run-1", store: fixture.store.events, clock }),
    };
  };

  it("keeps an event with its place, its time and its run", () => {
    const { log, fixture } = logs();
    expect(
      log.emit(
        "step_restarted",
        { path: "task:a/tool:b", nth: 2, parentId: "task:a:task_started" },
        { key: "k", attempt: 2 },
      ),
    ).toBe("task:a/tool:b:step_restarted#2");
    expect(fixture.reopen().events.read(0, 10)).toEqual([
      {
        seq: 1,
        id: "task:a/tool:b:step_restarted#2",
        type: "step_restarted",
        at: "2026-01-01T00:00:00.000Z",
        runId: "run-1",
        path: "task:a/tool:b",
        parentId: "task:a:task_started",
        key: "k",
        attempt: 2,
      },
    ]);
  });

  it("E1: stores an event once, over any number of emissions, also after a restart", () => {
    const { log, fixture, clock } = logs();
    const first = log.emit("run_resumed", { path: "a" }, {});
    expect(log.emit("run_resumed", { path: "a" }, {})).toBe(first);
    const again = new EventLog({ runId: "run-1", store: fixture.reopen().events, clock });
    expect(again.emit("run_resumed", { path: "a" }, {})).toBe(first);
    expect(fixture.store.events.lastSeq()).toBe(1);
  });

  it("E1: stores the first emission, not a later one", () => {
    const { log, fixture } = logs();
    log.emit("run_waiting", { path: "" }, { waits: ["a"] });
    log.emit("run_waiting", { path: "" }, { waits: ["b"] });
    expect(fixture.store.events.read(0, 10)).toMatchObject([{ waits: ["a"] }]);
  });

  it("E1: distinguishes events by type, path and number", () => {
    const ids = [
      eventId("run_resumed", { path: "" }),
      eventId("run_paused", { path: "" }),
      eventId("run_resumed", { path: "a" }),
      eventId("run_resumed", { path: "a", nth: 1 }),
      eventId("run_resumed", { path: "a", nth: 2 }),
    ];
    expect(ids).toEqual([
      "run_resumed",
      "run_paused",
      "a:run_resumed",
      "a:run_resumed#1",
      "a:run_resumed#2",
    ]);
  });

  it("E2: numbers events without a gap, across restarts", () => {
    const { log, fixture, clock } = logs();
    for (const path of ["a", "b", "a", "c"]) log.emit("run_resumed", { path }, {});
    const again = new EventLog({ runId: "run-1", store: fixture.reopen().events, clock });
    again.emit("run_resumed", { path: "d" }, {});
    const events = again.read((store) => store.read(0, 10));
    expect(events.map(({ seq, path }) => [seq, path])).toEqual([
      [1, "a"],
      [2, "b"],
      [3, "c"],
      [4, "d"],
    ]);
    expect(again.lastSeq).toBe(4);
  });

  it.each(["run_completed", "run_failed", "run_cancelled"] as const)(
    "E2: stores no event after %s, also after a restart",
    (type) => {
      const { log, fixture, clock } = logs();
      log.emit(
        type,
        { path: "" },
        { output: null, error: { code: "internal", message: "", retryable: false } },
      );
      expect(log.ended).toBe(true);
      log.emit("run_resumed", { path: "late" }, {});
      const again = new EventLog({ runId: "run-1", store: fixture.reopen().events, clock });
      again.emit("run_resumed", { path: "later" }, {});
      expect(again.ended).toBe(true);
      expect(fixture.store.events.read(0, 10).map((event) => event.type)).toEqual([type]);
    },
  );

  it("E3: sends subscribers each stored event once, after it was written, in order, with live ones in between", () => {
    const { log, fixture } = logs();
    const received: string[] = [];
    log.subscribe((event) =>
      received.push(
        "seq" in event ? `${event.seq} of ${fixture.store.events.lastSeq()}` : event.type,
      ),
    );
    log.emit("run_resumed", { path: "a" }, {});
    log.emitLive("llm_stream_chunk", { path: "a" }, chunk);
    log.emit("run_resumed", { path: "a" }, {});
    log.emit("run_resumed", { path: "b" }, {});
    expect(received).toEqual(["1 of 1", "llm_stream_chunk", "2 of 2"]);
  });

  it("E3: stores no live event, and gives it no number", () => {
    const { log, fixture } = logs();
    const received: Array<RunEvent | LiveEvent> = [];
    log.subscribe((event) => received.push(event));
    log.emitLive("llm_stream_chunk", { path: "a", parentId: "p" }, chunk);
    expect(received).toEqual([
      {
        id: "a:llm_stream_chunk",
        type: "llm_stream_chunk",
        at: "2026-01-01T00:00:00.000Z",
        runId: "run-1",
        path: "a",
        parentId: "p",
        ...chunk,
      },
    ]);
    expect(fixture.store.events.lastSeq()).toBe(0);
  });

  it("E3: sends no live event after the end, and none to a former subscriber", () => {
    const { log } = logs();
    const received: string[] = [];
    const leave = log.subscribe((event) => received.push(event.type));
    log.emit("run_completed", { path: "" }, { output: null });
    log.emitLive("llm_stream_chunk", { path: "a" }, chunk);
    leave();
    log.emit("run_resumed", { path: "b" }, {});
    expect(received).toEqual(["run_completed"]);
  });

  it("E4: returns snapshots of open calls, until they end", () => {
    const { log } = logs();
    const place = { path: "c", parentId: "p" };
    log.emitLive("llm_stream_chunk", place, { ...chunk, agentRole: "Poet" });
    log.emitLive("llm_stream_chunk", place, { ...chunk, offset: 5 });
    expect(log.snapshots()).toEqual([
      {
        id: "c:llm_stream_snapshot",
        type: "llm_stream_snapshot",
        at: "2026-01-01T00:00:00.000Z",
        runId: "run-1",
        ...place,
        callId: "c",
        attempt: 1,
        text: "piecepiece",
        agentRole: "Poet",
      },
    ]);
    log.emit("step_retrying", place, {
      key: "c",
      attempt: 1,
      delayMs: 1,
      error: { code: "model_failed", message: "no", retryable: true },
    });
    expect(log.snapshots()).toEqual([]);
    log.emitLive("llm_stream_chunk", place, { ...chunk, attempt: 2 });
    expect(log.snapshots()).toMatchObject([{ attempt: 2, text: "piece" }]);
    log.emit("run_cancelled", { path: "" }, {});
    expect(log.snapshots()).toEqual([]);
  });

  it("has a bound, which only the end of the run may pass", () => {
    const { fixture, clock } = logs();
    const log = new EventLog({ runId: "run-1", store: fixture.store.events, clock, maxEvents: 2 });
    log.emit("run_resumed", { path: "a" }, {});
    log.emit("run_resumed", { path: "b" }, {});
    expect(() => log.emit("run_resumed", { path: "c" }, {})).toThrow(
      expect.objectContaining({
        code: "limit_exceeded",
        message: expect.stringContaining("more than 2 events"),
      }),
    );
    expect(log.emit("run_resumed", { path: "a" }, {})).toBe("a:run_resumed");
    log.emit(
      "run_failed",
      { path: "" },
      { error: { code: "limit_exceeded", message: "", retryable: false } },
    );
    expect(log.lastSeq).toBe(3);
  });

  it("names the start of a scope on its end", () => {
    const { log, fixture } = logs();
    const place = { path: "task:a/tool:b" };
    const named = { toolName: "b", toolArgs: {}, agentRole: "x" };
    log.emit("tool_usage_started", place, { ...named, runAttempts: 1 });
    log.emit(
      "tool_usage_error",
      { ...place, nth: 2 },
      { toolName: "b", toolArgs: {}, agentRole: "x", error: "no" },
    );
    log.emit("tool_validate_input_error", place, {
      toolName: "b",
      toolArgs: {},
      agentRole: "x",
      error: "no",
    });
    const [start, end, other] = fixture.store.events.read(0, 10);
    expect(end).toMatchObject({ startedId: start?.id });
    expect(other).not.toHaveProperty("startedId");
  });

  it("E2: stores an end without an emitted start, without a parent and a start", () => {
    const { log, fixture } = logs();
    log.emit("task_failed", { path: "task:a" }, { taskName: "a", agentRole: "x", error: "no" });
    const [end] = fixture.store.events.read(0, 10);
    expect(end).toMatchObject({ type: "task_failed", error: "no" });
    expect(end).not.toHaveProperty("parentId");
    expect(end).not.toHaveProperty("startedId");
  });

  it("keeps events of any size", () => {
    const { log, fixture } = logs();
    const output = "💡".repeat(400_000);
    log.emit("run_completed", { path: "" }, { output });
    const [event] = fixture.reopen().events.read(0, 1);
    expect(event?.type === "run_completed" && event.output === output).toBe(true);
  });

  it("reads in pages", () => {
    const { log, fixture } = logs();
    for (let n = 0; n < 10; n++) log.emit("run_resumed", { path: `p${n}` }, {});
    expect(fixture.store.events.read(3, 4).map(({ seq }) => seq)).toEqual([4, 5, 6, 7]);
    expect(fixture.store.events.read(10, 4)).toEqual([]);
  });
});

describe("events within a transaction", () => {
  it("E3: are published when it commits", () => {
    const { store } = openSqlStore();
    const log = new EventLog({ runId: "run-1", store: store.events, clock: new SimulatedClock() });
    const received: string[] = [];
    log.subscribe((event) => received.push(event.id));
    log.within(() =>
      store.transaction(() => {
        log.emit("run_resumed", { path: "a" }, {});
        expect(received).toEqual([]);
      }),
    );
    expect(received).toEqual(["a:run_resumed"]);
  });

  it("E1, E2: are neither stored nor published after a rollback, and can be emitted again with the same number", () => {
    const { store } = openSqlStore();
    const log = new EventLog({ runId: "run-1", store: store.events, clock: new SimulatedClock() });
    const received: string[] = [];
    log.subscribe((event) => received.push(event.id));
    const failing = (): void =>
      log.within(() =>
        store.transaction(() => {
          log.emit("run_resumed", { path: "a" }, {});
          log.emit("run_completed", { path: "" }, { output: null });
          throw new Error("undo");
        }),
      );
    expect(failing).toThrow("undo");
    expect([received, log.lastSeq, log.ended]).toEqual([[], 0, false]);
    log.emit("run_resumed", { path: "a" }, {});
    expect(store.events.read(0, 10)).toMatchObject([{ seq: 1, id: "a:run_resumed" }]);
  });

  it("E1: a failed write does not mark the event as known", () => {
    const { store } = openSqlStore();
    let broken = true;
    const { events } = faultyRunStore(store, (write) => broken && write === "append run_resumed");
    const log = new EventLog({ runId: "run-1", store: events, clock: new SimulatedClock() });
    expect(() => log.emit("run_resumed", { path: "a" }, {})).toThrow("the storage failed");
    broken = false;
    log.emit("run_resumed", { path: "a" }, {});
    expect(store.events.read(0, 10)).toMatchObject([{ seq: 1, path: "a" }]);
  });
});

describe("events in memory", () => {
  it("are assembled on first read, once, with the time of their emission", async () => {
    const store = new InMemoryEventStore();
    const clock = new SimulatedClock(0);
    const log = new EventLog({ runId: "run-1", store, clock });
    let reads = 0;
    const payload = {
      get message() {
        reads++;
        return "hello";
      },
    };
    const emit = (path: string): string => log.emit("run_resumed", { path }, payload);
    emit("a");
    await clock.advance(1000);
    expect([reads, log.lastSeq]).toEqual([0, 1]);
    for (let time = 0; time < 2; time++)
      expect(store.read(0, 5)).toEqual([
        {
          seq: 1,
          id: "a:run_resumed",
          type: "run_resumed",
          at: "1970-01-01T00:00:00.000Z",
          runId: "run-1",
          path: "a",
          message: "hello",
        },
      ]);
    expect(reads).toBe(1);
    const heard: string[] = [];
    log.subscribe(({ id }) => heard.push(id));
    emit("b");
    expect([heard, reads]).toEqual([["b:run_resumed"], 2]);
    expect([...store.ids()]).toEqual(["a:run_resumed", "b:run_resumed"]);
    expect(store.readBack(3, 1)).toMatchObject([{ seq: 2 }]);
  });

  it("are stored in order", () => {
    const store = new InMemoryEventStore();
    expect([store.lastSeq(), [...store.ids()], store.read(0, 5)]).toEqual([0, [], []]);
  });
});
