import { expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { outputText } from "../../../src/cli/follow-run.ts";

it.each<[string, JsonValue, string]>([
  ["a run without a result", null, "null"],
  ["a flow without a result", { value: null, state: { id: "a" } }, "null"],
  ["a flow with a text", { value: "done", state: {} }, "done"],
  ["a flow with data", { value: { a: 1 }, state: {} }, '{\n  "a": 1\n}'],
  ["a crew", { raw: "A report", tasks: [] }, "A report"],
  ["a crew with an object", { raw: "{}", object: { title: "A" } }, '{\n  "title": "A"\n}'],
  ["a crew with an empty answer", { raw: "" }, ""],
])("prints the result of %s", (_, output, text) => {
  expect(outputText(output)).toBe(text);
});
