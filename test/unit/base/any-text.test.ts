import { expect, it } from "vitest";
import { anyText } from "../../../src/base/any-text.ts";

const circle: Record<string, unknown> = { a: 1 };
circle["self"] = circle;
const twice = { x: 1 };
const unreadable = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error("no");
    },
  },
);

it.each([
  [{ a: 1, b: "x" }, '{"a":1,"b":"x"}'],
  [undefined, "null"],
  [{ a: 10n, b: [1n] }, '{"a":"10","b":["1"]}'],
  [circle, '{"a":1,"self":"[circular]"}'],
  [[twice, twice, 1n], '[{"x":1},{"x":1},"1"]'],
  [
    {
      big: 1n,
      get bad() {
        throw new Error("no");
      },
    },
    '{"big":"1","bad":"[unreadable]"}',
  ],
  [{ a: unreadable, b: 1n }, '"[unreadable]"'],
])("makes a text of %#", (value, text) => {
  expect(anyText(value)).toBe(text);
});
