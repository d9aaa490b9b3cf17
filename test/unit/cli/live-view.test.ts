import { describe, expect, it } from "vitest";
import type { LiveEvent } from "../../../src/client/index.ts";
import { changeLine, viewLines } from "../../../src/cli/live-view.ts";
import { widthOf } from "../../../src/cli/output.ts";
import {
  emptyView,
  foldEvent,
  noticed,
  withTasks,
  type RunView,
} from "../../../src/cli/run-view.ts";
import { eventMaker } from "../../support/view-events.ts";

const START = Date.UTC(2026, 0, 1);
const SIZE = { columns: 80, rows: 24, nowMs: START + 3_600_000 };
const make = eventMaker();

const begin = (view: RunView, name: string): RunView =>
  foldEvent(
    view,
    make("task_started", `task:${name}`, {
      taskId: name,
      taskName: name,
      agentRole: "Writer",
      context: "",
    }),
  );
const end = (view: RunView, name: string): RunView =>
  foldEvent(view, make("task_completed", `task:${name}`, { taskName: name, output: "x" }));
const speak = (view: RunView, callId: string, chunk: string): RunView =>
  foldEvent(view, { type: "llm_stream_chunk", callId, attempt: 1, chunk } as unknown as LiveEvent);

/** 40 tasks, of which some are done and some under way. */
function forty(done: number, running: number): RunView {
  const names = Array.from({ length: 40 }, (_, index) => `task-${index + 1}`);
  const tasks = names.map((name) => ({
    key: `task:${name}`,
    name,
    agent: "Writer",
    status: "pending" as const,
  }));
  let view = withTasks(emptyView("r1", "wide"), tasks);
  for (const name of names.slice(0, done + running)) view = begin(view, name);
  for (const name of names.slice(0, done)) view = end(view, name);
  return view;
}

