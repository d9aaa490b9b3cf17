import { DynamicTool, tool as langchainTool } from "@langchain/core/tools";
import { ToolMessage } from "@langchain/core/messages";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { tool as openaiTool } from "@openai/agents-core";
import { dynamicTool, jsonSchema, tool as vercelTool } from "ai";
import { zodFunction } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as z3 from "zod/v3";
import type { JsonObject } from "../../../src/base/json.ts";
import { convertTool, convertTools } from "../../../src/interop/index.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { isToolFailure } from "../../../src/tools/tool-failure.ts";
import type { Tool } from "../../../src/tools/tool.ts";
import { calling, lastTold, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";

const signal = new AbortController().signal;
const context = { signal, idempotencyKey: "run:key" } as ToolContext;
const call = (made: Tool, input: JsonObject): Promise<unknown> => made.call(input, context);

const schema = z.object({ city: z.string().min(2), days: z.number().default(3) });
const asks = (made: Tool, input: JsonObject): unknown =>
  typeof made.needsApproval === "function"
    ? made.needsApproval(input, { runId: "r", agentRole: "a" })
    : made.needsApproval;

/** A forecast as each framework has it, and what it was called with. */
function forecasts() {
  const seen: unknown[] = [];
  const forecast = ({ city, days }: { city: string; days: number }): string => {
    seen.push({ city, days });
    if (city === "Atlantis") throw new Error("sunk");
    return `${city}: sun for ${days} days`;
  };
  const about = { name: "Weather forecast", description: "Forecasts." };
  const made = {
    "vercel-ai": convertTool(
      vercelTool({
        description: "Forecasts.",
        inputSchema: schema,
        execute: async (input) => forecast(input),
      }),
      { name: about.name },
    ),
    langchain: convertTool(langchainTool(async (input) => forecast(input), { ...about, schema })),
    "openai-agents": convertTool(
      openaiTool({
        ...about,
        parameters: schema,
        execute: async (input) => forecast(input),
        errorFunction: null,
      }),
    ),
    mastra: convertTool(
      mastraTool({
        id: about.name,
        inputSchema: schema,
        execute: async (input) => forecast(input),
      }),
    ),
  };
  return { seen, made };
}

/** As `createTool` of Mastra makes it: it checks and parses input itself, and returns what is wrong with it. */
function mastraTool<Input extends z.ZodType>(options: {
  readonly id: string;
  readonly inputSchema: Input;
  readonly requireApproval?: boolean;
  readonly needsApprovalFn?: (input: z.output<Input>) => boolean;
  readonly execute: (
    input: z.output<Input>,
    context: { readonly abortSignal?: AbortSignal },
  ) => unknown;
}): object {
  return {
    description: "Forecasts.",
    requireApproval: false,
    ...options,
    execute: async (input: unknown, about: { readonly abortSignal?: AbortSignal }) => {
      const parsed = options.inputSchema.safeParse(input);
      if (!parsed.success)
        return {
          error: true,
          message: `validation failed: ${parsed.error.message}`,
          validationErrors: {},
        };
      return options.execute(parsed.data, about);
    },
  };
}

describe("tools of all frameworks", () => {
  const kinds = ["vercel-ai", "langchain", "openai-agents", "mastra"] as const;

  it.each(kinds)("CVT1, CVT2: %s: names, schemas and results are carried over", async (kind) => {
    const { made, seen } = forecasts();
    const forecast = made[kind];
    expect(forecast.safeName).toMatch(/^weather_+forecast$/);
    expect(forecast.description).toBe("Forecasts.");
    expect(forecast.parameters).toMatchObject({
      type: "object",
      properties: { city: { type: "string", minLength: 2 }, days: { type: "number", default: 3 } },
    });
    expect(await call(forecast, { city: "Rome", days: 2 })).toBe("Rome: sun for 2 days");
    expect(seen).toEqual([{ city: "Rome", days: 2 }]);
  });

  it.each(kinds)("CVT2: %s: invalid input never reaches the tool", async (kind) => {
    const { made, seen } = forecasts();
    for (const input of [{}, { city: "R", days: 1 }, { city: 3, days: 1 }] as JsonObject[])
      await expect(call(made[kind], input)).rejects.toMatchObject({ code: "invalid_input" });
    expect(seen).toEqual([]);
  });

  it.each(kinds)("CVT3: %s: an error is a text for the model of a crew's agent", async (kind) => {
    const forecast = forecasts().made[kind];
    const calls = ["Atlantis", "Rome"].map((city) => calling(forecast.safeName, { city, days: 1 }));
    const { agent, model } = scriptedAgent([...calls, "Rome, then."], { tools: [forecast] });
    const { raw } = await soloCrew(agent).kickoff();
    expect(raw).toBe("Rome, then.");
    expect(lastTold(model, 1)).toContain("sunk");
    expect(lastTold(model, 2)).toBe("Rome: sun for 1 days");
  });
});

describe("Vercel AI SDK", () => {
  it("gets parsed input and its options, and returns the last streamed value", async () => {
    const streaming = vercelTool({
      inputSchema: z.object({ at: z.string().transform((text) => new Date(text)) }),
      async *execute({ at }, { abortSignal, toolCallId }) {
        yield "working";
        yield `${at.getUTCFullYear()} ${abortSignal === signal} ${toolCallId}`;
      },
    });
    const [made] = convertTools({ streaming });
    expect(made).toMatchObject({ name: "streaming", description: "The tool streaming." });
    expect(await made?.call({ at: "2031-05-01" }, context)).toBe("2031 true run:key");
  });

  it("CVT2: reads JSON Schemas with a check of their own", async () => {
    const input = jsonSchema<{ n: number }>(
      { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      {
        validate: (value) =>
          (value as { n: number }).n > 0
            ? { success: true, value: { n: (value as { n: number }).n * 10 } }
            : { success: false, error: new Error("n must be positive") },
      },
    );
    const made = convertTool(dynamicTool({ inputSchema: input, execute: async (value) => value }), {
      name: "t",
    });
    expect(made.parameters).toMatchObject({
      properties: { n: { type: "number" } },
      required: ["n"],
    });
    expect(await call(made, { n: 2 })).toEqual({ n: 20 });
    await expect(call(made, { n: -2 })).rejects.toThrow("n must be positive");
  });

  it("shows the model the tool's own text of its result", async () => {
    const text = vercelTool({
      inputSchema: z.object({ fails: z.boolean() }),
      execute: async ({ fails }) => ({ fails, rows: 3 }),
      toModelOutput: ({ output }) =>
        output.fails
          ? { type: "error-text", value: "no rows" }
          : { type: "content", value: [{ type: "text", text: `${output.rows} rows` }] },
    });
    const [made] = convertTools({ text });
    expect(await made?.call({ fails: false }, context)).toBe("3 rows");
    expect(await made?.call({ fails: true }, context)).toMatchObject({ message: "no rows" });
  });

  it("CVT3: asks a person when the tool wants it", async () => {
    const made = convertTool(
      vercelTool({
        inputSchema: schema,
        needsApproval: ({ city }) => city === "Rome",
        execute: async () => "x",
      }),
      { name: "t" },
    );
    expect(await asks(made, { city: "Rome" })).toBe(true);
    expect(await asks(made, { city: "Oslo" })).toBe(false);
  });
});

describe("LangChain.js", () => {
  it("CVT2: has no envelope around the text of a tool of texts", async () => {
    const made = convertTool(
      new DynamicTool({
        name: "shout",
        description: "Shouts.",
        returnDirect: true,
        func: async (text) => text.toUpperCase(),
      }),
    );
    expect(made).toMatchObject({ resultAsAnswer: true, parameters: { required: ["input"] } });
    expect(await call(made, { input: "hi" })).toBe("HI");
  });

  it("reads JSON Schemas, hands on the signal, and takes the content of a message", async () => {
    const made = convertTool(
      langchainTool(
        async (input: unknown, config: { readonly signal?: AbortSignal }) =>
          new ToolMessage({
            content: `${JSON.stringify(input)} ${config.signal?.aborted}`,
            tool_call_id: "x",
          }),
        {
          name: "n",
          description: "d",
          schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
        },
      ),
    );
    expect(await call(made, { q: "a" })).toBe('{"q":"a"} false');
    await expect(call(made, {})).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("takes the content of a result with an artifact", async () => {
    const made = convertTool(
      langchainTool(async () => ["the text", { big: 1 }], {
        name: "n",
        description: "d",
        schema: z.object({}),
        responseFormat: "content_and_artifact",
      }),
    );
    expect(await call(made, {})).toBe("the text");
  });

  it("CVT2: describes the text of a tool made with zod 3", async () => {
    const old = langchainTool(async ({ q }) => q, {
      name: "n",
      description: "d",
      schema: z3.object({ q: z3.string().describe("What to look for") }) as never,
    });
    expect(convertTool(old).parameters).toEqual({
      type: "object",
      properties: { q: { type: "string", description: "What to look for" } },
      required: ["q"],
    });
    expect(await call(convertTool(old), { q: "a" })).toBe("a");
  });
});

describe("LlamaIndex.TS", () => {
  it("CVT2: calls an object with metadata, as a method of its object", async () => {
    class Search {
      readonly metadata = {
        name: "search docs",
        description: "Searches.",
        parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
      };
      readonly prefix = "found";
      async call({ q }: { readonly q: string }): Promise<string> {
        return `${this.prefix} ${q}`;
      }
    }
    const made = convertTool(new Search());
    expect(made).toMatchObject({ safeName: "search_docs", description: "Searches." });
    expect(await call(made, { q: "x" })).toBe("found x");
    await expect(call(made, {})).rejects.toMatchObject({ code: "invalid_input" });
    const bare = convertTool({ metadata: { name: "echo" }, call: async (value: unknown) => value });
    expect(await call(bare, { input: "x" })).toEqual({ input: "x" });
  });
});

describe("OpenAI functions", () => {
  const described = {
    name: "look",
    description: "Looks.",
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  };

  it.each<[string, object, unknown]>([
    [
      "beside its description",
      { type: "function", function: described, execute: (input: unknown) => input },
      { q: "x" },
    ],
    [
      "in the form of the Responses API",
      { type: "function", ...described, execute: (input: unknown) => input },
      { q: "x" },
    ],
    [
      "of runTools, with a text",
      { type: "function", function: { ...described, function: (text: unknown) => text } },
      '{"q":"x"}',
    ],
    [
      "of runTools, with parsing",
      {
        type: "function",
        function: {
          ...described,
          parse: (text: string) => [JSON.parse(text)],
          function: (parsed: unknown) => parsed,
        },
      },
      [{ q: "x" }],
    ],
    [
      "of zodFunction()",
      zodFunction({
        name: "look",
        description: "Looks.",
        parameters: z.object({ q: z.string() }),
        function: ({ q }) => ({ q: q + q }),
      }),
      { q: "xx" },
    ],
  ])("CVT1, CVT2: are called: %s", async (_, foreign, gives) => {
    const made = convertTool(foreign);
    expect(made).toMatchObject({
      safeName: "look",
      description: "Looks.",
      parameters: { properties: { q: { type: "string" } }, required: ["q"] },
    });
    expect(await call(made, { q: "x" })).toEqual(gives);
    await expect(call(made, { q: 1 })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("are refused without their code", () => {
    expect(() => convertTool({ type: "function", function: described })).toThrow(
      "no tool of a known",
    );
  });
});

describe("schemas of zod 3", () => {
  it("CVT2: are read and parsed, in a tool of the AI SDK (AG7)", async () => {
    const seen: unknown[] = [];
    const made = convertTool(
      {
        description: "Books.",
        parameters: z3.object({
          city: z3.string().min(2).describe("Where"),
          nights: z3.number().int().min(1).default(2),
          kind: z3.enum(["room", "suite"]).optional(),
          when: z3.string().transform((text) => text.toUpperCase()),
        }),
        execute: async (input: unknown) => {
          seen.push(input);
          return "booked";
        },
      },
      { name: "book" },
    );
    expect(made.parameters).toEqual({
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, description: "Where" },
        nights: { type: "integer", minimum: 1, default: 2 },
        kind: { type: "string", enum: ["room", "suite"] },
        when: { type: "string" },
      },
      required: ["city", "when"],
    });
    expect(await call(made, { city: "Rome", when: "may" })).toBe("booked");
    expect(seen).toEqual([{ city: "Rome", nights: 2, when: "MAY" }]);
    await expect(call(made, { city: "R", when: "x" })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/city", message: expect.any(String) }],
    });
  });

  it.each<[z3.ZodType, JsonObject]>([
    [z3.string().email().max(9), { type: "string", format: "email", maxLength: 9 }],
    [
      z3.string().regex(/^a+$/).length(3),
      { type: "string", pattern: "^a+$", minLength: 3, maxLength: 3 },
    ],
    [
      z3.number().gt(1).lte(5).multipleOf(2),
      { type: "number", exclusiveMinimum: 1, maximum: 5, multipleOf: 2 },
    ],
    [z3.boolean().nullable(), { anyOf: [{ type: "boolean" }, { type: "null" }] }],
    [z3.literal("a"), { const: "a" }],
    [z3.nativeEnum({ A: 1, B: "b", 1: "A" } as never), { enum: [1, "b"] }],
    [
      z3.array(z3.null()).min(1).max(3),
      { type: "array", items: { type: "null" }, minItems: 1, maxItems: 3 },
    ],
    [
      z3.tuple([z3.string(), z3.number()]),
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    ],
    [z3.record(z3.number()), { type: "object", additionalProperties: { type: "number" } }],
    [z3.union([z3.string(), z3.number()]), { anyOf: [{ type: "string" }, { type: "number" }] }],
    [
      z3.object({ a: z3.string() }).and(z3.object({}).strict()),
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: {}, additionalProperties: false },
        ],
      },
    ],
    [
      z3.discriminatedUnion("t", [z3.object({ t: z3.literal(1) })]),
      { anyOf: [{ type: "object", properties: { t: { const: 1 } }, required: ["t"] }] },
    ],
    [z3.string().catch("y").brand("x").readonly(), { type: "string" }],
    [z3.string().pipe(z3.string()), { type: "string" }],
    [z3.date(), {}],
    [z3.any(), {}],
  ])("CVT2: %# are described", (field, json) => {
    const foreign = { parameters: z3.object({ field }), execute: () => "" };
    const { properties } = convertTool(foreign, { name: "n" }).parameters;
    expect(properties).toEqual({ field: json });
  });

  it("CVT2: recursive schemas come out finite", () => {
    type Tree = { readonly children: readonly Tree[] };
    const tree: z3.ZodType<Tree> = z3.object({ children: z3.lazy(() => z3.array(tree)) });
    const made = convertTool({ parameters: tree, execute: () => "" }, { name: "n" });
    expect(JSON.stringify(made.parameters).length).toBeLessThan(2_000);
  });
});

describe("Standard Schema", () => {
  it("CVT2: is read when the library has its JSON Schema elsewhere, and refused without one", async () => {
    const validate = (value: unknown) =>
      (value as { q?: unknown }).q === "x"
        ? { value: { q: "X" } }
        : { issues: [{ message: "not x" }] };
    const standard = { version: 1, vendor: "test", validate } as const;
    const arktype = Object.assign(() => undefined, {
      "~standard": standard,
      toJsonSchema: () => ({ type: "object", properties: { q: { type: "string" } } }),
    });
    const made = convertTool(
      { parameters: arktype, execute: (value: unknown) => value },
      { name: "n" },
    );
    expect(made.parameters).toEqual({ type: "object", properties: { q: { type: "string" } } });
    expect(await call(made, { q: "x" })).toEqual({ q: "X" });
    await expect(call(made, { q: "y" })).rejects.toMatchObject({ code: "invalid_input" });
    const mute = { parameters: { "~standard": standard }, execute: () => "" };
    expect(() => convertTool(mute, { name: "n" })).toThrow(/pass the `parameters` as JSON Schema/);
  });
});

describe("streamed results", () => {
  async function* pieces(...values: readonly unknown[]) {
    yield* values;
  }
  const giving = (give: () => unknown): Tool =>
    convertTool({ type: "function", name: "n", parameters: { type: "object" }, execute: give });

  it.each<[string, () => unknown, unknown]>([
    ["texts", () => pieces("a", "b", "c"), "abc"],
    [
      "bytes, cut within a letter",
      () => pieces(new Uint8Array([226, 130]), new Uint8Array([172])),
      "€",
    ],
    ["a stream", () => new Response("streamed").body, "streamed"],
    ["a response", () => new Response("answered"), "answered"],
    ["values", () => pieces({ n: 1 }, { n: 2 }), [{ n: 1 }, { n: 2 }]],
    ["values and texts", () => pieces("so:", { n: 1 }), ["so:", { n: 1 }]],
    ["nothing", () => pieces(), ""],
  ])("CVT4: are collected: %s", async (_, give, whole) => {
    expect(await call(giving(give), {})).toEqual(whole);
  });

  it("CVT4: have an end", async () => {
    async function* forever() {
      for (;;) yield "x".repeat(1_000_000);
    }
    await expect(call(giving(forever), {})).rejects.toMatchObject({ code: "value_too_large" });
  });
});

describe("OpenAI Agents SDK", () => {
  it("CVT3: asks a person, keeps its texts for errors, and its time limit", async () => {
    const made = convertTool(
      openaiTool({
        name: "refund",
        description: "Refunds.",
        parameters: z.object({ amount: z.number() }),
        needsApproval: async (_, { amount }) => amount > 100,
        timeoutMs: 500,
        execute: async () => {
          throw new Error("no money");
        },
        errorFunction: (_, error) => `sorry: ${String(error)}`,
      }),
    );
    expect(await asks(made, { amount: 200 })).toBe(true);
    expect(await asks(made, { amount: 20 })).toBe(false);
    expect(made.timeoutMs).toBe(500);
    expect(await call(made, { amount: 1 })).toContain("sorry: Error: no money");
  });

  it("CVT3: a run waits for the person, and calls the tool afterwards", async () => {
    const calls: number[] = [];
    const refund = convertTool(
      openaiTool({
        name: "refund",
        description: "Refunds.",
        parameters: z.object({ amount: z.number() }),
        needsApproval: true,
        execute: async ({ amount }) => {
          calls.push(amount);
          return { type: "text" as const, text: "paid" };
        },
      }),
    );
    const { agent, model } = scriptedAgent([calling("refund", { amount: 5 }), "done"], {
      tools: [refund],
    });
    const handle = soloCrew(agent).start();
    await expect.poll(async () => (await handle.status()).waits.length).toBe(1);
    expect(calls).toEqual([]);
    await handle.resume({ approve: true });
    await handle.output();
    expect(calls).toEqual([5]);
    expect(lastTold(model, 1)).toBe("paid");
  });
});

describe("Mastra", () => {
  it("CVT3: hands on the signal, asks a person, and takes its faults for failures", async () => {
    const strict = z.object({
      city: z.string().refine((city) => city !== "Nowhere", "no such city"),
    });
    const made = convertTool(
      mastraTool({
        id: "get-weather",
        inputSchema: strict,
        needsApprovalFn: ({ city }) => city === "Rome",
        execute: (_, { abortSignal }) => abortSignal === signal,
      }),
    );
    expect(made).toMatchObject({ name: "get-weather", safeName: "get_weather" });
    expect(await call(made, { city: "Rome" })).toBe(true);
    expect(await asks(made, { city: "Rome" })).toBe(true);
    const failure = await call(made, { city: "Nowhere" });
    expect(isToolFailure(failure)).toBe(true);
    expect(failure).toMatchObject({
      reason: "invalid_input",
      message: expect.stringContaining("no such city"),
    });
    const always = mastraTool({
      id: "t",
      inputSchema: strict,
      requireApproval: true,
      execute: () => 1,
    });
    expect(await asks(convertTool(always), { city: "Oslo" })).toBe(true);
  });
});

describe("MCP", () => {
  it("CVT2, CVT3: calls tools a connected client lists", async () => {
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    const metas: unknown[] = [];
    const inputSchema = z.object({ article: z.string() });
    server.registerTool(
      "stock",
      { description: "Counts.", inputSchema, annotations: { readOnlyHint: true } },
      async ({ article }, { mcpReq }) => {
        metas.push(mcpReq["_meta"]);
        if (article === "unicorn")
          return { content: [{ type: "text", text: "no unicorns" }], isError: true };
        return { content: [{ type: "text", text: `12 of ${article}` }] };
      },
    );
    server.registerTool("order", { description: "Orders.", inputSchema }, async () => ({
      content: [],
    }));
    const client = new Client({ name: "test", version: "1.0.0" });
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    const { tools } = await client.listTools();
    const [stock, order] = convertTools(tools.map((each) => ({ ...each, client })));
    expect(stock).toMatchObject({ name: "stock", description: "Counts.", effect: "idempotent" });
    expect(order).toMatchObject({ effect: "once" });
    expect(await stock?.call({ article: "cup" }, context)).toMatchObject({
      fields: { text: "12 of cup", untrusted: [expect.stringContaining("stock")] },
    });
    expect(metas[0]).toMatchObject({ "edgecrew/idempotencyKey": "run:key" });
    expect(await stock?.call({ article: "unicorn" }, context)).toMatchObject({
      message: "no unicorns",
      reason: "mcp_error",
    });
    await expect(stock?.call({}, context)).rejects.toMatchObject({ code: "invalid_input" });
    await client.close();
  });
});

describe("convertTool()", () => {
  it("refuses an unknown kind, and names the known ones", () => {
    const foreign = vercelTool({ inputSchema: schema, execute: async () => 1 });
    expect(() => convertTool(foreign, { kind: "pydanticai" as never })).toThrow(
      'kind must be one of langchain, llamaindex, openai-agents, openai-function, mcp, mastra, vercel-ai, got "pydanticai"',
    );
    expect(() => convertTool(foreign, { kind: "langchain" })).toThrow(
      'a tool of the kind "langchain" has name, schema, invoke and lc_namespace',
    );
    expect(() => convertTool(foreign)).toThrow("this tool has no name");
    expect(() => convertTool({ name: "x" })).toThrow(
      /no tool of a known framework \(langchain, .*toolFrom/,
    );
    expect(convertTool(foreign, { kind: "vercel-ai", name: "n" }).name).toBe("n");
  });

  it("CVT2: spells names as providers take them, in at most 64 characters", () => {
    const foreign = vercelTool({ inputSchema: schema, execute: async () => 1 });
    const long = convertTool(foreign, { name: `Überweisung / ${"x".repeat(90)}` });
    expect(long.safeName).toMatch(/^[a-z0-9_]{1,64}$/);
  });

  it("takes options of tools in place of the tool's own", () => {
    const foreign = vercelTool({
      description: "Own.",
      inputSchema: schema,
      needsApproval: true,
      execute: async () => 1,
    });
    const made = convertTool(foreign, {
      name: "n",
      description: "Mine.",
      needsApproval: false,
      effect: "once",
    });
    expect(made).toMatchObject({ description: "Mine.", needsApproval: false, effect: "once" });
  });
});
