import { expect, it } from "vitest";
import { and, or } from "../../../../src/flow/condition.ts";
import { mermaidOf } from "../../../../src/flow/plot/mermaid.ts";
import { applyEvent, noProgress } from "../../../../src/flow/plot/run-progress.ts";

const definition = {
  name: "f",
  methods: {
    begin: { start: true },
    facts: { listen: or("begin", "revise") },
    draft: {
      listen: or(and("facts", "begin"), "again"),
      humanFeedback: { message: "?", emit: ["publish", "revise"] },
    },
    pick: { listen: "facts", router: true, emit: ['a "b" <c>|end`'] },
    guess: { listen: "facts", router: true },
  },
} as const;

it("writes methods by kind, labels on links, joins, and dotted lines for unknown labels", () => {
  expect(mermaidOf(definition).split("\n")).toEqual([
    "flowchart TD",
    '  n0(["begin"])',
    '  n1["facts (OR)"]',
    '  n2[/"draft (OR)"/]',
    '  n3{"pick"}',
    '  n4{"guess"}',
    '  n9{{"AND"}}',
    '  n5((" "))',
    '  n2 -->|"publish"| n5',
    '  n2 -->|"revise"| n1',
    '  n7((" "))',
    '  n3 -->|"a #34;b#34; #60;c#62;#124;end#96;"| n7',
    '  n4 -.->|"again"| n2',
    "  n0 --> n1",
    "  n1 --> n9",
    "  n0 --> n9",
    "  n9 --> n2",
    "  n1 --> n3",
    "  n1 --> n4",
    "",
  ]);
});

it("shows the states of a run", () => {
  const progress = noProgress(definition);
  const at = "2026-01-01T00:00:00Z";
  const event = { seq: 1, type: "method_execution_finished", path: "method:begin", at };
  applyEvent(progress, event);
  const text = mermaidOf(definition, progress);
  expect(text).toContain("  class n0 done\n");
  expect(text).toContain("  class n1,n2,n3,n4 idle\n");
  expect(text).toMatch(/ {2}classDef done stroke:#\w+/);
});
