import { describe, expect, it } from "vitest";
import { ACCEPTED } from "../../../world/crewai-declared/accepted.ts";
import { compareOutcomes } from "../../../world/crewai-declared/compare.ts";
import { programsOf } from "../../../world/crewai-declared/generate.ts";
import type { Outcome, Program } from "../../../world/crewai-declared/program.ts";
import { runDeclared } from "../../../world/crewai-declared/run-edgecrew.ts";
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

  it("explains by a row only what the row is about", () => {
    const overload = "found no matching overload for 'x' applied to '(IntType, DoubleType)'";
    expect(sorted(gave(3.5), failed(overload)).differences).toEqual({ D2: 1 });
    expect(sorted(gave(3.5), failed("division by zero")).failures).toHaveLength(1);
    expect(sorted(failed(overload), gave(3.5)).failures).toHaveLength(1);
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