describe("the live view", () => {
  it.each([
    [0, 1],
    [20, 3],
    [38, 2],
    [40, 0],
    [2, 30],
  ])("LVW1: has 40 tasks on 20 lines, %i done and %i running (CL13)", (done, running) => {
    const view = speak(forty(done, running), "c1", "many words ".repeat(50));
    const lines = viewLines(noticed(view, "lost"), { ...SIZE, rows: 20 });
    expect(lines.length).toBeLessThanOrEqual(16);
    const shown = lines.filter((line) => line.includes("works"));
    expect(shown).toHaveLength(Math.min(running, 10));
    const counted = /^ {2}(?:(\d+) done)?(?:, )?(?:(\d+) more)?$/.exec(lines[1] ?? "") ?? [];
    const rows = lines.filter((line) => /^[·▸✓] task-/.test(line)).length;
    expect(rows + Number(counted[1] ?? 0) + Number(counted[2] ?? 0)).toBe(40);
  });

  it("LVW1: folds finished rows first, and shows the next ones (CL13)", () => {
    const lines = viewLines(forty(20, 3), { ...SIZE, rows: 14 });
    expect(lines.slice(1).map((line) => line.replace(/^(\S+ \S+) .*$/, "$1"))).toEqual([
      "  16 done, 16 more",
      "✓ task-17",
      "✓ task-18",
      "✓ task-19",
      "✓ task-20",
      "▸ task-21",
      "▸ task-22",
      "▸ task-23",
      "· task-24",
    ]);
  });

  it.each([20, 40, 80, 200])("LVW1: no line is wider than %i columns (CL4, CL13)", (columns) => {
    let view = speak(
      begin(forty(3, 2), "長い名前のタスク".repeat(6)),
      "c1",
      "日本語の長い文章".repeat(40),
    );
    view = noticed(view, "x".repeat(300));
    for (const ascii of [false, true]) {
      const lines = viewLines(view, { ...SIZE, columns, ascii });
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
      const isPlain = /^[\u0000-\u007f]*$/.test(lines.join("").replaceAll(/\p{L}|ー/gu, ""));
      expect(isPlain).toBe(ascii);
    }
  });

  it("LVW2: has a word beside each sign, and letters in place of signs (CL4)", () => {
    let view = end(begin(begin(emptyView("r1", "x"), "one"), "two"), "one");
    view = foldEvent(view, make("wait_opened", "task:two/q", { key: "task:two/q", kind: "human" }));
    expect(viewLines(view, SIZE).slice(1)).toEqual([
      expect.stringMatching(/^✓ one {2}done {4}Writer {2}\d\.0 s$/),
      expect.stringMatching(/^⏸ two {2}asks {4}Writer {2}\d+ s$/),
    ]);
    expect(viewLines(view, { ...SIZE, ascii: true })[2]).toMatch(/^\? two {2}asks/);
  });

  it("LVW3: has child runs one level deep, and how many more (CL13)", () => {
    let view = begin(emptyView("r1", "x"), "one");
    for (let index = 1; index <= 15; index++) {
      const key = `task:one/item:${index}`;
      view = foldEvent(
        view,
        make("wait_opened", key, { key, kind: "child", childRunId: `c-${index}` }),
      );
    }
    for (const key of ["task:one/item:1", "task:one/item:5"])
      view = foldEvent(view, make("wait_settled", key, { key }));
    expect(viewLines(view, SIZE).slice(2)).toEqual([
      "    ▸ item:2  works  run c-2",
      "    ▸ item:3  works  run c-3",
      "    ▸ item:4  works  run c-4",
      "    + 12 more, 10 under way",
    ]);
    const alone = foldEvent(
      emptyView("r1", "batch"),
      make("wait_opened", "item:1", { key: "item:1", kind: "child", childRunId: "c-1" }),
    );
    expect(viewLines(alone, SIZE)[1]).toBe("    ▸ item:1  works  run c-1");
  });

  it("LVW3: a task in a child run is one row", () => {
    let view = foldEvent(
      emptyView("r1", "x"),
      make("wait_opened", "task:one", { key: "task:one", kind: "child", childRunId: "c-1" }),
    );
    view = begin(view, "one");
    expect(viewLines(view, SIZE)).toHaveLength(2);
  });

  it("LVW4: has the end of the newest speaker's words (CL13)", () => {
    let view = begin(emptyView("r1", "x"), "one");
    view = speak(view, "c1", "the first speaker");
    view = speak(view, "c2", "one two three four five six seven eight nine ten eleven twelve");
    const lines = viewLines(view, { ...SIZE, columns: 24 }).slice(2);
    expect(lines).toEqual(["  │ five six seven eight", "  │ nine ten eleven", "  │ twelve"]);
    const after = foldEvent(
      view,
      make("llm_call_completed", "x", { callId: "c2", response: "done", usage: {} }),
    );
    expect(viewLines(after, SIZE).at(-1)).toBe("  │ the first speaker");
  });

  it("LVW4: wraps wide characters without blanks between them (CL13)", () => {
    const view = speak(emptyView("r1", "x"), "c1", "一二三四五六七八九十");
    expect(viewLines(view, { ...SIZE, columns: 12 }).slice(1)).toEqual([
      "  │ 一二三四",
      "  │ 五六七八",
      "  │ 九十",
    ]);
  });

  it("has no control characters from outside in it", () => {
    const view = speak(
      noticed(begin(emptyView("r1", "a\u001b[2J"), "b\u001b[1A"), "c\u0007"),
      "c1",
      "d\u001b[3Ae",
    );
    expect(viewLines(view, SIZE).join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it("shows no negative time when the clock of the Worker is ahead", () => {
    const lines = viewLines(begin(emptyView("r1", "x"), "one"), { ...SIZE, nowMs: START });
    expect(lines[1]).toMatch(/ {2}0\.0 s$/);
  });

  it("has one line for a change without a terminal", () => {
    const [row] = end(begin(emptyView("r1", "x"), "one"), "one").rows;
    expect(row && changeLine({ ...row, tokens: 520 }, (row.startedAtMs ?? 0) - 5_000)).toBe(
      "6.0s one done 520 tokens",
    );
  });
});
