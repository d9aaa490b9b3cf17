import { expect, it } from "vitest";
import { fieldText } from "../../../../console/pages/editor/field-texts.ts";
import { offsetOf, placeOf, placeOfName } from "../../../../console/pages/editor/place.ts";
import { collectKeys, namesIn } from "../../../../console/pages/editor/suggestions.ts";
import { jsonOffset, lineAndColumn, placeIn } from "../../../../console/parts/json-place.ts";

const JSON_TEXT = `{
  "agents": { "a/b": { "role": 1 } },
  "tasks": [ { "name": "x" }, { "name": "y" } ]
}`;

it("finds the place of a JSON pointer, and the parent of a missing one (CO21)", () => {
  const at = (pointer: string): string =>
    JSON_TEXT.slice(jsonOffset(JSON_TEXT, pointer)).slice(0, 4);
  expect(at("/agents/a~1b/role")).toBe("1 } ");
  expect(at("/tasks/1/name")).toBe('"y" ');
  expect(at("/tasks/1/agent")).toBe('{ "n');
  expect(at("")).toBe("{\n  ");
  expect(jsonOffset("", "/a")).toBeUndefined();
  expect(placeIn(JSON_TEXT, "/tasks/1/name")).toBe("Line 3: ");
});

it("finds lines and columns, also beyond the end (CO21)", () => {
  expect(offsetOf("ab\ncd\n", 2, 2)).toBe(4);
  expect(offsetOf("ab\ncd\n", 1, 99)).toBe(2);
  expect(offsetOf("ab\ncd\n", 9, 1)).toBe(6);
  expect(lineAndColumn("ab\ncd\n", 4)).toEqual({ line: 2, column: 2 });
});

it("marks the word of a fault (CO21)", () => {
  const text = "agents:\n  writer:\n    agent: nobody\n";
  const place = placeOf(text, { path: "", message: "", line: 3, column: 12 });
  expect(text.slice(place.from, place.to)).toBe("nobody");
  expect(placeOf("", { path: "/a", message: "" })).toEqual({ from: 0, to: 0 });
});

it("offers the fields of the schema, and the agents and models of the text (CO21)", () => {
  const keys = new Map<string, string>();
  const role = { description: "Who it is." };
  collectKeys({ properties: { agents: { additionalProperties: { properties: { role } } } } }, keys);
  expect([...keys]).toEqual([
    ["agents", ""],
    ["role", "Who it is."],
  ]);
  const names = namesIn("agents:\n  clerk:\n    llm: openai/gpt-5\ntasks:\n  answer:\n");
  expect(names).toEqual([
    { name: "clerk", detail: "agent" },
    { name: "openai/gpt-5", detail: "model" },
  ]);
});

it("finds the text of a part of the picture (CO21)", () => {
  const yaml = "agents:\n  clerk:\n    role: Clerk\ntasks:\n  - name: look\n  - name: look up\n";
  expect(yaml.slice(placeOfName(yaml, "look up"))).toBe("name: look up\n");
  expect(yaml.slice(placeOfName(yaml, "clerk"))).toMatch(/^clerk:/);
  expect(JSON_TEXT.slice(placeOfName(JSON_TEXT, "y"))).toMatch(/^name": "y"/);
  expect(placeOfName(yaml, "a+(b")).toBe(0);
});

it("explains a field by its place, and leaves out the author's own names (CO21)", () => {
  expect(fieldText("crew", ["agents", "clerk", "role"])).toContain("Role of the agent");
  expect(fieldText("crew", ["tasks", "description"])).toContain("Instructions");
  expect(fieldText("crew", ["tasks", "look", "expected_output"])).toContain("good answer");
  expect(fieldText("crew", ["description"])).toContain("Purpose");
  expect(fieldText("crew", ["agents", "role"])).toBeUndefined();
  expect(fieldText("crew", ["inputs", "process"])).toBeUndefined();
  expect(fieldText("flow", ["methods", "draft", "listen"])).toContain("Runs after");
  expect(fieldText("conversation", ["agents", "judge", "handoffs", "when"])).toContain("Condition");
  expect(fieldText("crew", ["constructor"])).toBeUndefined();
});
