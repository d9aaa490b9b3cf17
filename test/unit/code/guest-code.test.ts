import { describe, expect, it } from "vitest";
import { authorsStack, formsOf, moduleText } from "../../../src/code/loader/guest-code.ts";
import { endedByRuntime, resultOf, startFailure } from "../../../src/code/loader/guest-answer.ts";

const BEFORE = "export default async (input, tools) => { ";

describe("code as a module", () => {
  it("LDR2: keeps its lines as the body of a function", () => {
    expect(moduleText("const a = 1\nreturn a", "body")).toBe(`${BEFORE}const a = 1\nreturn a\n}`);
    expect(moduleText("export default 1", "module")).toBe("export default 1");
  });

  it.each([
    ["import fs from 'node:fs';", "const { default: fs } = await import('node:fs');"],
    ['import "x"', 'await import("x");'],
    ["import * as n from 'n'", "const n = await import('n');"],
    ["import { a as b, c } from 'x';", "const {  a: b, c  } = await import('x');"],
    ["import d, { a } from 'x';", "const { default: d,  a  } = await import('x');"],
    ["import d, * as n from 'x'", "const n = await import('x'), { default: d } = n;"],
    ["import {\n  a,\n  b\n} from 'x';", "const { \n  a,\n  b\n } = await import('x');"],
    ["import d\nfrom\n'x'", "const { default: d } = await import('x');\n\n"],
    ["// import a from 'b'\nimport 'c'", "// import a from 'b'\nawait import('c');"],
    ["'use strict'; import 'a'; import 'b'", "'use strict'; await import('a'); await import('b');"],
  ])("turns imports at the beginning of a script into dynamic ones: %j", (code, made) => {
    const text = moduleText(code, "body");
    expect(text).toBe(`${BEFORE}${made}\n}`);
    expect(text.split("\n")).toHaveLength(code.split("\n").length + 1);
  });

  it("leaves text similar to an import further down alone", () => {
    const code = "const s = `\nimport x from 'y'\n`;";
    expect(moduleText(code, "body")).toContain("\nimport x from 'y'\n");
  });

  it("reads code with exports as a module, and other code as a script (CX8, CX15)", () => {
    expect(formsOf("import 'a'\nexport default 7")[0]).toBe("module");
    expect(formsOf("  export const a = 1")[0]).toBe("module");
    expect(formsOf("import fs from 'fs'\nreturn 1")[0]).toBe("body");
    expect(formsOf("const s = `\nimport x`; return s.length")).toEqual(["body", "module"]);
    expect(formsOf("exports.a = 1\nexport (1)")[0]).toBe("body");
  });

  it("LDR2: reports the author's places", () => {
    const stack =
      "Error: x\n    at Module.default (user.js:1:44)\n    at default.run (main.js:12:3)\n    at async main.js:1:1\n    at f (user.js:2:5)";
    expect(authorsStack(stack, "body")).toBe(
      "Error: x\n    at Module.default (user.js:1:3)\n    at f (user.js:2:5)",
    );
    expect(authorsStack("x user.js:1:44", "module")).toBe("x user.js:1:44");
    expect(
      authorsStack(
        "E: x\n    at f (user.js:2:5)\n    at perform (main.js:7:5) {\n  code: 'E'\n}",
        "body",
      ),
    ).toBe("E: x\n    at f (user.js:2:5) {\n  code: 'E'\n}");
    expect(authorsStack("Proxy(E: x\n    at perform (main.js:7:5))", "body")).toBe("Proxy(E: x)");
  });
});

describe("the answer of an isolate", () => {
  const ran = { form: "body", durationMs: 5 } as const;
  const answer = { exitCode: 0, stdout: "", stderr: "", truncatedChars: 0, files: [] };

  it.each([
    null,
    "text",
    {},
    { ...answer, exitCode: 1.5 },
    { ...answer, exitCode: 256 },
    { ...answer, stdout: 1 },
    { ...answer, value: {} },
    { ...answer, files: [{ path: "a", bytes: "x" }] },
    {
      ...answer,
      files: Array.from({ length: 101 }, () => ({ path: "a", bytes: new Uint8Array() })),
    },
    { ...answer, files: [{ path: "a", bytes: new Uint8Array(25_000_001) }] },
    { ...answer, error: "refused" },
  ])("LDR4: is no result unless it is one: %#", (value) => {
    expect(resultOf(value, ran)).toMatchObject({ exitCode: 1, stdout: "" });
  });

  it("LDR4: has a value of JSON with limited depth", () => {
    expect(resultOf({ ...answer, value: '{"a":[1]}' }, ran).value).toEqual({ a: [1] });
    expect(resultOf({ ...answer, value: "{a" }, ran)).toMatchObject({
      stderr: "The value cannot be given back: it is no JSON\n",
    });
    const deep = resultOf({ ...answer, value: "[".repeat(1001) + "]".repeat(1001) }, ran);
    expect(deep).not.toHaveProperty("value");
    const text = JSON.stringify({ '"[': "[".repeat(2000) });
    expect(resultOf({ ...answer, value: text }, ran)).toHaveProperty("value");
  });

  it.each([
    ["The Node.js process.exit(3) API was called. Canceling the request.", 3, undefined],
    [
      "… detected that your Worker's code had hung and would never generate a response.",
      124,
      "timeout",
    ],
    ["Worker exceeded CPU time limit.", 137, "limit"],
    ["Worker exceeded memory limit.", 137, "limit"],
    ["Serialized RPC arguments or return values are limited to 32MiB, but …", 1, undefined],
    ["internal error; reference = abc", -1, "unavailable"],
    ["Network connection lost.", -1, "unavailable"],
    ["something else", 1, undefined],
  ])("LDR3: an end by the runtime: %s", (message, exitCode, error) => {
    const result = endedByRuntime(new Error(message), 5);
    expect(result.exitCode).toBe(exitCode);
    expect(result.error).toBe(error);
  });

  it("recognizes a failed start, and syntax errors", () => {
    const syntax =
      "Failed to start Worker:\nUncaught SyntaxError: Unexpected token '='\n  at user.js:2:6";
    expect(startFailure(new Error(syntax))).toEqual({
      isSyntax: true,
      text: "SyntaxError: Unexpected token '='\n  at user.js:2:6",
    });
    expect(startFailure(new Error("Failed to start Worker:\nNo such module"))).toMatchObject({
      isSyntax: false,
    });
    expect(startFailure(new Error("other"))).toBeUndefined();
  });
});
