import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { applyChange, overwritten, type StateChange } from "../../../src/flow/state-change.ts";
import { StateCopy } from "../../../src/flow/state-copy.ts";

type Work = (state: Record<string, any>, copy: StateCopy) => void; // oxlint-disable-line no-explicit-any -- any program of a user's

/** The change that some code makes, as the journal gives it back. */
function changeBy(before: JsonObject, work: Work): StateChange | undefined {
  const copy = new StateCopy(before);
  work(copy.state, copy);
  const { change } = copy.change();
  return change === undefined ? undefined : (JSON.parse(JSON.stringify(change)) as StateChange);
}

/** Where the state is when several pieces of code began with it at once, and ended one after another. */
function together(before: JsonObject, ...works: readonly Work[]): JsonValue | undefined {
  return works
    .map((work) => changeBy(before, work))
    .reduce<JsonValue | undefined>(
      (state, change) => (change === undefined ? state : applyChange(state, change)),
      before,
    );
}

const keys = fc.constantFrom("a", "b", "z", "1", "__proto__", "constructor");
const json = fc.jsonValue({ maxDepth: 3, depthSize: "small" }).map((value) => value as JsonValue);
const objects = fc.dictionary(keys, json, { maxKeys: 5 }).map((value) => ({ ...value }));

/** One thing that code does to a state. */
const deeds = fc.oneof(
  fc.record({
    do: fc.constant("assign" as const),
    at: fc.array(keys, { maxLength: 2 }),
    key: keys,
    value: json,
  }),
  fc.record({
    do: fc.constant("delete" as const),
    at: fc.array(keys, { maxLength: 2 }),
    key: keys,
    value: json,
  }),
  fc.record({
    do: fc.constant("push" as const),
    at: fc.array(keys, { maxLength: 2 }),
    key: keys,
    value: json,
  }),
  fc.record({
    do: fc.constant("add" as const),
    at: fc.array(keys, { maxLength: 2 }),
    key: keys,
    value: fc.integer(),
  }),
);
type Deed = typeof deeds extends fc.Arbitrary<infer One> ? One : never;

