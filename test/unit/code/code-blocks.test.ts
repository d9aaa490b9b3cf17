import { describe, expect, it } from "vitest";
import { codeBlocks } from "../../../src/code/blocks/code-blocks.ts";
import { looksLikePython } from "../../../src/code/blocks/looks-like-python.ts";
import { defaultFileName, writtenFileName } from "../../../src/code/blocks/file-name.ts";
import { computedMs } from "../../support/computed-ms.ts";

describe("the blocks of a text", () => {
  it.each([
    ["```python\nprint(1)\n```", [{ language: "python", code: "print(1)" }]],
    ["```\nls\n```", [{ language: "", code: "ls" }]],
    ["```c++\nint a;\n```", []],
    ["```python\n```", []],
    ["~~~\nls\n~~~", []],
    ["```js and more\n1\n```", []],
    ["``` sh \nls\n  ``` and more", [{ language: "sh", code: "ls" }]],
    ["So: ```sh\nls\n```", [{ language: "sh", code: "ls" }]],
    ["```sh\nls```\n```", [{ language: "sh", code: "ls```" }]],
    ["use ```ls``` here", []],
    ["```sh\nls", []],
    ["```sh\n \n```", []],
  ])("CBK1: %j (CX23)", (text, blocks) => {
    expect(codeBlocks(text)).toEqual(blocks);
  });

  it("CBK1: accepts Windows line endings, and keeps the indentation (CX24)", () => {
    expect(codeBlocks("```py\r\nx=1\r\n```")).toEqual([{ language: "py", code: "x=1" }]);
    expect(codeBlocks("  ```sh\n  ls\n  ```")).toEqual([{ language: "sh", code: "  ls" }]);
  });

  it("CBK2: a longer fence is one block, with the fences in it (CX25)", () => {
    expect(codeBlocks("````md\n```js\n1\n```\n````")).toEqual([
      { language: "md", code: "```js\n1\n```" },
    ]);
  });

  it("CBK3: text between a fence of another kind and a block is not code", () => {
    const text = "```c++\nint a;\n```\nand then\n```python\nprint(1)\n```";
    expect(codeBlocks(text)).toEqual([{ language: "python", code: "print(1)" }]);
  });

  it("CBK1: detects the language of code without a label", () => {
    const languageOf = (code: string): string | undefined =>
      codeBlocks(`\`\`\`\n${code}\n\`\`\``)[0]?.language;
    expect(languageOf("pip install pandas")).toBe("sh");
    expect(languageOf("python3 main.py")).toBe("sh");
    expect(languageOf("import os\nprint(os.getcwd())")).toBe("python");
    expect(languageOf("const a = 1;")).toBe("");
  });

  it("reads a text of open fences in linear time", () => {
    const startMs = computedMs();
    expect(codeBlocks("````a\n".repeat(100_000))).toHaveLength(0);
    expect(computedMs() - startMs).toBeLessThan(1_000);
  });
});

describe("text similar to Python", () => {
  it.each([
    "x = 1",
    "def f(a):\n    return a",
    "for i in range(3):\n    print(i)",
    "print('hi')",
    "data = [\n    1,\n    2,\n]",
    "@app.route('/')\ndef home():\n    pass",
    "# a comment\nfrom a.b import c as d",
    "total += 2  # so far",
    "with open('f') as f:\n    text = f.read()",
  ])("%j does", (code) => {
    expect(looksLikePython(code)).toBe(true);
  });

  it.each([
    "ls -la",
    "let x = 1",
    "function f() {\n  return 1\n}",
    "SELECT * FROM t",
    "echo hi;",
    "x => x",
    "",
    "just words",
  ])("%j does not", (code) => {
    expect(looksLikePython(code)).toBe(false);
  });
});

describe("the file name in a comment of code", () => {
  it.each([
    ["# filename: a.py\nprint(1)", "a.py"],
    ["// filename: src/a.ts\nx", "src/a.ts"],
    ["<!-- filename: a.html -->\n<p>", "a.html"],
    ["/* filename: a.css */\np {}", "a.css"],
    ["# filename: ../x.py", "../x.py"],
    ["# sort the list\nprint(1)", undefined],
    ["print(1)\n# filename: a.py", undefined],
    ["# filename:\nprint(1)", undefined],
  ])("%j names %s (CX27)", (code, name) => {
    expect(writtenFileName(code)).toBe(name);
  });

  it("is made from the code without such a comment", () => {
    expect(defaultFileName("print(1)", "python")).toMatch(/^tmp_code_[\da-f]{32}\.py$/);
    expect(defaultFileName("<p>", "HTML")).toMatch(/\.html$/);
  });
});
