import { expect, it } from "vitest";
import {
  ACCEPTED_FLOWS,
  hasOrOverLabel,
  hasRace,
  hasSiblingRouters,
} from "../../../world/crewai-flows/accepted.ts";
import type { FlowDifference } from "../../../world/crewai-flows/compare.ts";
import type { FlowProgram, Method } from "../../../world/crewai-flows/flow-program.ts";

const begin: Method = { name: "m0", delay: 1, start: true };

function flow(...methods: readonly Method[]): FlowProgram {
  return { id: "f", methods: [begin, ...methods], kickoffs: [{ inputs: {} }] };
}

const plain = flow({ name: "m1", delay: 2, listen: "m0" });
const racing = flow(
  { name: "m1", delay: 2, listen: "m0" },
  { name: "m2", delay: 3, listen: "m0" },
  { name: "m3", delay: 4, listen: { or: ["m1", "m2"] } },
);
const oneAfterAnother = flow(
  { name: "m1", delay: 2, listen: "m0" },
  { name: "m2", delay: 3, listen: "m1" },
  { name: "m3", delay: 4, listen: { or: ["m1", "m2"] } },
);
const router: Method = { name: "m1", delay: 2, listen: "m0", emit: ["L"], labels: ["L"] };

function rowsOf(difference: Partial<FlowDifference>): readonly string[] {
  const whole: FlowDifference = {
    program: plain,
    mode: "compat",
    kickoff: 0,
    field: "ran",
    ours: undefined,
    theirs: undefined,
    isCompatEqual: true,
    ...difference,
  };
  return ACCEPTED_FLOWS.filter((row) => row.matches(whole)).map(({ id }) => id);
}

it("each row has an id of its own", () => {
  expect(new Set(ACCEPTED_FLOWS.map(({ id }) => id)).size).toBe(ACCEPTED_FLOWS.length);
});

it("no row explains a difference of a plain flow", () => {
  for (const mode of ["compat", "native"] as const)
    for (const field of ["refused", "status", "ran", "arguments", "value", "state"] as const)
      expect(rowsOf({ mode, field })).toEqual([]);
});

it("a race is two methods of one trigger that an or alone waits for", () => {
  expect([racing, oneAfterAnother].map(hasRace)).toEqual([true, false]);
  expect(rowsOf({ program: racing })).toEqual(["flow-race"]);
});

it("finds routers of one trigger, and an or over a label", () => {
  expect(hasSiblingRouters(flow(router, { ...router, name: "m2" }))).toBe(true);
  expect(hasSiblingRouters(flow(router))).toBe(false);
  expect(hasOrOverLabel(flow(router, { name: "m2", delay: 3, listen: { or: ["m1", "L"] } }))).toBe(
    true,
  );
  expect(hasOrOverLabel(racing)).toBe(false);
});

it("a rule of native mode explains nothing where compat differs as well", () => {
  const program = flow(router, { ...router, name: "m2", delay: 3 });
  expect(rowsOf({ program, mode: "native" })).toEqual(["flow-native-sibling-routers"]);
  expect(rowsOf({ program, mode: "native", isCompatEqual: false })).toEqual([]);
  expect(rowsOf({ program })).toEqual([]);
});

it("what began after a failure is explained only where all of ours began there too", () => {
  const failed = (...ran: readonly string[]) =>
    ({ status: "failed", message: "fails m0", ran: ran.map((name): [string] => [name]) }) as const;
  expect(rowsOf({ ours: failed("m0"), theirs: failed("m0", "m1") })).toEqual([
    "flow-after-failure",
  ]);
  expect(rowsOf({ ours: failed("m0", "m1"), theirs: failed("m0") })).toEqual([]);
});