function doing(all: readonly Deed[]): Work {
  return (state, copy) => {
    for (const { do: what, at, key, value } of all) {
      let owner: Record<string, unknown> | undefined = state;
      for (const name of at)
        owner =
          owner !== undefined && Object.hasOwn(owner, name) ? asObject(owner[name]) : undefined;
      if (owner === undefined) continue;
      const there = Object.hasOwn(owner, key) ? owner[key] : undefined;
      if (what === "assign") own(owner, key, structuredClone(value));
      if (what === "delete") Reflect.deleteProperty(owner, key);
      if (what === "push" && Array.isArray(there)) there.push(structuredClone(value));
      if (what === "add" && typeof (there ?? 0) === "number") copy.add([...at, key], value);
    }
  };
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function own(owner: object, key: string, value: unknown): void {
  Object.defineProperty(owner, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

describe("changes of a state", () => {
  it("SC1: yield the method's final state with its keys in order, for any edits", () => {
    fc.assert(
      fc.property(objects, fc.array(deeds, { maxLength: 8 }), (before, all) => {
        const copy = new StateCopy(before);
        doing(all)(copy.state, copy);
        const { change, state } = copy.change();
        const after =
          change === undefined
            ? before
            : applyChange(before, JSON.parse(JSON.stringify(change)) as StateChange);
        expect(JSON.stringify(after)).toBe(JSON.stringify(state));
      }),
      { numRuns: 2_000 },
    );
  });

  it("SC1: two recorded parts equal one whole", () => {
    const parts = fc.array(deeds, { maxLength: 4 });
    fc.assert(
      fc.property(objects, parts, parts, (before, first, second) => {
        const whole = new StateCopy(before);
        for (const part of [first, second]) {
          const inner = new StateCopy(whole.state);
          doing(part)(inner.state, inner);
          const { change } = inner.change();
          if (change !== undefined) whole.apply(change);
        }
        const { change, state } = whole.change();
        const after = change === undefined ? before : applyChange(before, change);
        expect(JSON.stringify(after)).toBe(JSON.stringify(state));
      }),
      { numRuns: 1_000 },
    );
  });

  it("SC2: of two assignments of a field, the later value stays, for any kind of value", () => {
    fc.assert(
      fc.property(json, json, json, (old, first, second) => {
        fc.pre(JSON.stringify(second) !== JSON.stringify(old));
        const left = together(
          { field: old, other: 1 },
          (state) => (state["field"] = structuredClone(first)),
          (state) => (state["field"] = structuredClone(second)),
        );
        expect(JSON.stringify(left)).toBe(JSON.stringify({ field: second, other: 1 }));
      }),
      { numRuns: 1_000 },
    );
  });

  it("SC2: keeps the items of both appends, and edits of different fields of an object", () => {
    const before = { list: ["old"], person: { name: "Ada", age: 36, town: "x" }, n: 0 };
    expect(
      together(
        before,
        (state) => (state["list"].push("a"), (state["person"].name = "Eve")),
        (state) => (state["list"].push("b"), (state["person"].age = 37)),
        (state) => void delete state["person"].town,
      ),
    ).toEqual({ list: ["old", "a", "b"], person: { name: "Eve", age: 37 }, n: 0 });
  });

  it("SC2: does not mix assigned lists and objects", () => {
    const before = { list: [], point: { x: 0, y: 0 }, grows: ["a"] } as JsonObject;
    expect(
      together(
        before,
        (state) =>
          Object.assign(state, { list: ["a", "b"], point: { x: 1, y: 2 }, grows: ["a", "b"] }),
        (state) =>
          Object.assign(state, { list: ["a", "b"], point: { x: 3, y: 0 }, grows: ["a", "c"] }),
      ),
    ).toEqual({ list: ["a", "b"], point: { x: 3, y: 0 }, grows: ["a", "c"] });
  });

  it("SC2: a newly assigned whole state counts field by field", () => {
    const before = { a: 1, b: 2, log: [] as string[] };
    const copy = new StateCopy(before);
    copy.state = { ...copy.state, a: 5 };
    (copy.state["log"] as string[]).push("x");
    const { change } = copy.change();
    expect(applyChange({ a: 1, b: 9, log: ["y"] }, change ?? { set: null })).toEqual({
      a: 5,
      b: 9,
      log: ["y", "x"],
    });
  });

  it.each([
    ["three assignments of one number", 50, [7, 7, 7], 7],
    ["two assignments of 0", 50, [0, 0], 0],
    ["two assignments of a time", 0, [1_700_000_000_000, 1_700_000_000_001], 1_700_000_000_001],
    ["two assignments of a missing field", null, [100, 100], 100],
  ] as const)("SC2: %s leave the later", (...[, price, values, left]) => {
    const works = values.map(
      (value): Work =>
        (state) =>
          (state["price"] = value),
    );
    expect(together({ price }, ...works)).toEqual({ price: left });
  });

  it("SC2: counting up by assignment loses the increments of others", () => {
    const up: Work = (state) => state["n"]++;
    expect(together({ n: 0 }, up, up, up)).toEqual({ n: 1 });
  });

  it.each<[string, Work, Work, readonly string[]]>([
    ["a number", (s) => s["n"]++, (s) => s["n"]++ && s["n"]++, ["/n"]],
    ["no field, when both assign the same value", (s) => (s["n"] = 7), (s) => (s["n"] = 7), []],
    ["a list with another's items", (s) => s["list"].push(1), (s) => (s["list"] = [2]), ["/list"]],
    ["no field, when both append", (s) => s["list"].push(1), (s) => s["list"].push(2), []],
    ["no field, when both add", (_, c) => c.add("n"), (_, c) => c.add("n"), []],
    ["a count after an addition", (_, c) => c.add("n"), (s) => (s["n"] = 9), ["/n"]],
    ["a field further in", (s) => (s["o"]["a/b"] = 1), (s) => (s["o"]["a/b"] = 2), ["/o/a~1b"]],
    ["no field, for different fields", (s) => (s["o"]["a"] = 1), (s) => (s["o"]["b"] = 2), []],
    ["a field another removed", (s) => delete s["n"], (s) => (s["n"] = 2), ["/n"]],
    ["a removed field", (s) => (s["n"] = 2), (s) => delete s["n"], ["/n"]],
  ])("SC2: names overwritten fields: %s", (...[, first, second, fields]) => {
    const before = { n: 1, list: [], o: {} };
    const now = together(before, first);
    expect(overwritten(changeBy(before, second) ?? { fields: {} }, { before, now })).toEqual(
      fields,
    );
  });

  it("SC3: adds up increments, also nested and from a missing field", () => {
    const up: Work = (_, copy) => (
      copy.add("n"),
      copy.add(["totals", "books"], 2.5),
      copy.add("missing", 3)
    );
    expect(together({ n: 1, totals: {} }, up, up)).toEqual({
      n: 3,
      totals: { books: 5 },
      missing: 6,
    });
  });

  it("SC3: an assignment takes precedence over an increment", () => {
    const work: Work = (state, copy) => ((state["n"] = 10), copy.add("n"));
    expect(together({ n: 1 }, (_, copy) => copy.add("n", 5), work)).toEqual({ n: 11 });
    const other: Work = (state, copy) => (copy.add("n"), (state["n"] = 10));
    expect(together({ n: 1 }, (_, copy) => copy.add("n", 5), other)).toEqual({ n: 10 });
  });

  it.each([
    ["n", 'a number in the state at state.n, got "x"'],
    [["list", "0"], "an object in the state at state.list, got [1]"],
    [["none", "in"], "an object in the state at state.none, got undefined"],
    [[], "an object in the state at state"],
  ] as const)("SC3: add to %j is refused", (field, message) => {
    const copy = new StateCopy({ n: "x", list: [1] });
    expect(() => copy.add(field)).toThrow(`add needs ${message}`);
  });

  it("SC3: add refuses values other than numbers", () => {
    expect(() => new StateCopy({}).add("n", Number.NaN)).toThrow(
      "add needs a number to add, got null",
    );
  });

  it("SC1: reads changes recorded by older versions", () => {
    const old: StateChange = { fields: { n: { add: [50, 57] }, list: { append: ["x"] } } };
    expect(applyChange({ n: 50, list: [] }, old)).toEqual({ n: 57, list: ["x"] });
    expect(applyChange({ n: 60, list: ["w"] }, old)).toEqual({ n: 67, list: ["w", "x"] });
  });
});
