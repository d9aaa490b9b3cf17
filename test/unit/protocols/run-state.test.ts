import { describe, expect, it } from "vitest";
import {
  isSettled,
  questionsOf,
  promptAlone,
  questionText,
  resultOf,
  stateOf,
  toolCallsOf,
} from "../../../src/protocols/run-state.ts";
import type { Run, Wait } from "../../../src/runtime/run.ts";

const question: Wait = { key: "q", kind: "human", prompt: "Good?" };
const call: Wait = { key: "c", kind: "input", data: { callerTool: "pick", arguments: { a: 1 } } };
const timer: Wait = { key: "t", kind: "timer" };
const held = {
  code: "journal_mismatch",
  message: "m",
  since: "s",
  codeVersion: "v",
} as Run["held"];

describe("a run as a task", () => {
  it.each([
    ["queued", [], "submitted", false],
    ["running", [], "working", false],
    ["running", [question], "working", false],
    ["waiting", [timer], "working", false],
    ["waiting", [timer, question], "input-required", true],
    ["waiting", [call], "input-required", true],
    ["completed", [], "completed", true],
    ["failed", [], "failed", true],
    ["cancelled", [], "canceled", true],
  ] as const)("%s with %j is %s", (...[status, waits, state, settled]) => {
    expect(stateOf({ status, waits })).toBe(state);
    expect(isSettled({ status, waits })).toBe(settled);
  });

  it("a run held for other code is working, despite open questions", () => {
    expect(stateOf({ status: "waiting", waits: [question], ...(held && { held }) })).toBe(
      "working",
    );
  });

  it("separates questions from calls of the caller's tools", () => {
    const run = { waits: [timer, question, call] };
    expect(questionsOf(run)).toEqual([question]);
    expect(toolCallsOf(run)).toEqual([{ key: "c", tool: "pick", arguments: { a: 1 } }]);
  });

  it("asks in words", () => {
    expect(questionText({ ...question, subject: "A draft", choices: ["a", "b"] })).toBe(
      "A draft\n\nGood?\n\nChoices: a, b",
    );
    // The question about a draft has the draft in it.
    expect(
      questionText({ ...question, prompt: "A draft\n\nIs it right?", subject: "A draft" }),
    ).toBe("A draft\n\nIs it right?");
    expect(questionText({ key: "k", kind: "input" })).toBe("Input is needed.");
  });

  it.each([
    ["A draft\n\n---\nIs it right?", "Is it right?"],
    ["Is this right?\nA draft\n", "Is this right?"],
    ["Is it right?", "Is it right?"],
    ["A draft", "A draft"],
    ["No A draft here", "No A draft here"],
  ])("asks %j alone, for a reader of the draft", (prompt, alone) => {
    expect(promptAlone({ prompt, subject: " A draft\n" })).toBe(alone);
    expect(promptAlone({ prompt, subject: "" })).toBe(prompt);
  });
});

describe("the result of a run", () => {
  it.each([
    [undefined, { text: "" }],
    [null, { text: "" }],
    ["words", { text: "words" }],
    [{ raw: "text", tasks: [] }, { text: "text" }],
    [
      { raw: '{"a":1}', object: { a: 1 } },
      { text: '{"a":1}', data: { a: 1 } },
    ],
    [{ value: "v", state: {} }, { text: "v" }],
    [
      { value: { a: 1 }, state: {} },
      { text: '{"a":1}', data: { a: 1 } },
    ],
    [{ value: { raw: "inner", object: null }, state: {} }, { text: "inner" }],
    [{ value: null, state: { id: "x" } }, { text: "" }],
    [{ reply: "hello", messages: [], state: {}, value: 1 }, { text: "hello" }],
    [[1, 2], { text: "[1,2]", data: [1, 2] }],
    [0, { text: "0", data: 0 }],
    [false, { text: "false", data: false }],
  ])("of %j", (output, result) => {
    expect(resultOf(output === undefined ? {} : { output })).toEqual(result);
  });
});
