import { describe, expect, it } from "vitest";
import { ACCEPTED } from "../../../world/crewai-declared/accepted.ts";
import { compareOutcomes } from "../../../world/crewai-declared/compare.ts";
import { programsOf } from "../../../world/crewai-declared/generate.ts";
import type { Outcome, Program } from "../../../world/crewai-declared/program.ts";
import { runDeclared } from "../../../world/crewai-declared/run-edgecrew.ts";
import { Tree, type Part } from "../../../world/crewai-declared/tree.ts";
import { isSameButTexts } from "../../../world/crewai-declared/texts.ts";
import { explain } from "../../../world/support/accepted.ts";

const program: Program = {
  id: "p",
  kind: "expression",
  flow: {
    name: "P",
    methods: { go: { start: true, do: { call: "expression", expr: "7 / 2.0" } } },
  },
  inputs: {},
};
const gave = (value: number | string): Outcome => ({ status: "completed", value, state: {} });
const failed = (message: string): Outcome => ({ status: "failed", message });

function sorted(ours: Outcome, theirs: Outcome) {
  return explain([compareOutcomes(program, ours, theirs)], ACCEPTED, () => "differs");
}

describe("random declared flows", () => {
  it("are the same for the same seed, and other ones for another", () => {
    expect(programsOf(3, 50)).toEqual(programsOf(3, 50));
    expect(programsOf(4, 50)).not.toEqual(programsOf(3, 50));
  });

  it("are of every kind, and most of them run", async () => {
    const programs = programsOf(1, 120);
    expect(new Set(programs.map(({ kind }) => kind)).size).toBe(7);
    const outcomes = await Promise.all(programs.map(runDeclared));
    expect(outcomes.filter(({ status }) => status === "completed").length).toBeGreaterThan(70);
  });
});

describe("a comparison of declared flows", () => {
  it("takes two failures as equal, and looks at the value and the state of two results", () => {
    expect(sorted(failed("a"), failed("b"))).toMatchObject({ passed: 1 });
    expect(sorted(gave(1), gave(1))).toMatchObject({ passed: 1 });
    expect(sorted(gave(1), gave(2)).failures).toHaveLength(1);
  });

  it("explains by a row only the row's own subject", () => {
    const overload = "found no matching overload for 'x' applied to '(IntType, DoubleType)'";
    expect(sorted(gave(3.5), failed(overload)).differences).toEqual({ D2: 1 });
    expect(sorted(gave(3.5), gave(3)).differences).toEqual({ D2: 1 });
    expect(sorted(gave(3.5), failed("division by zero")).failures).toHaveLength(1);
    expect(sorted(failed(overload), gave(3.5)).failures).toHaveLength(1);
  });

  it("explains no difference by a feature of another expression", () => {
    const inBoth = (first: string, second: string): Program => ({
      ...program,
      flow: {
        name: "P",
        methods: {
          first: { start: true, do: { call: "expression", expr: first } },
          second: { listen: "first", do: { call: "expression", expr: second } },
        },
      },
    });
    const rowsOf = (of: Program, ours: Outcome, theirs: Outcome) =>
      explain([compareOutcomes(of, ours, theirs)], ACCEPTED, () => "differs").differences;
    const key = failed('the expression "x" failed: no such key: gone');
    expect(rowsOf(inBoth("size([1])", "state.gone"), key, gave(1))).toEqual({});
    expect(rowsOf(inBoth("1", "size([state.gone])"), key, gave(1))).toEqual({ D16: 1 });
    expect(
      rowsOf(inBoth("1", 'size({"a": [][0]})'), failed("x: the index 0 is out of bounds"), gave(1)),
    ).toEqual({ D16: 1 });
    const refused = failed("x cannot be used: no such overload: int + string");
    expect(rowsOf(inBoth("true ? 1 : 2", "1 + 'a'"), refused, gave(1))).toEqual({});
    expect(rowsOf(inBoth("1", "true ? 1 : 1 + 'a'"), refused, gave(1))).toEqual({ D6: 1 });
    expect(rowsOf(inBoth("1", "false ? 1 : 1 + 'a'"), refused, gave(1))).toEqual({});
  });

  it("evaluates each part of an expression for all items of its macros", () => {
    const tree = new Tree("state.items.map(x, x / 0.0 > 1 ? x : 'a')", {
      state: { items: [1, 2] },
    });
    const part = (text: string) => tree.parts.find((each) => each.text === text);
    expect(tree.types(part("x") as Part)).toEqual(["int"]);
    expect(tree.values(part("x") as Part)).toEqual([1, 2]);
    expect(tree.isReached(part("'a'") as Part)).toBe(false);
  });

  it("knows texts of Python from those of JSON", () => {
    expect(isSameButTexts(["[1,2]", "true"], ["ListType([IntType(1), IntType(2)])", "True"])).toBe(
      true,
    );
    expect(isSameButTexts({ a: "n: 2" }, { a: "n: 2.0" })).toBe(true);
    expect(isSameButTexts("2", "3")).toBe(false);
    expect(isSameButTexts(2, "2")).toBe(false);
  });
});
