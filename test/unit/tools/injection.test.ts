import { describe, expect, it } from "vitest";
import * as z from "zod";
import { depends, type Injections } from "../../../src/tools/injection.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { tool, toolFromSchema } from "../../../src/tools/tool.ts";
import { calling, lastTold, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";

const context = { agentRole: "Clerk", env: { KEY: "k" } } as unknown as ToolContext;
const base = { name: "t", description: "d", input: z.object({ n: z.number() }) };

describe("inject", () => {
  it("INJ1: injected values are in no schema, and a model's input under their names is ignored (AG2)", async () => {
    const made = tool({
      ...base,
      inject: { db: depends({ name: "real" }) },
      run: ({ n }, { db }) => `${n} ${db.name}`,
    });
    expect(Object.keys(made.parameters["properties"] ?? {})).toEqual(["n"]);
    expect(await made.call({ n: 1, db: { name: "forged" } }, context)).toBe("1 real");
  });

  it("INJ2: values are made for each execution in order, and only for valid input", async () => {
    const made: string[] = [];
    const noting = (name: string) =>
      depends(async ({ agentRole }) => {
        await Promise.resolve();
        made.push(name);
        return `${name} of ${agentRole} ${made.length}`;
      });
    const both = tool({
      ...base,
      inject: { first: noting("first"), second: noting("second") },
      run: (_, { first, second, env }) => [first, second, env["KEY"]],
    });
    await expect(both.call({ n: "x" }, context)).rejects.toMatchObject({ code: "invalid_input" });
    expect(made).toEqual([]);
    expect(await both.call({ n: 1 }, context)).toEqual([
      "first of Clerk 1",
      "second of Clerk 2",
      "k",
    ]);
    expect(await both.call({ n: 1 }, context)).toEqual([
      "first of Clerk 3",
      "second of Clerk 4",
      "k",
    ]);
  });

  it("injects a function when the provider returns one", async () => {
    const greet = tool({
      ...base,
      inject: { greeting: depends(() => (name: string) => `hello ${name}`) },
      run: (_, { greeting }) => greeting("you"),
    });
    expect(await greet.call({ n: 1 }, context)).toBe("hello you");
  });

  it("works for tools with a JSON Schema", async () => {
    const made = toolFromSchema({
      name: "t",
      description: "d",
      parameters: { type: "object", properties: { n: { type: "number" } } },
      inject: { factor: depends(3) },
      run: ({ n }, { factor }) => Number(n) * factor,
    });
    expect(await made.call({ n: 2 }, context)).toBe(6);
  });

  it.each<[Injections, string]>([
    [{ signal: depends(1) }, "inject.signal has the name of a field that every context has"],
    [{ n: depends(1) }, "inject.n has the name of an argument that the model writes"],
    [{ db: 1 as never }, "inject.db must be made with depends() or another injection, got 1"],
  ])("INJ1: refuses %j (AG2)", (inject, message) => {
    expect(() => tool({ ...base, inject: inject as never, run: () => 1 })).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringContaining(message),
      }),
    );
  });

  it("a provider's exception is a failure of the tool, which the model reads", async () => {
    const failing = tool({
      ...base,
      inject: {
        db: depends((): string => {
          throw new Error("no database today");
        }),
      },
      run: () => "never",
    });
    const { agent, model } = scriptedAgent([calling("t", { n: 1 }), "done"], { tools: [failing] });
    await soloCrew(agent).kickoff();
    expect(lastTold(model, 1)).toContain("no database today");
  });
});

describe("input of another library", () => {
  // What Standard Schema shows of a schema, and nothing else of it.
  const standard = (schema: z.ZodType<{ n: number }>) => ({
    "~standard": schema["~standard"],
  });

  it("is described by its own JSON Schema, and checked and typed by itself", async () => {
    const schema = standard(
      z.object({ n: z.coerce.number().min(1).meta({ description: "How many" }) }),
    );
    const made = tool({ ...base, input: schema, run: ({ n }) => n + 1 });
    expect(made.parameters).toMatchObject({
      type: "object",
      properties: { n: { description: "How many" } },
      required: ["n"],
    });
    expect(await made.call({ n: 1 }, context)).toBe(2);
    await expect(made.call({ n: 0 }, context)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("/n: "),
    });
  });

  it("is refused when it cannot be described", () => {
    const input = { "~standard": { validate: (value: unknown) => ({ value }) } };
    expect(() => tool({ ...base, input, run: () => 1 })).toThrow(/Standard JSON Schema/);
  });
});
