import { describe, expect, it } from "vitest";
import {
  ContextVariables,
  fillContextText,
  type ContextChange,
} from "../../../src/conversation/context-variables.ts";

describe("CXV1: values", () => {
  it("are frozen copies", () => {
    const orders = [{ id: 1 }];
    const variables = new ContextVariables({ orders });
    orders[0]!.id = 2;
    orders.push({ id: 3 });
    expect(variables.get("orders")).toEqual([{ id: 1 }]);
    expect(() => (variables.get("orders") as unknown[]).push(4)).toThrow(TypeError);
    expect(() => ((variables.toObject() as Record<string, unknown>)["orders"] = 1)).not.toThrow();
    expect(variables.get("orders")).toEqual([{ id: 1 }]);
  });

  it.each([
    ["a date", new Date(0), "/x must be a text, number"],
    ["undefined", undefined, "/x must be"],
    ["a function", { y: [() => 1] }, "/x/y/0 must be"],
    ["no number", { "a/b": Number.NaN }, "/x/a~1b must be"],
    ["a map", new Map(), "got a Map"],
  ])("are refused with their path when they are %s", (_, value, message) => {
    const variables = new ContextVariables({ x: 1 });
    expect(() => variables.update({ y: 2, x: value })).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(message) }),
    );
    expect(variables.toObject()).toEqual({ x: 1 });
  });

  it("are refused when circular", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => new ContextVariables({ circle })).toThrow(
      /\/circle\/self must not contain itself/,
    );
  });

  it.each([null, [], "text", new Map()])("cannot be %j as a whole", (values) => {
    expect(() => new ContextVariables(values as never)).toThrow(/must be an object of names/);
  });
});

describe("CXV2: changes", () => {
  it("are reported once each", () => {
    const changes: ContextChange[] = [];
    const variables = new ContextVariables({ a: 1 }, { onChange: (each) => changes.push(each) });
    variables.set("b", [2]);
    variables.update({ a: 3, c: null });
    variables.update({});
    expect(variables.remove("b")).toBe(true);
    expect(variables.remove("b")).toBe(false);
    variables.clear();
    variables.clear();
    expect(changes).toEqual([
      { kind: "set", values: { b: [2] } },
      { kind: "set", values: { a: 3, c: null } },
      { kind: "removed", names: ["b"] },
      { kind: "removed", names: ["a", "c"] },
    ]);
  });

  it("make the same variables in a replay", () => {
    const changes: ContextChange[] = [];
    const first = new ContextVariables({}, { onChange: (each) => changes.push(each) });
    first.update({ a: 1, b: { c: 2 } });
    first.remove("a");
    first.set("__proto__", { polluted: true });
    const second = new ContextVariables();
    for (const change of changes) {
      if (change.kind === "set") second.update(change.values);
      else change.names.forEach((name) => second.remove(name));
    }
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(JSON.stringify(second)).toBe('{"b":{"c":2},"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

it("reads like a dictionary", () => {
  const variables = new ContextVariables({ a: 1, b: null });
  expect(variables.get("a")).toBe(1);
  expect(variables.get("missing")).toBeUndefined();
  expect(variables.get("missing", 7)).toBe(7);
  expect(variables.get("b", 7)).toBeNull();
  expect(variables.get("constructor")).toBeUndefined();
  expect(variables.has("b")).toBe(true);
  expect(variables.require("b")).toBeNull();
  expect(() => variables.require("c")).toThrow(/"c" is not set; there are: a, b/);
  expect(variables.size).toBe(2);
  expect([...variables.keys()]).toEqual(["a", "b"]);
  expect([...variables.values()]).toEqual([1, null]);
  expect([...variables]).toEqual([
    ["a", 1],
    ["b", null],
  ]);
});

it("fills texts, and only when there are variables", () => {
  const fill = (text: string, values: Parameters<typeof fillContextText>[1]) =>
    fillContextText(text, values);
  expect(fill("Hello {name}, {list}", { name: "{list}", list: [1] })).toBe("Hello {list}, [1]");
  expect(fill("Hello {name}", {})).toBe("Hello {name}");
  expect(fill('{"json": 1} {1}', { a: 1 })).toBe('{"json": 1} {1}');
  expect(() => fill("Hello {name}", { a: 1 })).toThrow(/"name" is not set; there are: a/);
});
