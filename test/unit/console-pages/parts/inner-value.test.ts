import { expect, it } from "vitest";
import { innerValue } from "../../../../console/parts/inner-value.ts";

it("shows the JSON in the text of a tool's result, and writes an edit back into the same record", () => {
  const record = {
    text: '{"Fixes":["upload"],"Other":[]}',
    isJson: true,
    fromCache: false,
    startedAtMs: 1,
    endedAtMs: 2,
  };
  const inner = innerValue(record);
  expect(inner.text).toBe('{\n  "Fixes": [\n    "upload"\n  ],\n  "Other": []\n}');
  expect(inner.wrapped('{ "Fixes": [] }')).toEqual({ ...record, text: '{"Fixes":[]}' });
  expect(() => inner.wrapped("{")).toThrow(SyntaxError);
});

it("keeps the text of a task's output in step with its object", () => {
  const record = { name: "facts", raw: '{"dates":[]}', object: { dates: [] } };
  expect(innerValue(record).wrapped('{"dates":["Monday"]}')).toEqual({
    name: "facts",
    raw: '{"dates":["Monday"]}',
    object: { dates: ["Monday"] },
  });
});

it("shows plain answers as they are", () => {
  const inner = innerValue({ text: "Hello\n\nKind regards", toolCalls: [] });
  expect([inner.isJson, inner.text]).toEqual([false, "Hello\n\nKind regards"]);
  expect(inner.wrapped("[not JSON")).toEqual({ text: "[not JSON", toolCalls: [] });
  expect(innerValue("words").wrapped("others")).toBe("others");
});

it("shows a model's answer with tool calls, and other records, as a whole", () => {
  const record = { text: "", toolCalls: [{ id: "1" }] };
  expect(innerValue(record).wrapped(innerValue(record).text)).toEqual(record);
  expect(innerValue({ value: 1, change: {} }).text).toContain("change");
  expect(innerValue(12).wrapped("13")).toBe(13);
});
