import { describe, expect, it } from "vitest";
import type { StepRow } from "../../../../console/api-types.ts";
import { applyEvent } from "../../../../console/pages/run/apply-event.ts";
import { StepTree } from "../../../../console/pages/run/step-tree.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

// oxlint-disable-next-line max-params -- a row of a table
function step(
  key: string,
  kind: string,
  [from, to]: readonly [number, number?],
  more: Partial<StepRow> = {},
): StepRow {
  return {
    key,
    kind,
    state: to === undefined ? "started" : "done",
    attempt: 1,
    startedAt: at(from),
    ...(to === undefined ? undefined : { endedAt: at(to) }),
    bytes: 10,
    ...more,
  };
}

const USAGE = { promptTokens: 8, completionTokens: 2, totalTokens: 10, requests: 1, costUsd: 0.5 };
const ROWS = [
  step("task:a", "task", [0, 9], { label: "a" }),
  step("task:a/turn:1/llm", "model", [1, 2], { parent: "task:a", label: "m", usage: USAGE }),
  step("task:a/turn:1/tool:search#0", "tool", [2, 4], { parent: "task:a" }),
  step("task:a/turn:2/llm", "model", [5, 8], { parent: "task:a", label: "m", usage: USAGE }),
  step("task:b", "task", [9], { label: "b" }),
];

function treeOf(rows: readonly StepRow[]): StepTree {
  const tree = new StepTree();
  tree.add(rows);
  return tree;
}

const outline = (tree: StepTree): readonly string[] =>
  tree.rows(() => true).map(({ depth, label }) => `${"  ".repeat(depth)}${label}`);

