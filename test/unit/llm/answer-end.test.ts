import { describe, expect, it } from "vitest";
import {
  ANTHROPIC_ENDS,
  CHAT_ENDS,
  endOf,
  GEMINI_ENDS,
  RESPONSES_ENDS,
  type EndTable,
} from "../../../src/llm/answer-end.ts";

const ended = (table: EndTable, reason: unknown, hasCalls = false) =>
  endOf({ modelId: "x/m", table, reason, hasCalls, text: "half an ans" });

const TABLES = { CHAT_ENDS, ANTHROPIC_ENDS, GEMINI_ENDS, RESPONSES_ENDS };

describe.each(Object.entries(TABLES))("WA1: the ends of %s", (_, table) => {
  it.each(Object.entries(table))("%s is %s", (reason, end) => {
    if (end === "whole" || end === "calls") {
      expect(ended(table, reason)).toEqual({ finishReason: "stop" });
      expect(ended(table, reason, true)).toEqual({ finishReason: "tool_calls" });
    } else if (end === "cut") {
      expect(ended(table, reason)).toEqual({ finishReason: "length", end: "cut" });
      expect(ended(table, reason, true)).toEqual({ finishReason: "length", end: "cut" });
    } else {
      const isOver = end !== "failed";
      const code = isOver ? "content_filtered" : "model_failed";
      expect(() => ended(table, reason)).toThrow(
        expect.objectContaining({ code, retryable: !isOver }),
      );
    }
  });

  it.each(["something_new", 7, { a: 1 }, "__proto__", "constructor"])(
    "%o is not known, and fails so that it is tried again",
    (reason) => {
      expect(() => ended(table, reason)).toThrow(
        expect.objectContaining({ code: "model_failed", retryable: true }),
      );
    },
  );

  it.each([undefined, null, ""])("%o says nothing: the answer is whole", (reason) => {
    expect(ended(table, reason)).toEqual({ finishReason: "stop" });
  });
});

describe("endOf", () => {
  it.each([
    ["STOP", "stop"],
    ["COMPLETE", "stop"],
    ["MAX_TOKENS", "length"],
  ])("reads %s of a gateway in any case", (reason, finishReason) => {
    expect(ended(CHAT_ENDS, reason)).toMatchObject({ finishReason });
  });

  it("reads Gemini's reason behind a colon", () => {
    expect(() => ended(CHAT_ENDS, "content_filter: PROHIBITED_CONTENT")).toThrow(
      'x/m filtered the answer (content_filter: PROHIBITED_CONTENT): "half an ans"',
    );
  });

  it("names a reason that it does not know", () => {
    expect(() => ended(CHAT_ENDS, "odd")).toThrow(
      "x/m ended its answer with odd, which is not known",
    );
    expect(() => ended(CHAT_ENDS, `<b>${"x".repeat(200)}`)).toThrow(/… \(\d+ characters\)/);
  });
});
