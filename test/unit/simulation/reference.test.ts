// What the oracle's reference allows, where the random search alone would not notice that it allows too much.
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { Variants } from "../../simulation/deploys.ts";
import type { ProgramNode, ToolNode } from "../../simulation/program.ts";
import { Reference, type Facts } from "../../simulation/reference.ts";

const step = (name: string): ProgramNode => ({
  type: "step",
  name,
  kind: "effect",
  ending: "value",
  times: 0,
  ms: 0,
  value: "small",
});
const tool = (body: ProgramNode): ToolNode => ({
  type: "tool",
  name: "tool",
  fails: 0,
  body,
  more: null,
});
const both = (...body: readonly ProgramNode[]): ProgramNode => ({
  type: "parallel",
  name: "both",
  body,
});

const QUIET: Facts = {
  mayBeAnsweredBy: () => false,
  answered: () => false,
  recorded: () => undefined,
  asked: (input) => [input],
  wasCutOff: () => false,
  toolFailures: () => 0,
  toolAttempts: () => 0,
  child: () => undefined,
  methodEvents: () => [],
  review: () => undefined,
};

describe("an output after deploys that renamed different places", () => {
  const mayReturn = (program: ProgramNode, output: JsonValue): boolean => {
    const variants = new Variants(program, [null, 0, 1]);
    const last = variants.program(1);
    return new Reference(QUIET, variants).mayReturn(last, { key: "", input: "x" }, output);
  };

  it("may have any of their names inside an ended tool", () => {
    const program = both(tool(step("a")), step("b"));
    for (const name of ["a", "a-(new)"])
      expect(mayReturn(program, [`0:tool/in:${name}|x`, "1:b-(new)|x"])).toBe(true);
  });

  it("has all names inside one tool from one code", () => {
    const program = tool(both(step("a"), step("b")));
    const of = (a: string, b: string): JsonValue => [`in:both/0:${a}|x`, `in:both/1:${b}|x`];
    expect(mayReturn(program, of("a-(new)", "b"))).toBe(true);
    expect(mayReturn(program, of("a", "b-(new)"))).toBe(true);
    expect(mayReturn(program, of("a-(new)", "b-(new)"))).toBe(false);
  });

  it("has the last code's names when no step had ended as a whole", () => {
    const program = both(step("a"), step("b"));
    expect(mayReturn(program, ["0:a|x", "1:b-(new)|x"])).toBe(true);
    expect(mayReturn(program, ["0:a-(new)|x", "1:b|x"])).toBe(false);
    expect(mayReturn(program, ["0:a-(new)|x", "1:b-(new)|x"])).toBe(false);
  });
});

describe("a tool that fails half through", () => {
  const program = tool(step("a"));
  const mayFail = (failures: number, attempts: number): boolean => {
    const facts = { ...QUIET, toolFailures: () => failures, toolAttempts: () => attempts };
    const reference = new Reference(facts, new Variants(program, [null]));
    return reference.mayFail(program, "tool", { code: "unavailable", message: "not yet: tool" });
  };

  it("may fail for good once its attempts are used up, by any cause", () => {
    expect(mayFail(1, 3)).toBe(true);
    expect(mayFail(1, 2)).toBe(false);
    expect(mayFail(0, 3)).toBe(false);
  });
});
