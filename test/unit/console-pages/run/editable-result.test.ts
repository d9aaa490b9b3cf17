import { expect, it } from "vitest";
import { editableResult } from "../../../../console/pages/run/editable-result.ts";
import { innerText } from "../../../../console/parts/inner-text.ts";

const record = { fromCache: false, startedAtMs: 1, endedAtMs: 2 };

it("shows the JSON of a tool's result formatted, without its record, and gives the fork the value", () => {
  const value = { ...record, text: '{"Fixes":["upload"]}', isJson: true };
  const result = editableResult({ kind: "tool", value });
  expect(result.text).toBe('{\n  "Fixes": [\n    "upload"\n  ]\n}');
  expect(result.read('{ "Fixes": [] }')).toEqual({ Fixes: [] });
  expect(() => result.read("{")).toThrow(SyntaxError);
});

it("keeps the text of a tool that answered with a text, also with JSON in it", () => {
  const words = editableResult({ kind: "tool", value: { ...record, text: "Sunny" } });
  expect([words.text, words.read("[cloudy")]).toEqual(["Sunny", "[cloudy"]);
  const json = editableResult({ kind: "tool", value: { ...record, text: '{"sky":"blue"}' } });
  expect(json.read('{ "sky": "grey" }')).toBe('{"sky":"grey"}');
});

it("shows the words of a model's answer alone, and its calls with their arguments", () => {
  const words = { text: "Hello\n\nKind regards", toolCalls: [], finishReason: "stop", usage: {} };
  const answer = editableResult({ kind: "model", value: words });
  expect(answer.text).toBe("Hello\n\nKind regards");
  expect(answer.read("Bye")).toEqual({ text: "Bye" });
  const calls = editableResult({
    kind: "model",
    value: { ...words, text: "", toolCalls: [{ id: "1", name: "look", arguments: '{"a":1}' }] },
  });
  expect(calls.read(calls.text)).toEqual({
    text: "",
    toolCalls: [{ id: "1", name: "look", arguments: { a: 1 } }],
  });
});

it("shows other results as they are stored", () => {
  expect(
    editableResult({ kind: "wait", value: { feedback: "yes" } }).read('{"feedback":"no"}'),
  ).toEqual({ feedback: "no" });
  expect(editableResult({ kind: "value", value: "words" }).read("others")).toBe("others");
  expect(editableResult({ kind: "value", value: 12 }).read("13")).toBe(13);
});

it("reads the inner text of records for a comparison", () => {
  expect(innerText({ ...record, text: '{"a":1}', isJson: true })).toBe('{\n  "a": 1\n}');
  expect(innerText({ name: "facts", raw: '{"a":1}', object: { a: 1 } })).toBe('{\n  "a": 1\n}');
  expect(innerText({ name: "reply", raw: "Hello" })).toBe("Hello");
  expect(innerText({ text: "", toolCalls: [{ id: "1" }] })).toContain("toolCalls");
  expect(innerText(null)).toBe("null");
});
