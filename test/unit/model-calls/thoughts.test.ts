import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  thoughtListeners,
  thoughtsIn,
  withoutThoughts,
} from "../../../src/model-calls/thoughts.ts";
import { computedMs } from "../../support/computed-ms.ts";

/** What listeners are told of a text that comes in pieces of `size`. */
function streamed(text: string, size: number) {
  const told = { text: "", thoughts: "" };
  const listeners = thoughtListeners({
    onDelta: (piece) => (told.text += piece),
    onThinking: (piece) => (told.thoughts += piece),
  });
  for (let at = 0; at < text.length; at += size) listeners.onDelta?.(text.slice(at, at + size));
  listeners.end();
  return told;
}

describe("thoughtsIn", () => {
  it.each([
    ["<think>a</think>b", "a"],
    ["Thought: <think>a</think>b", "a"],
    ["a\n</think>\nb", "a"],
    ["<think>a", "a"],
    ["<think>b</think>b", "b"],
    ["b<|eot_id|>", ""],
    ["b", ""],
    ["<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b<|return|>", ""],
  ])("TK1: %j has the thoughts %j", (text, thoughts) => {
    expect(thoughtsIn(text)).toBe(thoughts);
  });
});

describe("withoutThoughts", () => {
  it.each([
    ["<think>a</think>b", "b"],
    ["\n<Thinking>\na\n</Thinking>\n\nb\n", "b\n"],
    ["Thought: <think>a</think>b", "b"],
    ["a\n</think>\nb", "b"],
    ["<think>a", ""],
    ["<think>a\n**Action:** x\nAction Input: {}", "**Action:** x\nAction Input: {}"],
    ["◁think▷a◁/think▷b", "b"],
    ["<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b<|return|>", "b"],
    ["b<|eot_id|>", "b"],
  ])("TK1, TK3: %j is %j", (text, answer) => {
    expect(withoutThoughts(text)).toBe(answer);
  });

  it.each([
    "b",
    " b <think>a</think>",
    "`</think>`\nb",
    "```\n<think>a</think>\n```",
    '{"a": "</think>"}',
    "<s>old</s>",
    "the tag </think> closes thoughts",
  ])("TK2: %j stays", (text) => {
    expect(withoutThoughts(text)).toBe(text);
  });

  it("runs in linear time on any input", () => {
    for (const unit of ["<think>", "</think>\n", "```\n</think>\n", "\n\n", "<|channel|>final"]) {
      const startedAt = computedMs();
      withoutThoughts(unit.repeat(20_000));
      withoutThoughts(`<think>${unit.repeat(20_000)}`);
      expect(computedMs() - startedAt).toBeLessThan(1_000);
    }
  });
});

describe("thoughtListeners", () => {
  it("TK1: passes thoughts as thoughts, in any pieces", () => {
    for (const size of [1, 2, 5, 100])
      expect(streamed("<think>six by\nseven</think>\n\nIt is 42.", size)).toEqual({
        text: "It is 42.",
        thoughts: "six by\nseven",
      });
  });

  it("TK2: gives other text as it comes", () => {
    expect(streamed("<th is no tag", 1)).toEqual({ text: "<th is no tag", thoughts: "" });
    expect(streamed("a <think>b</think>", 3)).toEqual({ text: "a <think>b</think>", thoughts: "" });
  });

  it("TK3: takes the answer out of unclosed thoughts", () => {
    expect(streamed("<think>a\nFinal Answer: b", 4).text).toBe("Final Answer: b");
  });

  it("passes the same text as the answer when tags are complete", () => {
    const pieces = fc.constantFrom("<think>", "</think>", "a", " ", "\n", "<", "think", "`");
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (all, size) => {
          const text = all.join("");
          // A closing tag alone is known only once it came: what was said before it was said.
          fc.pre(
            !/^[^<]*<\/think>|<\/think>[^]*<\/think>/.test(
              text.replace(/<think>[^]*?<\/think>/, ""),
            ),
          );
          fc.pre(!text.includes("</think>") || text.trimStart().startsWith("<think>"));
          fc.pre((text.match(/<\/think>/g)?.length ?? 0) <= 1);
          expect(streamed(text, size).text).toBe(withoutThoughts(text));
        },
      ),
    );
  });
});
