import { describe, expect, it } from "vitest";
import { cursorAfterPlace, pageOf, placeOfCursor } from "../../../src/runtime/page.ts";

describe("a page", () => {
  const shape = { item: (row: number) => `item ${row}`, cursor: (row: number) => `after ${row}` };

  it("has a cursor after its last item when more rows were read than it holds", () => {
    expect(pageOf([1, 2, 3], 2, shape)).toEqual({
      items: ["item 1", "item 2"],
      nextCursor: "after 2",
    });
  });

  it.each([[[1, 2]], [[1]], [[]]])("has no cursor when %j is all there is", (rows) => {
    expect(pageOf(rows, 2, shape)).toEqual({ items: rows.map(shape.item) });
  });
});

describe("a cursor", () => {
  it("encodes a place in an order, in the form of existing clients", () => {
    const cursor = cursorAfterPlace([1_767_225_600_000, "run-7"]);
    expect(cursor).toBe("WzE3NjcyMjU2MDAwMDAsInJ1bi03Il0");
    expect(placeOfCursor(cursor, ["number", "string"])).toEqual([1_767_225_600_000, "run-7"]);
  });

  it.each([
    ["no base64", "%"],
    ["no JSON", btoa("rubbish")],
    ["no list", btoa('{"0":1,"1":"a"}')],
    ["too short a place", cursorAfterPlace([1])],
    ["a place of other types", cursorAfterPlace(["1", "a"])],
  ])("is refused when it is %s", (_, cursor) => {
    expect(() => placeOfCursor(cursor, ["number", "string"])).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });
});
