import * as fc from "fast-check";
import { expect, it } from "vitest";
import { partsOfPointer, pointerOf } from "../../../src/base/json-pointer.ts";

it("a JSON pointer holds keys of any text", () => {
  expect(pointerOf(["a/b", "c~d", 0, "~1"])).toBe("/a~1b/c~0d/0/~01");
  expect(pointerOf([])).toBe("");
  fc.assert(
    fc.property(fc.array(fc.string()), (keys) => {
      expect(partsOfPointer(pointerOf(keys))).toEqual(keys);
    }),
  );
});
