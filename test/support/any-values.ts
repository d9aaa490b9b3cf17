// Random values of every kind that code hands to a run, with some that no run can carry.
import * as fc from "fast-check";

class Point {
  readonly x = 1;
}

const plain = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
);

const kinds = fc.oneof(
  fc.date({ noInvalidDate: false }),
  fc.uint8Array(),
  fc.float64Array(),
  fc.int32Array(),
  fc.uint8Array().map((bytes) => bytes.slice().buffer),
  fc.bigInt(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  fc.string().map((message) => new RangeError(message, { cause: { message } })),
);

const refused = fc.constantFrom<unknown>(
  () => 1,
  Symbol("s"),
  new Point(),
  new WeakMap(),
  new DataView(new ArrayBuffer(1)),
  { [Symbol("only")]: 1 },
  Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  }),
);

function nested(leaf: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const keys = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom("edgecrew:value", "of", "constructor", "length"),
  );
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      fc
        .array(fc.tuple(fc.oneof(keys, tie("value")), tie("value")), { maxLength: 3 })
        .map((entries) => new Map(entries)),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
    ),
  })).value;
}

/** Values that JSON has a form for, without maps and sets. */
export const jsonValues = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
/** Values that every run carries. */
export const carriedValues = nested(fc.oneof(plain, kinds));
/** Values of which some cannot be carried. */
export const anyValues = nested(
  fc.oneof({ arbitrary: plain, weight: 6 }, { arbitrary: kinds, weight: 3 }, refused),
);
