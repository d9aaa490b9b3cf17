import { expect, it } from "vitest";
import type { ModelCall, StepRow } from "../../../../console/api-types.ts";
import { aligned, inParts } from "../../../../console/pages/compare/aligned.ts";
import { takenOver } from "../../../../console/pages/run/taken-over.ts";
import { talkOf, turnsOf } from "../../../../console/pages/run/talk.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
// oxlint-disable-next-line max-params -- a row of a table
const step = (key: string, kind: string, from: number, to: number, hash = key): StepRow => ({
  key,
  kind,
  label: key,
  state: "done",
  attempt: 1,
  startedAt: at(from),
  endedAt: at(to),
  bytes: 1,
  hash,
});

const STEPS = [
  step("task:a", "task", 0, 9),
  step("task:a/turn:1/llm", "model", 1, 2),
  step("task:a/turn:1/tool:mail#0", "tool", 3, 4),
  step("task:a/turn:2/llm", "model", 5, 6),
];

it("counts the steps of a fork, the saved calls, and the tools with outside effects (CO12)", () => {
  expect(takenOver(STEPS, "task:a/turn:2/llm", false)).toEqual({ rows: 2, calls: 1, tools: [] });
  expect(takenOver(STEPS, "task:a/turn:1/llm", false)).toEqual({
    rows: 0,
    calls: 0,
    tools: ["task:a/turn:1/tool:mail#0"],
  });
});

it("counts an edited row among the steps of a fork (CO13)", () => {
  expect(takenOver(STEPS, "task:a/turn:1/tool:mail#0", true)).toMatchObject({ rows: 2, calls: 1 });
});

it("aligns two journals by key, and folds equal rows (CO14)", () => {
  const other = [
    STEPS[0],
    STEPS[1],
    { ...STEPS[2], hash: "x" },
    step("task:b", "task", 9, 9),
  ] as readonly StepRow[];
  const rows = aligned(STEPS, other);
  expect(rows.map(({ key, how }) => [key, how])).toEqual([
    ["task:a", "same"],
    ["task:a/turn:1/llm", "same"],
    ["task:a/turn:1/tool:mail#0", "changed"],
    ["task:b", "right"],
    ["task:a/turn:2/llm", "left"],
  ]);
  expect(inParts(rows).map(({ isEqual, rows: { length } }) => [isEqual, length])).toEqual([
    [true, 2],
    [false, 3],
  ]);
});

const call = (turn: number, texts: readonly string[], answer: string): ModelCall => ({
  key: `task:a/turn:${turn}/llm`,
  model: "test/model",
  purpose: "turn",
  state: "done",
  startedAt: at(turn),
  attempt: 1,
  attempts: [],
  request: {
    messages: texts.map((content, index) => ({
      role: index === 0 ? "system" : index % 2 === 1 ? "user" : "assistant",
      content,
    })),
    recorded: "full",
  },
  response: { text: answer, toolCalls: [], finishReason: "stop" },
});

it("shows only the new messages of each call (CO15)", () => {
  const turns = turnsOf([
    call(1, ["s", "task"], "one"),
    call(2, ["s", "task", "one", "more"], "two"),
  ]);
  expect(turns.map(({ said }) => said.map(({ message }) => message.content))).toEqual([
    ["s", "task", "one"],
    ["more", "two"],
  ]);
  expect(turns.map(({ dropped }) => dropped)).toEqual([0, 0]);
});

it("marks messages left out to fit the window (CO15)", () => {
  const turns = turnsOf([call(1, ["s", "task"], "one"), call(2, ["s", "short"], "two")]);
  expect(turns[1]).toMatchObject({ dropped: 2 });
});

it("finds the step of a call", () => {
  expect([talkOf("task:a/turn:1/llm"), talkOf("chat/round:6/duty/llm")]).toEqual([
    "task:a",
    "chat/round:6/duty",
  ]);
});
