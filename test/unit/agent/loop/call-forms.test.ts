import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsIn, finishOf, readCall } from "../../../../src/agent/loop/call-forms.ts";
import { readAnswer } from "../../../../src/agent/loop/read-answer.ts";
import { withoutThoughts } from "../../../../src/model-calls/thoughts.ts";
import { toolBox } from "../../../../src/tools/tool-box.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const knows = (name: string): boolean => name === "search";

describe("callsIn", () => {
  it("WC1: returns unreadable arguments as text, for the argument check", () => {
    const text = '<tool_call>{"name": "search", "arguments": {"query": "Fu';
    expect(callsIn(text, knows)?.calls).toEqual([{ name: "search", arguments: '{"query": "Fu' }]);
  });

  it("WC1: returns the text before the calls", () => {
    const text = 'I look.\n{"name": "search", "parameters": {}}';
    expect(callsIn(text, knows)).toEqual({
      calls: [{ name: "search", arguments: "{}" }],
      before: "I look.",
      isQuoted: false,
    });
    expect(callsIn(text, () => false)).toBeUndefined();
  });

  it("WC2: leaves data alone", () => {
    for (const text of [
      '{"name": "search", "arguments": {}, "price": 3}',
      '{"name": "search"}',
      '{"name": "search", "arguments": {}} is how it looks.',
      '```\n<tool_call>{"name": "search", "arguments": {}}</tool_call>\n```\nis an example.',
    ])
      expect(callsIn(text, knows)).toBeUndefined();
  });

  it.each([
    "<tool_call>\n",
    "<function=a>\n",
    '<tool_call>{"name": "a", ',
    "{",
    "search(",
    "search (a\n",
    "[",
    "```json\n",
    "Action: a(",
    '{"a":"\n',
    "<|a|>",
    "Observation:\n",
    "Final Answer: ",
    " a (b",
    " ",
  ])("takes no long time for 20,000 times %j", (unit) => {
    const text = unit.repeat(20_000);
    const startedAt = computedMs();
    callsIn(text, knows);
    readCall(text);
    finishOf(text);
    for (const form of ["text", "none"] as const)
      readAnswer(withoutThoughts(`Action: a\n${text}`), { form, marker: "\nObservation:" });
    toolBox([]).findClosest(text.slice(0, 100_000));
    expect(computedMs() - startedAt).toBeLessThan(3_000);
  });

  it("never throws, for any text of a model", () => {
    const pieces = fc.constantFrom(
      "<tool_call>",
      "</tool_call>",
      "<function=search>",
      "<parameter=a>",
      "</parameter>",
      "[TOOL_CALLS]",
      '{"name": "search", "arguments": {}}',
      '{"name": "search", "arguments": {',
      "search(",
      "a=1",
      ")",
      "```json\n",
      "\n",
      "Final Answer:",
      "Action: search\n",
      "Observation:",
      "x",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
        const text = all.join("");
        for (const { name } of callsIn(text, knows)?.calls ?? [])
          expect(typeof name).toBe("string");
        for (const form of ["text", "native", "none"] as const)
          expect(typeof readAnswer(text, { form, marker: "\nObservation:" })).toBe("string");
      }),
    );
  });
});
