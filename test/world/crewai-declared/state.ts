import type { JsonObject } from "../../../src/base/json.ts";

/** The state that expressions look at. */
export const STATE: JsonObject = {
  n: 5,
  zero: 0,
  text: "tea",
  items: [1, 2, 3],
  tags: ["a", "bc"],
  o: { a: 1, none: null },
  people: [
    { name: "Ada", age: 36, a: 7 },
    { name: "Bob", age: 24 },
  ],
  price: 2.5,
  flag: true,
  none: null,
  emoji: "😀é",
  when: "2024-05-06T07:08:09Z",
};
