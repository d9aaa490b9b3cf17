import { describe, expect, it } from "vitest";
import type { EngineError } from "../../../src/base/error.ts";
import {
  ANTHROPIC_ENDS,
  BEDROCK_ENDS,
  CHAT_ENDS,
  endOf,
  GEMINI_ENDS,
  RESPONSES_ENDS,
  type AnswerEnd,
  type EndTable,
} from "../../../src/llm/answer-end.ts";

const ended = (table: EndTable, reason: unknown, hasCalls = false) =>
  endOf({ modelId: "x/m", table, reason, hasCalls, text: "half an ans" });

/** The end, or how the answer fails. */
function outcome(table: EndTable, reason: string, hasCalls: boolean): object {
  try {
    return ended(table, reason, hasCalls);
  } catch (error) {
    const { code, retryable } = error as EngineError;
    return { code, retryable };
  }
}

const WHOLE = [{ finishReason: "stop" }, { finishReason: "tool_calls" }];
const CUT = { finishReason: "length", end: "cut" };
const FILTERED = { code: "content_filtered", retryable: false };
const FAILED = { code: "model_failed", retryable: true };

/** Outcomes of an answer without and with calls. */
const OUTCOMES: Readonly<Record<AnswerEnd, readonly object[]>> = {
  whole: WHOLE,
  calls: WHOLE,
  cut: [CUT, CUT],
  filtered: [FILTERED, FILTERED],
  refused: [FILTERED, FILTERED],
  failed: [FAILED, FAILED],
};

const TABLES = { CHAT_ENDS, ANTHROPIC_ENDS, BEDROCK_ENDS, GEMINI_ENDS, RESPONSES_ENDS };

describe.each(Object.entries(TABLES))("WA1: the ends of %s", (_, table) => {
  it.each(Object.entries(table))("%s is %s", (reason, end) => {
    expect([outcome(table, reason, false), outcome(table, reason, true)]).toEqual(OUTCOMES[end]);
  });

  it.each(["something_new", 7, { a: 1 }, "__proto__", "constructor"])(
    "%o is unknown, and fails as retryable",
    (reason) => {
      expect(() => ended(table, reason)).toThrow(
        expect.objectContaining({ code: "model_failed", retryable: true }),
      );
    },
  );

  it.each([undefined, null, ""])("%o is empty: the answer is whole", (reason) => {
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

  it("names an unknown reason", () => {
    expect(() => ended(CHAT_ENDS, "odd")).toThrow(
      "x/m ended its answer with odd, which is not known",
    );
    expect(() => ended(CHAT_ENDS, `<b>${"x".repeat(200)}`)).toThrow(/… \(\d+ characters\)/);
  });
});
