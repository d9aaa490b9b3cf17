import { describe, expect, it } from "vitest";
import { EngineError, errorMessage, toErrorRecord, unreachable } from "../../../src/base/error.ts";

describe("errors", () => {
  it("are not retryable unless they say so", () => {
    expect(new EngineError("timeout", "late").retryable).toBe(false);
    expect(new EngineError("timeout", "late", { retryable: true }).retryable).toBe(true);
  });

  it("survive storage as records", () => {
    const error = new EngineError("invalid_input", "no title", {
      retryable: true,
      issues: [{ path: "/title", message: "expected string" }],
    });
    const record = JSON.parse(JSON.stringify(error.toRecord())) as ReturnType<
      EngineError["toRecord"]
    >;
    const again = EngineError.fromRecord(record);
    expect(again.toRecord()).toEqual(error.toRecord());
    expect(again).toBeInstanceOf(Error);
    expect(EngineError.is(again)).toBe(true);
  });

  it("leave out missing issues", () => {
    expect(new EngineError("internal", "x").toRecord()).toEqual({
      code: "internal",
      message: "x",
      retryable: false,
    });
    expect(
      EngineError.fromRecord({ code: "internal", message: "x", retryable: false }).toRecord(),
    ).not.toHaveProperty("issues");
  });

  it("keep their cause, and have none without one", () => {
    const cause = new Error("inner");
    expect(new EngineError("internal", "x", { cause }).cause).toBe(cause);
    expect("cause" in new EngineError("internal", "x")).toBe(false);
  });

  it("are known across bundles by their brand, not their class", () => {
    const foreign = Object.assign(new Error("from another bundle"), {
      [Symbol.for("edgecrew.error")]: true,
    });
    expect(EngineError.is(foreign)).toBe(true);
    for (const other of [new Error("x"), { code: "internal" }, null, undefined, "internal"])
      expect(EngineError.is(other)).toBe(false);
  });

  it("of unexpected kinds become a record of the fallback", () => {
    expect(toErrorRecord(new TypeError("x is undefined"))).toEqual({
      code: "internal",
      message: "x is undefined",
      retryable: false,
    });
    expect(toErrorRecord("text", "tool_failed")).toEqual({
      code: "tool_failed",
      message: "text",
      retryable: false,
    });
    expect(toErrorRecord(new EngineError("not_found", "no"), "tool_failed")).toMatchObject({
      code: "not_found",
    });
  });

  it("have a message for any thrown value", () => {
    expect([
      errorMessage(new Error("a")),
      errorMessage("b"),
      errorMessage(undefined),
      errorMessage(7),
    ]).toEqual(["a", "b", "undefined", "7"]);
  });

  it("name a value that should not be possible", () => {
    expect(() => unreachable("other" as never)).toThrow(`unexpected value "other"`);
  });
});

describe("an error's text", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  it.each([
    ["a BigInt", 10n, "10"],
    ["an object with a circle", circle, "[object Object]"],
    ["undefined", undefined, "undefined"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an object without a text", Object.create(null), "a thrown object without a text"],
  ])("is a text when the message is %s", (_, message, text) => {
    const error = new Error("x");
    (error as { message: unknown }).message = message;
    expect(errorMessage(error)).toBe(text);
    expect(toErrorRecord(error).message).toBe(text);
  });

  it("has a bound, and names the length", () => {
    const long = "x".repeat(5_000_000);
    const end = "\n[cut: 4992000 of 5000000 characters left out]";
    expect(errorMessage(new Error(long))).toBe(`${"x".repeat(8_000)}${end}`);
    expect(errorMessage(long).endsWith(end)).toBe(true);
    expect(new EngineError("internal", long).toRecord().message.length).toBeLessThan(8_100);
  });

  it("never throws, also when a getter does", () => {
    const error = new Error("x");
    Object.defineProperty(error, "message", {
      get: () => {
        throw new Error("y");
      },
    });
    expect(errorMessage(error)).toBe("a thrown object without a text");
  });
});
