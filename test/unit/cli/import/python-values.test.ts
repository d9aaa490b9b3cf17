import { describe, expect, it } from "vitest";
import { bodyOf, PythonSource } from "../../../../src/cli/import/python-source.ts";
import { asJson, type PythonValue } from "../../../../src/cli/import/python-value.ts";
import { readValue } from "../../../../src/cli/import/python-values.ts";

function valueOf(text: string): PythonValue {
  const source = new PythonSource("a.py", `x = ${text}\n`);
  const node = bodyOf(source, source.root).assignments[0]?.value;
  if (node === undefined) throw new Error(`no value: ${text}`);
  return readValue(source, node);
}

describe("values of Python", () => {
  it.each([
    ["'it\\'s\\n'", "it's\n"],
    ['r"a\\d"', "a\\d"],
    ["\"a\" 'b'", "ab"],
    ['("a"\n  "b")', "ab"],
    ['"""one\r\ntwo"""', "one\ntwo"],
    ['"\\x41\\u00e9\\101\\q"', "AéA\\q"],
    ["-1_000", -1000],
    ["0x10", 16],
    ["1.5e2", 150],
    ["[1, (2, 3), None, True]", [1, [2, 3], null, true]],
    ['{"a": {1: False}}', { a: { "1": false } }],
  ])("PYV1: reads %s", (text, value) => {
    expect(asJson(valueOf(text))).toEqual(value);
  });

  it("PYV1: joins texts and lists, with an added list as one of the items", () => {
    expect(asJson(valueOf('"a" + "b" + "c"'))).toBe("abc");
    expect(asJson(valueOf("[1] + [2, 3]"))).toEqual([1, 2, 3]);
    for (const text of ["[1] + more()", "[1, *more()]"]) {
      const value = valueOf(text);
      expect(value.kind === "list" && value.items.map(({ kind }) => kind)).toEqual([
        "plain",
        "items",
      ]);
      expect(asJson(value)).toBeUndefined();
    }
  });

  it.each(["[a for a in b]", "a < b", "a + b", 'b"x"', "lambda: 1", "{**a}", "f()()"])(
    "PYV1: leaves %s",
    (text) => {
      expect(valueOf(text).kind).toBe("unread");
    },
  );

  it("PYV1: reads f-strings as texts with values between them", () => {
    expect(valueOf('f"""a {{b}} {c.d():>2}\\n""" "e"')).toMatchObject({
      kind: "format",
      parts: ["a {b} ", { kind: "call", name: "c.d" }, "\n", "e"],
    });
    expect(asJson(valueOf('f"plain"'))).toBe("plain");
    expect(valueOf('Writers().of("a")')).toMatchObject({ kind: "method", name: "of" });
  });

  it("PYV1: reads calls, dotted names and entries", () => {
    const value = valueOf(
      'pkg.Tool(n=1, of=self.agents_config["a"], p=Process.sequential, **more)',
    );
    expect(value).toMatchObject({
      kind: "call",
      name: "pkg.Tool",
      keywords: [
        { name: "n", value: { kind: "plain", value: 1 } },
        { name: "of", value: { kind: "entry", of: "self.agents_config", key: "a" } },
        { name: "p", value: { kind: "name", name: "Process.sequential" } },
        { name: "**" },
      ],
    });
  });
});
