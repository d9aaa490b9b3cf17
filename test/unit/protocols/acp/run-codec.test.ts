import { describe, expect, it } from "vitest";
import {
  advanced,
  answerOf,
  artifactsOf,
  keyIn,
  stateOf,
  withState,
} from "../../../../src/protocols/acp/run-codec.ts";
import type { TaskState } from "../../../../src/entry/acp.ts";
import { NO_USAGE } from "../../../../src/base/usage.ts";
import type { Run, Wait } from "../../../../src/runtime/run.ts";

const NOW = 9_000;

function runOf(more: Partial<Run>): Run {
  return {
    id: "r",
    kind: "agent",
    name: "writer",
    status: "running",
    inputs: {},
    usage: NO_USAGE,
    waits: [],
    createdAt: "1970-01-01T00:00:01.000Z",
    ...more,
  };
}

const at = (status: TaskState["status"], timestamp: number, message?: string): TaskState => ({
  status,
  ...(message === undefined ? undefined : { message }),
  timestamp,
});
const person: Wait = { key: "w", kind: "human", prompt: "Which?" };
const held: Run["held"] = {
  code: "journal_mismatch",
  key: "k",
  message: "does not fit",
  since: "1970-01-01T00:00:02.000Z",
} as NonNullable<Run["held"]>;

describe("the state of a task", () => {
  it.each<[string, Partial<Run>, TaskState]>([
    ["queued", { status: "queued" }, at("working", 1_000)],
    ["running", { startedAt: "1970-01-01T00:00:03.000Z" }, at("working", 3_000)],
    [
      "waiting for a person",
      { status: "waiting", waits: [person] },
      at("input-required", NOW, "Which?"),
    ],
    [
      "waiting without a prompt",
      { status: "waiting", waits: [{ key: "w", kind: "input" }] },
      at("input-required", NOW, "an answer is needed"),
    ],
    [
      "waiting for a timer",
      { status: "waiting", waits: [{ key: "w", kind: "timer" }] },
      at("working", NOW),
    ],
    [
      "waiting for a child and a person",
      { status: "waiting", waits: [{ key: "c", kind: "child" }, person] },
      at("input-required", NOW, "Which?"),
    ],
    ["held", { status: "waiting", waits: [person], held }, at("working", NOW)],
    [
      "completed",
      { status: "completed", finishedAt: "1970-01-01T00:00:04.000Z" },
      at("completed", 4_000),
    ],
    [
      "failed",
      {
        status: "failed",
        finishedAt: "1970-01-01T00:00:04.000Z",
        error: { code: "model_failed", message: "boom", retryable: false },
      },
      at("failed", 4_000, "boom"),
    ],
    ["cancelled", { status: "cancelled" }, at("canceled", NOW)],
  ])("ACT1: of a run: %s", (_, run, expected) => {
    expect(stateOf(runOf(run), NOW)).toEqual(expected);
  });

  it("has a bounded message", () => {
    const prompt = "p".repeat(10_000);
    const { message = "" } = stateOf(
      runOf({ status: "waiting", waits: [{ ...person, prompt }] }),
      NOW,
    );
    expect(message.length).toBeLessThan(2_100);
  });
});

describe("a history", () => {
  const submitted = at("submitted", 1);

  it.each<[string, readonly TaskState[], TaskState, readonly TaskState[]]>([
    ["begins", [], submitted, [submitted]],
    [
      "has a task work before it ends",
      [submitted],
      at("completed", 5),
      [submitted, at("working", 5), at("completed", 5)],
    ],
    [
      "has no second reason to work",
      [submitted, at("working", 2, "Resumed after yield")],
      at("working", 3),
      [submitted, at("working", 2, "Resumed after yield")],
    ],
    [
      "has each question",
      [at("input-required", 2, "a")],
      at("input-required", 3, "b"),
      [at("input-required", 2, "a"), at("input-required", 3, "b")],
    ],
    [
      "has a question once",
      [at("input-required", 2, "a")],
      at("input-required", 3, "a"),
      [at("input-required", 2, "a")],
    ],
    [
      "ACT2: does not go on after an end",
      [at("canceled", 2)],
      at("completed", 3),
      [at("canceled", 2)],
    ],
  ])("%s", (...[, history, state, expected]) => {
    expect(advanced(history, state)).toEqual(expected);
  });

  it("keeps its beginning and the newest states", () => {
    let history: readonly TaskState[] = [submitted];
    for (let index = 2; index <= 500; index++) history = withState(history, at("working", index));
    expect(history).toHaveLength(100);
    expect([history[0], history[1]?.timestamp, history.at(-1)?.timestamp]).toEqual([
      submitted,
      402,
      500,
    ]);
  });
});

