import { load } from "js-yaml";
import { expect, it } from "vitest";
import { copiedCrew } from "../../../../console/pages/editor/copied.ts";
import { toYaml } from "../../../../console/pages/editor/yaml-text.ts";

it("writes YAML with the same value (CO21)", () => {
  const values = [
    { plain: "Know the harbour", yes: "yes", Null: null, n: 1.5, on: true, "odd key: ": "x" },
    { empty: {}, none: [], deep: [[1, [2]], { a: { b: ["c"] } }, "text\nof lines"] },
    {
      text: "one\n\n  two\nthree\n",
      ends: "a\nb",
      late: "a\nb\n\n",
      tab: "a\tb\n c",
      cr: "a\r\nb",
    },
    {
      hard: "- x",
      colon: "a: b",
      hash: "a #b",
      quote: 'say "x"',
      lead: " a\nb",
      blank: "",
      u: "é\u2028",
    },
    ["a", { b: "c", d: "e\nf" }, "2027-01-01", "0x1f", "1e3", "~", "trailing \nblank"],
    "alone",
  ];
  for (const value of values) expect(load(toYaml(value))).toEqual(value);
});

it("copies a crew of the code with its prompts, and names the parts left behind (CO21)", () => {
  const beyond = { guardrails: 2, async: true, humanInput: true, context: [] };
  const text = copiedCrew({
    name: "notes",
    source: "code",
    process: "sequential",
    agents: [
      { role: "Senior writer", goal: "Write\nmuch", backstory: "B", tools: [{ name: "search" }] },
    ],
    tasks: [
      {
        ...beyond,
        name: "write",
        description: "About {topic}",
        agent: "Senior writer",
        expectedOutput: "A page",
      },
    ],
    inputSchema: { type: "object", properties: { topic: { default: "tea" }, log: {} } },
  });
  expect(text).toContain("# Not copied: 2 guardrails of write.");
  expect(load(text)).toEqual({
    inputs: { topic: "tea" },
    agents: {
      senior_writer: {
        role: "Senior writer",
        goal: "Write\nmuch",
        backstory: "B",
        tools: ["search"],
      },
    },
    tasks: [
      {
        name: "write",
        description: "About {topic}",
        expectedOutput: "A page",
        agent: "senior_writer",
        context: [],
        asyncExecution: true,
        humanInput: true,
      },
    ],
  });
});
