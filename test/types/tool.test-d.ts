import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../src/base/json.ts";
import { depends, tool, toolFailure, toolFromSchema, type Tool } from "../../src/index.ts";

describe("tool()", () => {
  test("format and the schema of the result get what run returns, failures aside", () => {
    tool({
      name: "t",
      description: "d",
      input: z.object({}),
      run: async () => (Math.random() > 1 ? toolFailure({ message: "no" }) : [{ name: "tea" }]),
      format: (rows) => {
        expectTypeOf(rows).toEqualTypeOf<{ name: string }[]>();
        return rows.map(({ name }) => name).join();
      },
    });
  });

  test("run gets what the schema's parser gives", () => {
    const made = tool({
      name: "t",
      description: "d",
      input: z.object({
        query: z.string(),
        limit: z.number().default(5),
        tags: z.array(z.string()).optional(),
        day: z.string().transform((text) => new Date(text)),
      }),
      run: (input, { signal, idempotencyKey }) => {
        expectTypeOf(input).toEqualTypeOf<{
          query: string;
          limit: number;
          tags?: string[] | undefined;
          day: Date;
        }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(idempotencyKey).toBeString();
      },
    });
    expectTypeOf(made).toEqualTypeOf<Tool>();
  });

  test("run gets what is injected, beside its context", () => {
    tool({
      name: "t",
      description: "d",
      input: z.object({ n: z.number() }),
      inject: { db: depends(async () => ({ rows: 3 })), unit: depends("kg") },
      run: ({ n }, { db, unit, signal }) => {
        expectTypeOf(n).toBeNumber();
        expectTypeOf(db).toEqualTypeOf<{ rows: number }>();
        expectTypeOf(unit).toBeString();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
    });
    const base = { name: "t", description: "d" };
    toolFromSchema({
      ...base,
      parameters: {},
      inject: { unit: depends("kg") },
      run: (_, { unit }) => expectTypeOf(unit).toBeString(),
    });
    // @ts-expect-error -- every context has a signal
    tool({ ...base, input: z.object({}), inject: { signal: depends(1) }, run: () => 1 });
    // @ts-expect-error -- nothing of that name is injected
    tool({ ...base, input: z.object({}), run: (_, { db }) => db });
  });

  test("run gets what a schema of another library gives", () => {
    const schema = z.object({ n: z.number() });
    tool({
      name: "t",
      description: "d",
      input: { "~standard": schema["~standard"] },
      run: (input) => expectTypeOf(input).toEqualTypeOf<{ n: number }>(),
    });
  });

  test("a step gives its action's result, a wait what it is asked for", () => {
    tool({
      name: "t",
      description: "d",
      input: z.object({}),
      run: async (_, { step, wait }) => {
        expectTypeOf(await step("s", async () => 3)).toBeNumber();
        expectTypeOf(await wait<{ ok: boolean }>("w", { kind: "human" })).toEqualTypeOf<{
          ok: boolean;
        }>();
      },
    });
  });

  test("options that do not exist are errors", () => {
    const run = (): number => 1;
    // @ts-expect-error -- `args` is another framework's word for `input`
    expectTypeOf(tool({ name: "t", description: "d", args: z.object({}), run })).not.toBeAny();
  });

  test("run may take less than the schema gives, and nothing else", () => {
    const base = { name: "t", description: "d", input: z.object({ limit: z.number() }) } as const;
    const doubled = ({ limit }: { limit: number }): number => limit * 2;
    const trimmed = ({ limit }: { limit: string }): string => limit.trim();
    expectTypeOf(tool({ ...base, run: () => "nothing needed" })).toEqualTypeOf<Tool>();
    expectTypeOf(tool({ ...base, run: doubled })).toEqualTypeOf<Tool>();
    // @ts-expect-error -- the schema gives a number
    expectTypeOf(tool({ ...base, run: trimmed })).toEqualTypeOf<Tool>();
    // @ts-expect-error -- the schema has no such field
    expectTypeOf(tool({ ...base, run: ({ offset }) => offset })).toEqualTypeOf<Tool>();
  });

  test("callbacks return what they are asked for", () => {
    const base = { name: "t", description: "d", input: z.object({}), run: () => 1 } as const;
    tool({
      ...base,
      cache: (input, result) => {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
        return result !== "";
      },
      needsApproval: async ({ amount }) => Number(amount) > 100,
    });
    // @ts-expect-error -- cache answers true or false
    expectTypeOf(tool({ ...base, cache: () => "always" })).toEqualTypeOf<Tool>();
    // @ts-expect-error -- needsApproval answers true or false
    expectTypeOf(tool({ ...base, needsApproval: () => 1 })).toEqualTypeOf<Tool>();
    // @ts-expect-error -- these effects there are: "idempotent", "once", "pure"
    expectTypeOf(tool({ ...base, effect: "never" })).toEqualTypeOf<Tool>();
  });

  test("a name, a description, an input and run are required", () => {
    const whole = { name: "t", description: "d", input: z.object({}), run: () => 1 };
    const { name: _name, ...unnamed } = whole;
    const { description: _description, ...undescribed } = whole;
    const { run: _run, ...idle } = whole;
    // @ts-expect-error -- no name
    expectTypeOf(tool(unnamed)).toEqualTypeOf<Tool>();
    // @ts-expect-error -- no description
    expectTypeOf(tool(undescribed)).toEqualTypeOf<Tool>();
    // @ts-expect-error -- no run
    expectTypeOf(tool(idle)).toEqualTypeOf<Tool>();
  });
});
