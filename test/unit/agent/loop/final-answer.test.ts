import { describe, expect, it } from "vitest";
import { finalAnswerIn } from "../../../../src/agent/loop/final-answer.ts";
import { computedMs } from "../../../support/computed-ms.ts";

describe("finalAnswerIn", () => {
  it("FA1: prefers the plain label to later ones in other spellings", () => {
    const report = "# Report\n\n## Final Answer\nYes.";
    expect(finalAnswerIn(`Thought: done\nFinal Answer: ${report}`, "text")).toBe(report);
    expect(finalAnswerIn("Final Answer: a\nFinal Answer: b", "none")).toBe("b");
  });

  it("FA2: accepts a label within a line only after the end of a sentence, or without quotes in the text form", () => {
    const sentence = "I think the Final Answer: 42";
    expect(finalAnswerIn(sentence, "none")).toBeUndefined();
    expect(finalAnswerIn(sentence, "text")).toBe("42");
    expect(finalAnswerIn("I am done. Final Answer: 42", "native")).toBe("42");
    expect(finalAnswerIn('They write "Final Answer: 42".', "text")).toBeUndefined();
  });

  it("FA3: skips a label without text after it, and labels inside inputs", () => {
    expect(finalAnswerIn("Final Answer: 42\nFinal Answer:", "text")).toBe("42");
    expect(finalAnswerIn("Thought: done\nFinal Answer:", "text")).toBe("");
    expect(finalAnswerIn("I wrote 42.\n\nFinal Answer:", "none")).toBeUndefined();
    const text = 'Action: write\nAction Input: {"a": "\nFinal Answer: no"}';
    expect(finalAnswerIn(text, "text", [{ start: 14, end: text.length }])).toBeUndefined();
  });

  it.each([
    "Final Answer:\n",
    "**final answer** ",
    "## Final Answer\n",
    "```\n",
    " Final Answer: x.",
  ])("takes no long time for 20,000 times %j", (unit) => {
    const startedAt = computedMs();
    for (const form of ["text", "none"] as const) finalAnswerIn(unit.repeat(20_000), form);
    finalAnswerIn(`${unit.repeat(20_000)}\n# a`, "none");
    expect(computedMs() - startedAt).toBeLessThan(2_000);
  });
});
