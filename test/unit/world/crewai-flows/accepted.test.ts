import { expect, it } from "vitest";
import {
  ACCEPTED_FLOWS,
  orsOverLabels,
  racing as racingIn,
  siblingRouters,
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

it("a race is two methods of one trigger followed by an `or` only", () => {
  expect([racing, oneAfterAnother].map(racingIn)).toEqual([["m3", "m1", "m2"], []]);
  const ran = (...names: readonly string[]) =>
    ({ status: "completed", ran: names.map((name): [string] => [name]) }) as const;
  const all = ran("m0", "m1", "m2", "m3");
  expect(rowsOf({ program: racing, ours: all, theirs: ran("m0", "m1", "m3") })).toEqual([
    "flow-race",
  ]);
  expect(rowsOf({ program: racing, ours: all, theirs: ran("m1", "m2", "m3") })).toEqual([]);
});

it("finds routers of one trigger, and an or over a label", () => {
  expect(siblingRouters(flow(router, { ...router, name: "m2" }))).toEqual(["m1", "m2"]);
  expect(siblingRouters(flow(router))).toEqual([]);
  expect(
    orsOverLabels(flow(router, { name: "m2", delay: 3, listen: { or: ["m1", "L"] } })),
  ).toEqual(["m2"]);
  expect(orsOverLabels(racing)).toEqual([]);
});

it("a rule of native mode does not apply when compat differs as well", () => {
  const program = flow(router, { ...router, name: "m2", delay: 3 });
  const ours = { status: "completed", ran: [["m0"], ["m1"]] } as const;
  const theirs = { status: "completed", ran: [["m0"], ["m1"], ["m2"]] } as const;
  const of = { program, ours, theirs };
  expect(rowsOf({ ...of, mode: "native" })).toEqual(["flow-native-sibling-routers"]);
  expect(rowsOf({ ...of, mode: "native", isCompatEqual: false })).toEqual([]);
  expect(rowsOf(of)).toEqual([]);
});

it("a start after a failure is explained only when all of ours began there too", () => {
  const failed = (...ran: readonly string[]) =>
    ({ status: "failed", message: "fails m0", ran: ran.map((name): [string] => [name]) }) as const;
  expect(rowsOf({ ours: failed("m0"), theirs: failed("m0", "m1") })).toEqual([
    "flow-after-failure",
  ]);
  expect(rowsOf({ ours: failed("m0", "m1"), theirs: failed("m0") })).toEqual([]);
});

it("an equal write explains only fields replaced by several methods", () => {
  const writing = (field: "text" | "counts", ...names: readonly string[]): readonly Method[] =>
    names.map((name, index) => ({
      name,
      delay: index + 2,
      listen: "m0",
      writes: [{ op: "set", field, value: name }],
    }));
  const state = (text: string, counts: string) =>
    ({ status: "completed", ran: [], state: { text, counts } }) as const;
  const sides = { field: "state", ours: state("a", "b"), theirs: state("a", "c") } as const;
  const rows = (...methods: readonly Method[]) => rowsOf({ ...sides, program: flow(...methods) });
  expect(rows(...writing("counts", "m1", "m2"))).toEqual(["flow-equal-write"]);
  expect(rows(...writing("counts", "m1"))).toEqual([]);
  expect(rows(...writing("text", "m1", "m2"))).toEqual([]);
});

it("messages of a failed turn stay upstream only", () => {
  const program: FlowProgram = {
    id: "f",
    methods: [{ name: "m0", delay: 1, listen: "r1", fail: [1] }],
    talk: { turns: [{ message: "a" }, { message: "b" }] },
    kickoffs: [],
  };
  const after = (...said: readonly (readonly [string, string])[]) =>
    ({ status: "completed", ran: [], state: { route: "r1", said } }) as const;
  const ours = after(["user", "b"]);
  const of = { program, kickoff: 1, field: "state", ours } as const;
  expect(rowsOf({ ...of, theirs: after(["user", "a"], ["user", "b"]) })).toEqual([
    "flow-talk-failed-turn",
  ]);
  expect(rowsOf({ ...of, theirs: after(["user", "b"], ["user", "a"]) })).toEqual([]);
  expect(rowsOf({ ...of, kickoff: 0, theirs: after(["user", "a"], ["user", "b"]) })).toEqual([]);
});

it("a listener of any of several may run again after one armed by a label", () => {
  const program = flow(
    router,
    { name: "m2", delay: 3, listen: { or: ["m0", "L"] } },
    { name: "m3", delay: 4, listen: { or: ["m0", "m1"] } },
    { name: "m4", delay: 5, listen: "m0" },
  );
  const ran = (...names: readonly string[]) =>
    ({ status: "completed", ran: names.map((name): [string] => [name]) }) as const;
  const ours = ran("m0", "m1", "m2", "m3", "m4");
  const of = { program, mode: "native", ours } as const;
  expect(rowsOf({ ...of, theirs: ran("m0", "m1", "m2", "m2", "m3", "m3", "m4") })).toEqual([
    "flow-native-or-and-label",
  ]);
  expect(rowsOf({ ...of, theirs: ran("m0", "m1", "m2", "m3", "m4", "m4") })).toEqual([]);
});
