import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { asSchema, generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toBase64 } from "../../../src/base/bytes.ts";
import { workspaceOf } from "../../../src/files/workspace.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { onEvent } from "../../../src/events/listener.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { convertTool, toAiSdkTool, toMcpTool } from "../../../src/interop/index.ts";
import { toolFailure } from "../../../src/tools/tool-failure.ts";
import { toolResult } from "../../../src/tools/tool-result.ts";
import { tool, type Tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";

const stock = tool({
  name: "Stock of the shop",
  description: "Counts.",
  input: z.object({ article: z.string(), place: z.string().default("Rome") }),
  effect: "pure",
  run: ({ article, place }) => {
    if (article === "unicorn") throw new Error("no unicorns");
    if (article === "dragon") return toolFailure({ message: "asleep", code: "busy" });
    return { article, place, count: 12 };
  },
});

const picture = tool({
  name: "picture",
  description: "Draws.",
  input: z.object({}),
  run: async () => {
    const scope = RunScope.current();
    if (scope === undefined) throw new Error("no run");
    await workspaceOf(scope).write("a.png", new Uint8Array([1, 2, 3]), "image/png");
    return toolResult({
      text: "Drawn.",
      data: { width: 1 },
      images: [
        { path: "a.png", mediaType: "image/png" },
        { data: "BAUG", mediaType: "image/gif" },
      ],
    });
  },
});

/** The answer of a model of the AI SDK, which calls a tool first. */
function askingModel(toolName: string, input: object): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  let turn = 0;
  return new MockLanguageModelV4({
    doGenerate: async () =>
      turn++ === 0
        ? {
            content: [
              {
                type: "tool-call" as const,
                toolCallId: "c1",
                toolName,
                input: JSON.stringify(input),
              },
            ],
            finishReason: { unified: "tool-calls" as const, raw: "tool_calls" },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: "text" as const, text: "Done." }],
            finishReason: { unified: "stop" as const, raw: "stop" },
            usage,
            warnings: [],
          },
  });
}

async function asked(made: Tool, input: object, options = {}) {
  const model = askingModel(made.safeName, input);
  const result = await generateText({
    model,
    prompt: "How many?",
    tools: { [made.safeName]: toAiSdkTool(made, options) },
    stopWhen: isStepCount(3),
  });
  return { result, model };
}

