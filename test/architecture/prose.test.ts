import { describe, expect, it } from "vitest";
import { beyondGoals, measure, proseByRoom, sentencesOf } from "../support/prose.ts";
import { testNamesOf } from "../support/test-names.ts";

describe("prose", () => {
  const rooms = proseByRoom();

  it("measures every room", () => {
    expect(Object.keys(rooms).length).toBeGreaterThan(50);
  });

  it.each(Object.entries(rooms))("%s keeps the goals", (_, prose) => {
    expect(beyondGoals(prose)).toEqual([]);
  });
});

describe("the measure", () => {
  it("counts texts with a relative clause at the beginning", () => {
    const { texts, clauseFirst } = measure([
      "*\n * What a run has done.",
      " Whether it ended.",
      "Those of this room",
      " The time in ms, that is all.",
      " `What` is a name.",
      "----",
    ]);
    expect({ texts, clauseFirst }).toEqual({ texts: 5, clauseFirst: 3 });
  });

  it("counts words outside of code and addresses", () => {
    const { words, what, that, said, nobody } = measure([
      "It says that nobody said `what` to https://what.example/that, none.",
    ]);
    expect({ words, what, that, said, nobody }).toEqual({
      words: 7,
      what: 0,
      that: 1,
      said: 2,
      nobody: 2,
    });
  });

  it.each([
    [{ texts: 1000, words: 10_000, clauseFirst: 29, what: 19, that: 119, said: 9, nobody: 29 }, []],
    [
      { texts: 1000, words: 10_000, clauseFirst: 31, what: 21, that: 121, said: 11, nobody: 31 },
      ["clauseFirst", "what", "that", "said", "nobody"],
    ],
    [{ texts: 10, words: 100, clauseFirst: 2, what: 2, that: 2, said: 2, nobody: 2 }, []],
  ])("finds the marks beyond the goals in %j", (prose, expected) => {
    expect(beyondGoals(prose).map(({ mark }) => mark)).toEqual(expected);
  });

  it("reads names of tests, also after a table", () => {
    const source = [
      'describe("a room", () => {',
      '  it("keeps \\"words\\"", () => {});',
      "  it.each([[f(1)]])('counts %i', () => {});",
      "  expect.soft(1);",
      "});",
    ].join("\n");
    expect(testNamesOf("a.test.ts", source)).toEqual([
      { value: "a room", line: 1 },
      { value: 'keeps \\"words\\"', line: 2 },
      { value: "counts %i", line: 3 },
    ]);
  });

  it("reads the sentences of a page without code, headings and tables", () => {
    const page =
      "# What\n\nA run ends. It says so.\n- One item\n\n```ts\nwhat();\n```\n| what | that |\n";
    expect(sentencesOf(page)).toEqual(["A run ends.", "It says so.", "One item"]);
  });
});
