import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { toolFrom } from "../../../src/tools/tool-from.ts";

const context = { signal: new AbortController().signal } as ToolContext;
const base = { name: "Shout out", description: "Shouts." };

describe("toolFrom()", () => {
  it("hands a function without a schema a text", async () => {
    const made = toolFrom({ ...base, func: (text: string) => text.toUpperCase() });
    expect(made).toMatchObject({
      name: "Shout out",
      safeName: "shout_out",
      description: "Shouts.",
      resultAsAnswer: false,
      parameters: { properties: { input: { type: "string" } }, required: ["input"] },
    });
    expect(await made.call({ input: "hi" }, context)).toBe("HI");
    await expect(made.call({}, context)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it.each([
    ["zod", z.object({ times: z.number().default(2) }), "!!"],
    ["JSON Schema", { type: "object", properties: { times: { type: "number" } } }, ""],
  ])("checks the input by a schema in %s", async (_, schema, expected) => {
    const made = toolFrom({
      ...base,
      schema,
      func: ({ times }: { times?: number }) => "!".repeat(times ?? 0),
    });
    expect(await made.call({ times: 3 }, context)).toBe("!!!");
    expect(await made.call({}, context)).toBe(expected);
    await expect(made.call({ times: "x" }, context)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("calls the function as a method of its object, and hands on the signal", async () => {
    class Greeter {
      readonly name = "greet";
      readonly description = "Greets.";
      readonly greeting = "hello";
      signal: AbortSignal | undefined;
      func(text: string, { signal }: { signal: AbortSignal }): string {
        this.signal = signal;
        return `${this.greeting} ${text}`;
      }
    }
    const greeter = new Greeter();
    expect(await toolFrom(greeter).call({ input: "you" }, context)).toBe("hello you");
    expect(greeter.signal).toBe(context.signal);
  });

  it("takes options in addition to the object's own", () => {
    const func = (): string => "x";
    expect(toolFrom({ ...base, func, returnDirect: true })).toMatchObject({ resultAsAnswer: true });
    expect(
      toolFrom({ ...base, func, returnDirect: true }, { resultAsAnswer: false, effect: "once" }),
    ).toMatchObject({ resultAsAnswer: false, effect: "once" });
  });

  it.each<[object]>([
    [{ description: "d", func: () => 1 }],
    [{ name: "n", func: () => 1 }],
    [{ name: "n", description: "d" }],
  ])("VD20: refuses %j", (wrong) => {
    expect(() => toolFrom(wrong as never)).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringContaining(
          "toolFrom expects an object with name, description and func",
        ),
      }),
    );
  });
});
