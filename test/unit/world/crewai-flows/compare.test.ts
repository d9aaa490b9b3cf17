import { expect, it } from "vitest";
import { causeOf, fieldsThatDiffer } from "../../../world/crewai-flows/compare.ts";
import type { Outcome, Result } from "../../../world/crewai-flows/flow-program.ts";

const done: Outcome = {
  status: "completed",
  value: 1,
  state: { a: 1, b: 2 },
  ran: [["m0"], ["m1", "x"]],
};

function differing(ours: Partial<Outcome>, theirs: Partial<Outcome> = {}): readonly string[] {
  const side = (outcome: Partial<Outcome>): Result => ({
    id: "f",
    kickoffs: [{ ...done, ...outcome }],
  });
  return fieldsThatDiffer({ ours: side(ours), theirs: side(theirs) }).fields;
}

it("outcomes with only another order of fields and starts are equal", () => {
  expect(differing({ state: { b: 2, a: 1 }, ran: [["m1", "x"], ["m0"]] })).toEqual([]);
});

it("names the differing fields", () => {
  expect(differing({ value: 2, state: {} })).toEqual(["value", "state"]);
  expect(differing({ ran: [["m0"]] })).toEqual(["ran"]);
  expect(differing({ ran: [["m0"], ["m1", "y"]] })).toEqual(["arguments"]);
  expect(differing({ status: "failed" })).toEqual(["status"]);
});

it("failures are compared by their cause", () => {
  const failed = (message: string): Partial<Outcome> => ({ status: "failed", message });
  expect(differing(failed("fails m1"), failed("ValueError: fails m1"))).toEqual([]);
  expect(differing(failed("fails m1"), failed("fails m2"))).toEqual(["message"]);
  expect(causeOf({ ...done, ...failed("method m1 was woken more than 2 times") })).toBe(
    causeOf({ ...done, ...failed("Method 'm1' has been called 2 times in this flow execution") }),
  );
});

it("stops at the first differing kickoff, and gives its index", () => {
  const ours = { id: "f", kickoffs: [done, { ...done, value: 2 }, { ...done, value: 3 }] };
  const theirs = { id: "f", kickoffs: [done, done, done] };
  expect(fieldsThatDiffer({ ours, theirs })).toEqual({ kickoff: 1, fields: ["value"] });
  expect(
    fieldsThatDiffer({ ours: { id: "f", refused: "no", kickoffs: [] }, theirs }).fields,
  ).toEqual(["refused"]);
});
