import { expect, it } from "vitest";
import { flowNamed, flowProgram } from "../../../world/crewai-flows/generate.ts";

const programs = Array.from({ length: 200 }, (_, index) => flowProgram(7, index));

it("equal seeds give equal flows, and a flow does not depend on how many are made", () => {
  expect(flowProgram(7, 199)).toEqual(programs[199]);
  expect(flowProgram(8, 199)).not.toEqual(programs[199]);
});

it("a flow is made again by its id", () => {
  expect(flowNamed("f7-199")).toEqual(programs[199]);
  expect(() => flowNamed("f7")).toThrow("there is no program f7");
});

it("200 flows have every feature", () => {
  const methods = programs.flatMap((program) => program.methods);
  const rare = (
    ["emit", "review", "fail", "writes", "persist", "sync", "inner", "crew", "reply"] as const
  ).filter((field) => methods.filter((method) => method[field] !== undefined).length < 4);
  expect(rare).toEqual([]);
  expect(programs.filter(({ kickoffs }) => kickoffs.length > 1).length).toBeGreaterThan(5);
  expect(programs.filter(({ pauses }) => pauses === true).length).toBeGreaterThan(20);
  expect(programs.filter(({ talk }) => talk !== undefined).length).toBeGreaterThan(10);
  expect(
    programs.filter(({ maxMethodCalls }) => maxMethodCalls !== undefined).length,
  ).toBeGreaterThan(3);
});

it("no two methods of a flow take the same time", () => {
  const isAtOnce = ({ methods, talk }: (typeof programs)[number]): boolean =>
    talk === undefined && methods.some(({ delay }) => delay !== 1);
  for (const { methods } of programs.filter(isAtOnce))
    expect(new Set(methods.map(({ delay }) => delay)).size).toBe(methods.length);
});