describe("artifacts", () => {
  const text = (value: string) => [{ type: "text", text: value }];

  it.each<[string, Partial<Run>, unknown]>([
    ["nothing", {}, []],
    [
      "an agent",
      { output: { raw: "answer", object: { a: 1 } } },
      [{ name: "writer", parts: text("answer") }],
    ],
    [
      "a flow",
      { kind: "flow", output: { value: { a: 1 }, state: {} } },
      [{ name: "writer", parts: text('{"a":1}') }],
    ],
    [
      "a flow without an output",
      { kind: "flow", output: { value: null, state: {} } },
      [{ name: "writer", parts: text("") }],
    ],
    [
      "a conversation",
      { kind: "conversation", output: { summary: "agreed", lastSpeaker: "ana", messages: [] } },
      [{ name: "writer", parts: text("agreed") }],
    ],
    [
      "a run of another kind",
      { kind: "board", output: [1] },
      [{ name: "writer", parts: text("[1]") }],
    ],
    [
      "a remote agent without artifacts",
      { kind: "remote-agent", output: { artifacts: [], text: "far" } },
      [{ name: "writer", parts: text("far") }],
    ],
  ])("of %s", (_, run, expected) => {
    expect(artifactsOf(runOf(run))).toEqual(expected);
  });
});

describe("answers", () => {
  const waiting = (...waits: readonly Wait[]) => runOf({ status: "waiting", waits });
  const schema = { type: "object" };

  it.each<
    [string, Run, { text?: string; state?: Parameters<typeof answerOf>[1]["state"] }, unknown]
  >([
    ["a text", waiting(person), { text: "green" }, { key: "w", feedback: "green" }],
    [
      "an approval in words",
      waiting(person),
      { text: "yes, go" },
      { key: "w", feedback: "yes, go", approve: true },
    ],
    ["an approval", waiting(person), { state: { approve: true } }, { key: "w", approve: true }],
    [
      "a refusal in words",
      waiting(person),
      { text: "no", state: { approve: false } },
      { key: "w", feedback: "no", approve: false },
    ],
    ["any data", waiting(person), { state: [1] }, { key: "w", value: [1] }],
    ["null", waiting(person), { state: null }, { key: "w", value: null }],
    [
      "JSON for a schema",
      waiting({ ...person, schema }),
      { text: '{"a":1}' },
      { key: "w", value: { a: 1 } },
    ],
    [
      "no JSON for a schema",
      waiting({ ...person, schema }),
      { text: "a" },
      { key: "w", value: "a" },
    ],
    ["a choice", waiting({ ...person, choices: ["a"] }), { text: "a" }, { key: "w", value: "a" }],
    [
      "the named wait",
      waiting(person, { ...person, key: "x" }),
      { state: { key: "x", value: 7 } },
      { key: "x", value: 7 },
    ],
    [
      "a text of the named wait",
      waiting(person, { ...person, key: "x" }),
      { text: "t", state: { key: "x" } },
      { key: "x", feedback: "t" },
    ],
  ])("are made of %s", (...[, run, { text, state }, expected]) => {
    const key = keyIn(state) ?? "w";
    const wait = run.waits.find((each) => each.key === key) as Wait;
    expect(answerOf(wait, { text, state })).toEqual(expected);
  });
});
