import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAtObservation, parseReAct } from "../../../../src/agent/loop/react-parser.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const action = (tool: string, input: string, thought = "") => ({
  kind: "action",
  tool,
  input,
  thought,
});
const finish = (output: string, thought: string) => ({ kind: "finish", output, thought });
const inputOf = (input: string): string => {
  const step = parseReAct(`Thought: t\nAction: search\nAction Input: ${input}`);
  return step.kind === "action" ? step.input : `not an action: ${step.kind}`;
};
const reasonOf = (text: string): string => {
  const step = parseReAct(text);
  return step.kind === "error" ? step.reason : step.kind;
};

describe("parseReAct", () => {
  it("reads thought, tool and input", () => {
    expect(parseReAct('Thought: find\nAction: search\nAction Input: {"query": "x"}')).toEqual(
      action("search", '{"query": "x"}', "Thought: find"),
    );
  });

  it("RE2: keeps an input in prose", () => {
    expect(inputOf("what is the temperature in SF?")).toBe("what is the temperature in SF?");
  });

  it("strips emphasis from the tool and quotes from the input", () => {
    expect(parseReAct('Thought: t\nAction: **search**\nAction Input: "what is temp"')).toEqual(
      action("search", "what is temp", "Thought: t"),
    );
  });

  it("reads a final answer", () => {
    expect(parseReAct("Thought: done\nFinal Answer: 42")).toEqual(finish("42", "Thought: done"));
  });

  it("RE1: lets an answer win over an action", () => {
    expect(
      parseReAct(
        'Thought: a\nAction: search\nAction Input: {"q":"x"}\nObservation: y\nFinal Answer: z',
      ),
    ).toEqual(finish("z", "Thought: a"));
  });

  it("RE1: takes the last of two answers", () => {
    expect(parseReAct("Final Answer: first\nFinal Answer: second")).toEqual(
      finish("second", "Final Answer: first"),
    );
  });

  it("keeps the fences of a fenced answer", () => {
    const code = "```js\nlet a = 1;\n```";
    expect(parseReAct(`Thought: done\nFinal Answer: ${code}`)).toEqual(
      finish(code, "Thought: done"),
    );
  });

  it("drops a closing fence without an opening one", () => {
    expect(parseReAct("Thought: done\nFinal Answer: ok\n```")).toEqual(
      finish("ok", "Thought: done"),
    );
  });

  it("calls prose a missing action", () => {
    expect(reasonOf("just some prose")).toBe("missing_action");
  });

  it("calls an action without input a missing input", () => {
    expect(reasonOf("Thought: I should\nAction: search")).toBe("missing_action_input");
  });

  it("calls an input without action a missing action", () => {
    expect(reasonOf('Thought: x\nAction Input: {"a":1}')).toBe("missing_action");
  });

  it("reports a format error for an input before its action", () => {
    expect(reasonOf('Action Input: {"a":1}\nAction: search')).toBe("format");
  });

  it("reads numbered labels", () => {
    expect(parseReAct('Action 1: search\nAction 1 Input 1: {"a": 1}')).toEqual(
      action("search", '{"a": 1}', "Action 1: search"),
    );
  });

  it.each([
    ["[1, 2]", "[1, 2]"],
    ["{'a': 'b', c: 1,}", '{"a": "b", "c": 1}'],
    ['{"task": "a", "coworker": "b', '{"task": "a", "coworker": "b"}'],
    ["{}", "{}"],
    ["", ""],
    ['{"a": """b"""}', '{"a": "b"}'],
  ])("RE2: reads the input %j", (input, expected) => {
    expect(inputOf(input)).toBe(expected);
  });

  it.each(['"{\\"query\\": \\"a \\\\u2014 b\\"}"', '{"a": "\\u2014"}', '{"a": 5, "'])(
    "RE2: leaves the input %s to the parser of arguments",
    (input) => {
      expect(inputOf(input)).toBe(input);
    },
  );

  it("RE2, RE4: takes the first tool, and everything after the first input", () => {
    const step = parseReAct(
      'Action: a\nAction Input: {"q": "x"}\nAction: b\nAction Input: {"q": "y"}',
    );
    expect(step).toEqual(
      action("a", '{"q": "x"}\nAction: b\nAction Input: {"q": "y"}', "Action: a"),
    );
  });

  it("LA1: reads labels in any case", () => {
    expect(parseReAct("Thought: x\nfinal answer: 42")).toMatchObject({ output: "42" });
  });

  it("reads labels in bold", () => {
    expect(parseReAct('Thought: t\n**Action:** search\n**Action Input:** {"a": 1}')).toEqual(
      action("search", '{"a": 1}', "Thought: t"),
    );
    expect(parseReAct("Thought: t\n**Final Answer:** 42")).toEqual(finish("42", "Thought: t"));
  });

  it("removes code fences from the thought", () => {
    expect(parseReAct("```\nThought: t\nAction: a\nAction Input: b")).toMatchObject({
      thought: "Thought: t",
    });
  });

  it("RE3: never throws, for any text of a model", () => {
    const pieces = fc.constantFrom(
      "Thought:",
      "Action:",
      "Action Input:",
      "Final Answer:",
      "\n",
      " ",
      "{",
      '"',
      "[",
      "```",
      "*",
      "1",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 40 }).map((all) => all.join("")),
        ),
        (text) => {
          expect(["action", "finish", "error"]).toContain(parseReAct(text).kind);
        },
      ),
    );
  });

  it.each(["Action ", "Action      ", "*", "\nAction 1", " ", '"', "{", "```"])(
    "takes no long time for 30,000 times %j",
    (unit) => {
      const text = `Action: ${unit.repeat(30_000)}`;
      const startedAt = computedMs();
      parseReAct(text);
      parseReAct(`${text}\nAction Input: ${unit.repeat(30_000)}`);
      expect(computedMs() - startedAt).toBeLessThan(1_000);
    },
  );
});

describe("cutAtObservation", () => {
  it("cuts before the first line with the marker", () => {
    expect(
      cutAtObservation(
        "Action: a\nAction Input: b\nObservation: invented\nFinal Answer: c",
        "\nObservation:",
      ),
    ).toBe("Action: a\nAction Input: b");
  });

  it("leaves text without such a line alone", () => {
    expect(cutAtObservation("an Observation: inline", "\nObservation:")).toBe(
      "an Observation: inline",
    );
  });
});