describe("the tree of a journal", () => {
  it("groups the steps of each turn, and not the only turn with one step (CO6)", () => {
    expect(outline(treeOf(ROWS))).toEqual([
      "a",
      "  Turn 1",
      "    m",
      "    search",
      "  Turn 2",
      "    m",
      "b",
    ]);
    const short = [step("task:a", "task", [0, 9]), step("task:a/turn:1/llm", "model", [1, 2])];
    expect(outline(treeOf(short))).toEqual(["a", "  Model call"]);
  });

  it("names the run whose steps a fork took over, and a turn of such steps", () => {
    const cause = { how: "copied", run: "run-1" } as const;
    const copied = ROWS.map((row) => (row.key.includes("/turn:1/") ? { ...row, cause } : row));
    expect(
      treeOf(copied)
        .rows(() => true)
        .map(({ label, takenFrom }) => [label, takenFrom]),
    ).toEqual([
      ["a", undefined],
      ["Turn 1", "run-1"],
      ["m", "run-1"],
      ["search", "run-1"],
      ["Turn 2", undefined],
      ["m", undefined],
      ["b", undefined],
    ]);
  });

  it("names a call by its model from its beginning on", () => {
    const tree = treeOf([step("task:a", "task", [0])]);
    const path = "task:a/turn:1/llm";
    applyEvent(tree, { type: "llm_call_started", at: at(1), path, model: "m" });
    expect(outline(tree)).toEqual(["a", "  m"]);
  });

  it.each([
    ["task:a/human:1", { kind: "human" }, "Question to a person"],
    ["method:review/feedback", { kind: "human" }, "Question to a person"],
    ["chat/round:4/maya/person", { kind: "human", data: { agent: "maya" } }, "Turn of maya"],
    ["task:a/tool:x#0/approval", { kind: "human", data: { tool: "x" } }, "Approval of x"],
    ["wait:which colour", { kind: "human" }, "which colour"],
    ["paid", { kind: "event", event: "order.paid" }, "Event order.paid"],
    ["method:nap/timer", { kind: "timer" }, "Pause"],
  ] as const)("has a readable name for the wait %s", (key, wait, name) => {
    const row = step(key, "wait", [1], { wait: { key, ...wait } });
    expect(
      outline(treeOf([row]))
        .at(-1)
        ?.trim(),
    ).toBe(name);
  });

  it("is the same for pages of rows in any order", () => {
    const late = treeOf(ROWS.slice(2));
    late.add(ROWS.slice(0, 2));
    expect(outline(late)).toEqual(outline(treeOf(ROWS)));
  });

  it("is the same when the newest rows come first, though their parents come last", () => {
    const late = new StepTree();
    for (const row of ROWS.toReversed()) late.add([row]);
    expect(outline(late)).toEqual(outline(treeOf(ROWS)));
    const nested = new StepTree();
    nested.add([step("task:a/turn:1/tool:x#0/inner", "effect", [3, 4])]);
    nested.add([step("task:a/turn:1/tool:x#0", "tool", [2, 5])]);
    nested.add([step("task:a", "task", [0, 9])]);
    expect(outline(nested)).toEqual(["a", "  x", "    inner"]);
  });

  it("has the sums of all rows in any order, and corrects them when a row changes", () => {
    const late = new StepTree();
    for (const row of ROWS.toReversed()) late.add([row]);
    late.add([{ ...(ROWS[3] as StepRow), usage: { ...USAGE, totalTokens: 15 } }]);
    expect(late.rows(() => true)[0]).toMatchObject({ key: "task:a", tokens: 25, costUsd: 1 });
  });

  it("moves a row from an event to its place in the journal", () => {
    const tree = treeOf([step("b", "effect", [1, 2], { seq: { start: 3, end: 4 } })]);
    tree.add([step("a", "effect", [2])]);
    tree.add([step("a", "effect", [1, 2], { seq: { start: 1, end: 2 } })]);
    expect(outline(tree)).toEqual(["a", "b"]);
    expect(tree.newestKey).toBe("b");
  });

  it("shows the newest rows first, and a child run below its waiting row", () => {
    const parent = treeOf([
      ...ROWS,
      step("wait:child", "wait", [10, 12], { wait: { key: "w", kind: "child", runId: "run-2" } }),
    ]);
    const shown = (isChildOpen: boolean) =>
      parent
        .rows((_id, _depth, isRun) => !isRun || isChildOpen, {
          newestFirst: true,
          childTree: () => treeOf(ROWS.slice(4)),
        })
        .map(
          ({ depth, label, runId }) => `${depth} ${label}${runId === undefined ? "" : " of it"}`,
        );
    expect(shown(false).slice(0, 3)).toEqual(["0 child", "0 b", "0 a"]);
    expect(shown(true).slice(0, 3)).toEqual(["0 child", "1 b of it", "0 b"]);
  });

  it("sums up tokens and cost from below", () => {
    const [task, turn] = treeOf(ROWS).rows(() => true);
    expect(task).toMatchObject({ tokens: 20, costUsd: 1 });
    expect(turn).toMatchObject({
      label: "Turn 1",
      tokens: 10,
      startMs: Date.parse(at(1)),
      endMs: Date.parse(at(4)),
    });
  });

  it("hides the rows below a folded one", () => {
    expect(
      treeOf(ROWS)
        .rows((key) => key !== "task:a")
        .map(({ key }) => key),
    ).toEqual(["task:a", "task:b"]);
  });

  it("builds 10,000 rows at once", () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      step(`task:t/turn:${index}/llm`, "model", [index, index + 1], { parent: "task:t" }),
    );
    expect(treeOf([step("task:t", "task", [0]), ...many]).rows(() => true)).toHaveLength(10_001);
  });
});

describe("an event", () => {
  it("adds a row, ends it, and gives it its usage", () => {
    const tree = treeOf([]);
    expect(
      applyEvent(tree, { type: "llm_call_started", at: at(1), path: "task:a/turn:1/llm" }),
    ).toBe(true);
    expect(tree.get("task:a/turn:1/llm")).toMatchObject({ kind: "model", state: "started" });
    applyEvent(tree, {
      type: "llm_call_completed",
      at: at(3),
      path: "task:a/turn:1/llm",
      usage: USAGE,
    });
    expect(tree.get("task:a/turn:1/llm")).toMatchObject({
      state: "done",
      endedAt: at(3),
      usage: USAGE,
    });
  });

  it("is not reverted by an older page of the journal", () => {
    const tree = treeOf([step("task:a", "task", [0, 4])]);
    tree.add([step("task:a", "task", [0])]);
    expect(tree.get("task:a")?.endedAt).toBe(at(4));
  });

  it("requests the journal when its step is not known, or waits", () => {
    const tree = treeOf([]);
    expect(applyEvent(tree, { type: "task_completed", at: at(1), path: "task:x" })).toBe(false);
    expect(applyEvent(tree, { type: "wait_opened", at: at(1), path: "task:x/person" })).toBe(false);
    expect(applyEvent(tree, { type: "run_completed", at: at(1), path: "" })).toBe(true);
  });
});
