import { expect, it } from "vitest";
import type { RunRow, RunView, StepRow } from "../../../../console/api-types.ts";
import {
  answerOf,
  growingOf,
  historyOf,
  sessionsOf,
  tagOf,
  workOf,
} from "../../../../console/pages/chat/talk.ts";

const row = (id: string, minute: number, tags: readonly string[] = []): RunRow => ({
  id,
  kind: "crew",
  name: "c",
  status: "completed",
  createdAt: `2026-11-23T08:0${minute}:00.000Z`,
  updatedAt: `2026-11-23T08:0${minute}:00.000Z`,
  waits: 0,
  tags,
});

it("gathers runs into sessions by their tag, newest first, titled by the first run", () => {
  const runs = [
    row("4", 4, ["chat", "chat:b"]),
    row("3", 3, ["chat", "chat:a"]),
    row("2", 2, ["chat", "chat:b"]),
    row("1", 1),
  ];
  expect(sessionsOf("crew", runs).map(({ session, firstRun }) => [session, firstRun])).toEqual([
    ["b", "2"],
    ["a", "3"],
  ]);
  expect(sessionsOf("conversation", runs)).toHaveLength(4);
  expect(tagOf("customer 7")).toBeUndefined();
});

it("reads a whole talk from its newest run, each message with the run of its turn", () => {
  const run = {
    id: "r2",
    inputs: {},
    entry: {
      action: "chat",
      messages: [
        { role: "user", content: "One" },
        { role: "assistant", content: "1" },
        { role: "user", content: "Two" },
      ],
    },
    meta: { chat: { turns: [{ run: "r1", files: ["a.txt"] }], files: [] } },
  } as unknown as RunView;
  expect(historyOf(run)).toEqual([
    { role: "user", content: "One", index: 0, runId: "r1", files: ["a.txt"] },
    { role: "assistant", content: "1", index: 1, runId: "r1" },
    { role: "user", content: "Two", index: 2, runId: "r2" },
  ]);
});

it("reads the answer of each kind", () => {
  expect(answerOf({ raw: "text", message: {} })).toBe("text");
  expect(answerOf({ reply: "said", value: 3 })).toBe("said");
  expect(answerOf({ summary: "agreed", lastSpeaker: "ana" })).toBe("agreed");
  expect(answerOf({ reply: null, value: null, state: {} })).toBeUndefined();
});

it("shows the words of the partner, not those of agents behind it", () => {
  const text = {
    answer: { text: "Here is", done: false },
    inner: { text: "a draft", task: "write", done: false },
  };
  expect(growingOf(text)?.text).toBe("Here is");
});

it("names agents, tools and duration in one line", () => {
  const step = (key: string, kind: string, more: object = {}) =>
    ({
      key,
      kind,
      state: "done",
      startedAt: "2026-11-23T08:00:00.000Z",
      endedAt: "2026-11-23T08:00:02.100Z",
      ...more,
    }) as StepRow;
  const steps = [
    step("t/turn:1/llm", "model", { agent: "Researcher" }),
    step("t/turn:1/tool:search#0", "tool", { agent: "Researcher", label: "search_docs" }),
  ];
  expect(workOf(steps).line).toBe("Researcher used search_docs, 2.1 s");
  expect(workOf([]).line).toBe("Worked");
});