describe("toAiSdkTool()", () => {
  it("TOF1: offers the tool to the SDK's model, and calls it", async () => {
    const { result, model } = await asked(stock, { article: "cup" });
    expect(result.text).toBe("Done.");
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      {
        name: "stock_of_the_shop",
        description: "Counts.",
        inputSchema: { properties: { article: { type: "string" } }, required: ["article"] },
      },
    ]);
    const [step] = result.steps;
    expect(step?.toolResults).toMatchObject([
      { output: { article: "cup", place: "Rome", count: 12 } },
    ]);
  });

  it.each([
    ["unicorn", "no unicorns"],
    ["dragon", "asleep"],
  ])("TOF2: its failures are errors there: %s", async (article, message) => {
    const { result } = await asked(stock, { article });
    const errors = result.steps[0]?.content.filter(({ type }) => type === "tool-error") ?? [];
    expect(errors).toHaveLength(1);
    expect(String((errors[0] as { readonly error?: unknown }).error)).toContain(message);
  });

  it("TOF1: invalid input never reaches the tool", async () => {
    const schema = asSchema(toAiSdkTool(stock).inputSchema as never);
    expect(await schema.validate?.({ article: 1 })).toMatchObject({ success: false });
    expect(await schema.validate?.({ article: "cup" })).toMatchObject({ success: true });
    await expect(toAiSdkTool(stock).execute({ article: [] })).rejects.toMatchObject({
      code: "invalid_input",
    });
    await expect(toAiSdkTool(stock).execute("cup")).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("has the SDK ask when a person must approve", async () => {
    const always = toAiSdkTool({ ...stock, needsApproval: true });
    expect(await always.needsApproval?.({ article: "cup" })).toBe(true);
    const some = toAiSdkTool({ ...stock, needsApproval: ({ article }) => article === "cup" });
    expect(await some.needsApproval?.({ article: "cup" })).toBe(true);
    expect(await some.needsApproval?.({ article: "jug" })).toBe(false);
    expect(toAiSdkTool(stock).needsApproval).toBeUndefined();
  });

  it("returns the tool's own text of its result", async () => {
    const shaped = tool({
      name: "n",
      description: "d",
      input: z.object({}),
      run: () => ({ n: 1 }),
      format: ({ n }) => `n is ${n}`,
    });
    expect(await toAiSdkTool(shaped).execute({})).toBe("n is 1");
    const services = { files: new InMemoryFileStore() };
    expect(await toAiSdkTool(picture, { services }).execute({})).toEqual({ width: 1 });
  });

  it("TCF2: cancels the tool when the SDK aborts", async () => {
    let signal: AbortSignal | undefined;
    const slow = tool({
      name: "slow",
      description: "d",
      input: z.object({}),
      run: (_, context) => {
        signal = context.signal;
        return new Promise(() => undefined);
      },
    });
    const controller = new AbortController();
    const called = toAiSdkTool(slow).execute({}, { abortSignal: controller.signal });
    await expect.poll(() => signal).toBeDefined();
    controller.abort();
    await expect(called).rejects.toMatchObject({ code: "run_cancelled" });
    expect(signal?.aborted).toBe(true);
  });

  it("TCF1: within a run its call is a step of it", async () => {
    const outer = convertTool(toAiSdkTool(stock), { name: "outer" });
    const { agent } = scriptedAgent([calling("outer", { article: "cup" }), "Done."], {
      tools: [outer],
    });
    const events: string[] = [];
    const finished = onEvent("tool_usage_finished", ({ toolName, path }) => {
      events.push(`${toolName} ${path}`);
    });
    await soloCrew(agent, { crew: { listeners: [finished] } }).kickoff();
    expect(events).toEqual([
      expect.stringMatching(/^stock_of_the_shop .*tool:outer#0\/tool:stock_of_the_shop/),
      expect.stringMatching(/^outer /),
    ]);
  });
});

describe("toMcpTool()", () => {
  async function connected(made: Tool, options = {}): Promise<Client> {
    const server = new McpServer({ name: "shop", version: "1" });
    const { name, config, handler } = toMcpTool(made, options);
    server.registerTool(name, config, handler);
    const client = new Client({ name: "test", version: "1" });
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    return client;
  }

  it("TOF1: lists the tool to clients, and calls it", async () => {
    const client = await connected(stock);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: "stock_of_the_shop",
        title: "Stock of the shop",
        description: "Counts.",
        inputSchema: { properties: { article: { type: "string" } }, required: ["article"] },
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      },
    ]);
    const called = { name: "stock_of_the_shop", arguments: { article: "cup" } };
    expect(await client.callTool(called)).toMatchObject({
      content: [{ type: "text", text: '{"article":"cup","place":"Rome","count":12}' }],
      structuredContent: { count: 12 },
    });
    await client.close();
  });

  it("TOF2: failures are results with isError", async () => {
    const client = await connected(stock);
    for (const [article, message] of [
      ["unicorn", "no unicorns"],
      ["dragon", "asleep"],
    ])
      expect(
        await client.callTool({ name: "stock_of_the_shop", arguments: { article } }),
      ).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(message ?? "") }],
      });
    await client.close();
  });

  it("gives images, also those in the workspace", async () => {
    const client = await connected(picture, { services: { files: new InMemoryFileStore() } });
    expect(await client.callTool({ name: "picture", arguments: {} })).toMatchObject({
      content: [
        { type: "text", text: "Drawn." },
        { type: "image", data: toBase64(new Uint8Array([1, 2, 3])), mimeType: "image/png" },
        { type: "image", data: "BAUG", mimeType: "image/gif" },
      ],
      structuredContent: { width: 1 },
    });
    await client.close();
  });

  it.each<[Partial<Tool>, object]>([
    [{ effect: "once" }, { readOnlyHint: false, idempotentHint: false, destructiveHint: false }],
    [
      { effect: "idempotent", needsApproval: true },
      { idempotentHint: true, destructiveHint: true },
    ],
    [
      { effect: "once", actsOutside: true },
      { idempotentHint: false, destructiveHint: true },
    ],
  ])("describes the effects of a call to clients: %j", (fields, annotations) => {
    expect(toMcpTool({ ...stock, ...fields }).config.annotations).toMatchObject(annotations);
  });
});
