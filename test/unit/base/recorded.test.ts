import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  fromRecorded,
  jsonView,
  parsedView,
  toJson,
  toRecorded,
  viewOf,
} from "../../../src/base/recorded.ts";
import { anyValues, carriedValues, jsonValues } from "../../support/any-values.ts";

function throughText(value: unknown): unknown {
  return fromRecorded(JSON.parse(JSON.stringify(toRecorded(value))));
}

function refusalOf(value: unknown): string {
  try {
    toRecorded(value, "state");
  } catch (error) {
    if (EngineError.is(error) && error.code === "output_invalid" && !error.retryable)
      return error.message;
    throw error;
  }
  return "carried";
}

describe("a recorded value", () => {
  it("RV1: is restored as it was, for every type of value", () => {
    fc.assert(
      fc.property(carriedValues, (value) => {
        expect(isDeepStrictEqual(throughText(value), value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("RV1: keeps bytes of every width, and the viewed range of a buffer", () => {
    const buffer = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8]).buffer;
    const values = [
      new Uint8Array(buffer, 2, 3),
      new Int16Array(buffer, 2, 2),
      new Float32Array([1.5, Number.NaN]),
      new BigInt64Array([-5n]),
      buffer,
    ];
    expect(throughText(values)).toStrictEqual(values);
    expect(throughText(Buffer.from("héllo"))).toStrictEqual(new TextEncoder().encode("héllo"));
  });

  it("RV1: keeps an error's class if the platform has it, its name, cause and fields", () => {
    const cause = new TypeError("inner");
    const error = Object.assign(new RangeError("outer", { cause }), { status: 404 });
    const restored = throughText(error) as RangeError & { status: number };
    expect(restored).toBeInstanceOf(RangeError);
    expect(restored).toMatchObject({ message: "outer", status: 404 });
    expect(restored.cause).toBeInstanceOf(TypeError);
    const own = throughText(new EngineError("conflict", "taken")) as EngineError;
    expect([own instanceof Error, own.name, own.code]).toEqual([true, "EngineError", "conflict"]);
  });

  it("RV1: keeps undefined in lists, maps and sets, and leaves undefined fields out", () => {
    const value = [undefined, new Map([["a", undefined]]), new Set([undefined]), { a: undefined }];
    expect(throughText(value)).toStrictEqual([
      undefined,
      new Map([["a", undefined]]),
      new Set([undefined]),
      {},
    ]);
    expect(toRecorded(undefined)).toBeNull();
  });

  it("RV2: is the same text as before for plain JSON", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        if (JSON.stringify(value).includes("edgecrew:value")) return;
        expect(JSON.stringify(toRecorded(value))).toBe(JSON.stringify(value));
        expect(fromRecorded(value)).toBe(value);
        expect(jsonView(value as never)).toBe(value);
      }),
      { numRuns: 1_000 },
    );
    expect(JSON.stringify(toRecorded({ a: -0, u: undefined, url: new URL("http://a.b/c") }))).toBe(
      `{"a":0,"url":"http://a.b/c"}`,
    );
  });

  it("RV3: is restored whole or refused, never anything between", () => {
    let refused = 0;
    fc.assert(
      fc.property(anyValues, (value) => {
        const refusal = refusalOf(value);
        const isRefused = /^state.*; expected plain data/s.test(refusal);
        if (isRefused) refused++;
        expect(isRefused || isDeepStrictEqual(throughText(value), value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it.each([
    [{ items: [0, 1, 2, { when: () => 1 }] }, "state.items[3].when: a function cannot be stored;"],
    [{ "a b": { c: Symbol("s") } }, `state["a b"].c: a symbol cannot be stored;`],
    [{ byId: new Map([["k", { f: isNaN }]]) }, `state.byId.get("k").f: a function`],
    [{ all: new Set([1, isNaN]) }, "state.all.values()[1]: a function cannot be stored;"],
    [{ m: new Map([[isNaN, 1]]) }, "state.m.keys()[0]: a function cannot be stored;"],
    [
      new (class Cart {
        readonly id = 1;
      })(),
      "state: an instance of Cart cannot be stored;",
    ],
    [{ r: /x/ }, "state.r: an instance of RegExp cannot be stored;"],
    [{ p: Promise.resolve(1) }, "state.p: an instance of Promise cannot be stored;"],
    [{ e: new Error("x", { cause: isNaN }) }, "state.e.cause: a function cannot be stored;"],
    [
      {
        get broken() {
          throw new Error("closed");
        },
      },
      "state.broken: its getter failed (closed);",
    ],
  ])("RV3: %# names the place of an unsupported value", (value, message) => {
    expect(refusalOf(value)).toContain(message);
  });

  it("RV3: names a circular place, and refuses values nested too deeply", () => {
    const tree: { child: { parent?: unknown } } = { child: {} };
    tree.child.parent = tree;
    expect(refusalOf(tree)).toContain(
      "state.child.parent: a value that contains itself cannot be stored",
    );
    let deep: unknown = 1;
    for (let level = 0; level < 1_500; level++) deep = [deep];
    expect(refusalOf(deep)).toContain("nested deeper than 1000 levels");
    const shared = { a: 1 };
    expect(throughText([shared, shared])).toEqual([shared, shared]);
  });

  it("RV4: keeps a user's object that looks like a recorded kind", () => {
    const value = { list: [{ "edgecrew:value": "date", of: "2024-01-01T00:00:00.000Z" }] };
    expect(throughText(value)).toStrictEqual(value);
    expect(throughText(toRecorded(new Date(0)))).toStrictEqual(toRecorded(new Date(0)));
    expect(jsonView(toRecorded(value))).toStrictEqual(value);
  });

  it("RV4: of a kind unknown to this version is left as it is", () => {
    const later = { "edgecrew:value": "later", of: [1] };
    expect(fromRecorded(later)).toEqual(later);
  });
});

describe("the JSON view of a value", () => {
  it("has a form for every kind", () => {
    expect(
      viewOf({
        date: new Date(0),
        invalid: new Date(Number.NaN),
        bytes: new Uint8Array([1, 2, 255]),
        numbers: new Float64Array([1, Number.NaN]),
        byName: new Map([["a", new Date(0)]]),
        byNumber: new Map([[1, "one"]]),
        set: new Set([1n, Number.POSITIVE_INFINITY]),
        list: [undefined],
        error: Object.assign(new TypeError("no"), { status: 5 }),
      }),
    ).toEqual({
      date: "1970-01-01T00:00:00.000Z",
      invalid: null,
      bytes: "AQL/",
      numbers: [1, "NaN"],
      byName: { a: "1970-01-01T00:00:00.000Z" },
      byNumber: [[1, "one"]],
      set: ["1", "Infinity"],
      list: [null],
      error: { name: "TypeError", message: "no", status: 5 },
    });
  });

  it("is JSON for every recorded value", () => {
    fc.assert(
      fc.property(carriedValues, (value) => {
        const text = JSON.stringify(toRecorded(value));
        const view = viewOf(value);
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify(view)), view)).toBe(true);
        expect(isDeepStrictEqual(parsedView(text), view)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a value limited to JSON", () => {
  it("keeps dates as their texts, and refuses the rest by its place", () => {
    expect(toJson({ at: new Date(0), list: [undefined] })).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      list: [null],
    });
    for (const [value, message] of [
      [{ n: [Number.NaN] }, "inputs.n[0]: NaN has no form in JSON; expected a JSON value"],
      [{ m: new Map() }, "inputs.m: a map has no form in JSON"],
      [{ b: 1n }, "inputs.b: a bigint has no form in JSON"],
      [{ b: new Uint8Array(1) }, "inputs.b: a Uint8Array has no form in JSON"],
      [{ f: isNaN }, "inputs.f: a function cannot be stored"],
    ] as const)
      expect(() => toJson(value, "inputs")).toThrow(
        expect.objectContaining({
          code: "invalid_input",
          message: expect.stringContaining(message),
        }),
      );
  });
});

describe("RV5: an object with the mark, but of no recorded kind", () => {
  const nothings: readonly JsonObject[] = [
    { "edgecrew:value": "map", of: "x" },
    { "edgecrew:value": "map", of: [5] },
    { "edgecrew:value": "set", of: { a: 1 } },
    { "edgecrew:value": "bigint", of: "zz" },
    { "edgecrew:value": "error" },
    { "edgecrew:value": "Uint8Array", of: 5 },
    { "edgecrew:value": "Float64Array", of: "AAAA" },
    { "edgecrew:value": "object", of: null },
  ];

  it.each(nothings)("%j is read as that object", (nothing) => {
    expect(fromRecorded({ deep: [nothing] })).toEqual({ deep: [nothing] });
    expect(jsonView({ deep: [nothing] })).toEqual({ deep: [nothing] });
    expect(parsedView(JSON.stringify(nothing))).toEqual(nothing);
  });

  it("does not keep values beside it from being restored", () => {
    const [nothing = {}] = nothings;
    expect(fromRecorded({ nothing, at: toRecorded(new Date(0)) })).toEqual({
      nothing,
      at: new Date(0),
    });
  });
});
