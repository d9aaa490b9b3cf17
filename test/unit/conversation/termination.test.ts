import { describe, expect, it } from "vitest";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import {
  answeredTermination,
  checkTermination,
  containsTermination,
  isExactTermination,
  MAX_CONSECUTIVE_AUTO_REPLY,
  type TerminationState,
} from "../../../src/conversation/termination.ts";

const says = (content: string): ConversationMessage => ({ role: "user", name: "A", content });
function state(content: string, rest: Partial<TerminationState> = {}): TerminationState {
  const message = says(content);
  const isTermination = isExactTermination(message);
  return {
    mode: "NEVER",
    counter: 0,
    maxConsecutiveAutoReply: MAX_CONSECUTIVE_AUTO_REPLY,
    isTermination,
    message,
    ...rest,
  };
}
const ASK = { kind: "ask" };
const ended = (reason: string) => ({ kind: "stop", counter: 0, reason });
const REASON = "termination condition met";

it("D1-1: the word alone ends a chat without people", () => {
  expect(checkTermination(state("TERMINATE", { counter: 3 }))).toEqual(ended(REASON));
});

it("D1-2: the word among others does not", () => {
  expect(checkTermination(state("done TERMINATE"))).toEqual({ kind: "continue", counter: 1 });
  expect(containsTermination(says("done TERMINATE"))).toBe(true);
});

it("D1-3: after the maximum of answers in a row the chat ends", () => {
  let counter = 0;
  const seen = [];
  for (let times = 0; times < 3; times++) {
    const step = checkTermination(state("more", { counter, maxConsecutiveAutoReply: 2 }));
    seen.push(step.kind);
    if (step.kind === "continue") counter = step.counter;
  }
  expect(seen).toEqual(["continue", "continue", "stop"]);
  expect(checkTermination(state("more", { counter: 2, maxConsecutiveAutoReply: 2 }))).toEqual(
    ended("maximum number of consecutive auto-replies reached"),
  );
});

it("D1-4: a person is asked only before the end, and can continue", () => {
  expect(checkTermination(state("more", { mode: "TERMINATE" }))).toEqual({
    kind: "continue",
    counter: 1,
  });
  const ending = state("TERMINATE", { mode: "TERMINATE", counter: 5 });
  expect(checkTermination(ending)).toEqual(ASK);
  expect(answeredTermination(ending, "go on")).toEqual({
    kind: "reply",
    counter: 0,
    message: { role: "user", content: "go on" },
  });
});

it("D1-5: an empty answer lets the agent answer, or the chat end", () => {
  const always = state("more", { mode: "ALWAYS", counter: 7 });
  expect(checkTermination(always)).toEqual(ASK);
  expect(answeredTermination(always, "")).toEqual({ kind: "continue", counter: 8 });
  expect(answeredTermination(state("TERMINATE", { mode: "ALWAYS" }), "")).toEqual(ended(REASON));
});

it("D1-6: a person's text answers every open call", () => {
  const message = {
    ...says(""),
    toolCalls: ["x", "y"].map((id) => ({ id, name: "f", arguments: "{}" })),
  };
  const step = answeredTermination(state("", { mode: "ALWAYS", message }), "stop that");
  expect(step).toMatchObject({
    kind: "reply",
    message: { content: "stop that", toolResponses: [{ toolCallId: "x" }, { toolCallId: "y" }] },
  });
});

it("D1-9: EXIT is a text", () => {
  const always = state("more", { mode: "ALWAYS" });
  expect(answeredTermination(always, "EXIT")).toMatchObject({ message: { content: "EXIT" } });
  expect(answeredTermination(always, "exit")).toEqual(ended("the person ended the chat"));
  expect(answeredTermination(always, " exit")).toMatchObject({ kind: "reply" });
});

describe("TRM1: the number of answers", () => {
  it("is checked first", () => {
    const both = state("TERMINATE", { counter: 1, maxConsecutiveAutoReply: 1 });
    expect(checkTermination(both)).toMatchObject({ reason: expect.stringContaining("maximum") });
  });

  it("of 0 means no answers without a person", () => {
    expect(checkTermination(state("a", { maxConsecutiveAutoReply: 0 })).kind).toBe("stop");
    const asked = state("a", { maxConsecutiveAutoReply: 0, mode: "TERMINATE" });
    expect(checkTermination(asked)).toEqual(ASK);
    expect(answeredTermination(asked, "")).toMatchObject({
      kind: "reply",
      message: { content: "" },
    });
  });

  it("stays as it is without a message", () => {
    expect(checkTermination({ ...state("", { counter: 4 }), message: undefined })).toEqual({
      kind: "continue",
      counter: 4,
    });
  });
});

it("TRM2: a person asked at the maximum can let the agent continue, or end", () => {
  const full = state("more", { mode: "TERMINATE", counter: 2, maxConsecutiveAutoReply: 2 });
  expect(checkTermination(full)).toEqual(ASK);
  expect(answeredTermination(full, "")).toEqual({ kind: "continue", counter: 3 });
  expect(answeredTermination(full, "exit").kind).toBe("stop");
  expect(answeredTermination(state("TERMINATE", { mode: "TERMINATE" }), "").kind).toBe("stop");
});

it("TRM3: an answer to a message without calls has no results", () => {
  expect(answeredTermination(state("more", { mode: "ALWAYS" }), "text")).toMatchObject({
    message: expect.not.objectContaining({ toolResponses: expect.anything() }),
  });
});
