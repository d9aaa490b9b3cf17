import { expect, it } from "vitest";
import { askedOf, resultOf } from "../../../../console/pages/run/run-result.ts";

it("has the answer of a crew, and the outputs of its tasks", () => {
  const output = {
    raw: '{"title":"Tea"}',
    object: { title: "Tea" },
    tasks: [
      { name: "look-up", agent: "Clerk", raw: "Order 1204" },
      { raw: "x", object: { title: "Tea" } },
    ],
  };
  expect(resultOf({ kind: "crew", output })).toEqual({
    value: { title: "Tea" },
    tasks: [
      { name: "look-up", agent: "Clerk", text: "Order 1204" },
      { name: "Task 2", value: { title: "Tea" } },
    ],
  });
});

it("has the value of a flow, beside its state", () => {
  const flow = (value: null | string | object) =>
    resultOf({ kind: "flow", output: { value, state: { rounds: 3 } } as never });
  expect(flow("done")).toEqual({ text: "done", state: { rounds: 3 }, tasks: [] });
  expect(flow({ raw: "of a crew" })).toMatchObject({ text: "of a crew" });
  expect(flow({ words: 46 })).toMatchObject({ value: { words: 46 } });
  expect(flow(null)).toMatchObject({ value: null });
});

it("has the summary of a conversation, and the reason of its end", () => {
  const output = { summary: "Yes.", reason: "maximum rounds reached", messages: [] };
  expect(resultOf({ kind: "conversation", output })).toEqual({
    text: "Yes.",
    reason: "maximum rounds reached",
    tasks: [],
  });
});

it("has no result before the end, and any other output as it is", () => {
  expect(resultOf({ kind: "crew" })).toBeUndefined();
  expect(resultOf({ kind: "batch", output: [1, 2] })).toEqual({ value: [1, 2], tasks: [] });
});

it("has the question of an agent as a text when it is the only input", () => {
  const asked = (inputs: object) => askedOf({ kind: "agent", inputs: inputs as never });
  expect(asked({ messages: "When?", inputs: {} })).toEqual({ text: "When?" });
  expect(asked({ messages: "When?", inputs: { shop: "tea" } })).toEqual({
    fields: { messages: "When?", shop: "tea" },
  });
  expect(askedOf({ kind: "crew", inputs: { letter: "Hello" } })).toEqual({
    fields: { letter: "Hello" },
  });
});
