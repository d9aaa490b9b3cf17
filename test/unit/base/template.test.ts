import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeholders, replacePlaceholders } from "../../../src/base/template.ts";
import { computedMs } from "../../support/computed-ms.ts";

it("T1: lists each placeholder once, in order", () => {
  expect(placeholders("{b} {a-1} {b} {_c} {1d} {e.f} { g }")).toEqual(["b", "a-1", "_c"]);
});

it("T1, T5: fills names of any script, and needs none of them", () => {
  const text = "{主题} {thema_ä} {विषय} {สินค้า} {topic} {٢} {主 题}";
  expect(placeholders(text)).toEqual(["topic"]);
  expect(replacePlaceholders(text, (name) => `<${name}>`)).toBe(
    "<主题> <thema_ä> <विषय> <สินค้า> <topic> {٢} {主 题}",
  );
  expect(replacePlaceholders(text, () => undefined)).toBe(text);
});

it("T2: leaves braces without a name alone", () => {
  const text = '{"a": {"b": [1]}} {} { x } {1} ${';
  expect(replacePlaceholders(text, () => "!")).toBe(text);
});

it("T3: never expands inserted values", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const values: Record<string, string> = { a: `{b}${a}`, b: `{a}$&${b}` };
      expect(replacePlaceholders("{a}|{b}", (name) => values[name])).toBe(`{b}${a}|{a}$&${b}`);
    }),
  );
});

describe("T4: repeated placeholders", () => {
  it("are counted before they are filled", () => {
    const value = "x".repeat(900_000);
    const beganMs = computedMs();
    expect(() => replacePlaceholders("{a}".repeat(200), () => value)).toThrow(
      expect.objectContaining({ code: "value_too_large" }),
    );
    expect(computedMs() - beganMs).toBeLessThan(10_000);
    expect(replacePlaceholders("{a}".repeat(4), () => value)).toHaveLength(3_600_000);
  });

  it("have their values made once", () => {
    const asked: string[] = [];
    const filled = replacePlaceholders("{a} {b} {a} {toString} {__proto__}", (name) => {
      asked.push(name);
      return name === "b" ? undefined : name.toUpperCase();
    });
    expect(filled).toBe("A {b} A TOSTRING __PROTO__");
    expect(asked).toEqual(["a", "b", "toString", "__proto__"]);
  });
});
