import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { issueAt, readSourceText } from "../../../src/project/source-text.ts";

const YAML = `# who works here
researcher:
  role: >
    {topic} Researcher
  goal: Find facts
  max_iter: 3

writer: &writer
  role: Writer
`;

const JSONC = `{
  // the crew
  "name": "briefing",
  "tasks": [
    { "name": "a", "expected_output": 3, },
  ],
}`;

describe("YAML", () => {
  it("returns the value, and the place of each key", () => {
    const source = readSourceText("agents.yaml", YAML);
    expect(source.value).toMatchObject({ researcher: { goal: "Find facts", max_iter: 3 } });
    expect(source.placeOf(["researcher", "goal"])).toEqual({ line: 5, column: 3 });
    expect(source.placeOf([])).toEqual({ line: 2, column: 1 });
  });

  it("finds a key by its camelCase spelling, and an entry of a mapping by its number", () => {
    const source = readSourceText("agents.yaml", YAML);
    expect(source.placeOf(["researcher", "maxIter"])).toEqual({ line: 6, column: 3 });
    expect(source.placeOf(["1", "role"])).toEqual({ line: 9, column: 3 });
  });

  it("names the nearest place of a missing key", () => {
    const source = readSourceText("agents.yaml", YAML);
    expect(source.placeOf(["writer", "backstory"])).toEqual({ line: 8, column: 1 });
  });

  it("reports a syntax error with line and column", () => {
    const error = thrown(() => readSourceText("a.yaml", 'a: "open\nb: [1,\n'));
    expect(error.code).toBe("invalid_definition");
    expect(error.issues).toEqual([{ path: "", message: "a.yaml:2:1: deficient indentation" }]);
  });

  it("refuses aliases that grow the document", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
      .split("")
      .map((key, index) => `${key}: &${key} [${`*${"abcdefg"[index]},`.repeat(10).slice(0, -1)}]`)
      .join("\n")}`;
    expect(thrown(() => readSourceText("a.yaml", bomb)).message).toBe(
      "a.yaml:6:17: aliases must not add more than 1000000 characters",
    );
  });
});

describe("JSON with comments", () => {
  it("takes comments and trailing commas, and knows the place of each key", () => {
    const source = readSourceText("crew.jsonc", JSONC);
    expect(source.value).toEqual({ name: "briefing", tasks: [{ name: "a", expected_output: 3 }] });
    expect(source.placeOf(["tasks", "0", "expectedOutput"])).toEqual({ line: 5, column: 20 });
    expect(source.placeOf(["tasks", "0"])).toEqual({ line: 5, column: 5 });
  });

  it("reports syntax errors with line and column", () => {
    const error = thrown(() => readSourceText("crew.jsonc", '{\n  "a" 1\n}'));
    expect(error.message).toMatch(/^crew\.jsonc:2:7: colon expected/);
  });

  it("refuses an empty file", () => {
    expect(thrown(() => readSourceText("crew.jsonc", "")).message).toContain("crew.jsonc");
  });
});

it("puts file, line and column in front of an error", () => {
  const source = readSourceText("crew.jsonc", JSONC);
  expect(
    issueAt(source, ["tasks", "0", "expectedOutput"], "expected string, got number 3"),
  ).toEqual({
    path: "/tasks/0/expectedOutput",
    message: "crew.jsonc:5:20: expected string, got number 3",
  });
});

function thrown(code: () => unknown): EngineError {
  try {
    code();
  } catch (error) {
    if (EngineError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
