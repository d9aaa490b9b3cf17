// The Vercel AI SDK, versions 7 and 5, with OpenAI's provider (responses and chat) and the one for compatible servers.
import assert from "node:assert/strict";
import type * as Ai from "ai";
import type { createOpenAI } from "@ai-sdk/openai";
import type { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as z from "zod";
import { chatTransport } from "./ai-sdk-transport.ts";
import { check, expectOneRun, isSlice, key, leave, together, url } from "./check.ts";

const CLERK = "agent/clerk";
const OBJECT = '{"city":"Rome","degrees":21}';
const weather = z.object({ city: z.string(), degrees: z.number() });
const baseURL = `${url}/v1`;

const VERSIONS = [
  ["ai 7", "ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible"],
  ["ai 5", "ai-5", "ai-sdk-openai-2", "ai-sdk-openai-compatible-1"],
] as const;

for (const [name, sdk, openaiProvider, compatibleProvider] of VERSIONS) {
  const ai = (await import(sdk)) as typeof Ai;
  const { createOpenAI: openai } = (await import(openaiProvider)) as {
    createOpenAI: typeof createOpenAI;
  };
  const { createOpenAICompatible: compatible } = (await import(compatibleProvider)) as {
    createOpenAICompatible: typeof createOpenAICompatible;
  };
  const provider = openai({ baseURL, apiKey: key });
  const other = compatible({
    name: "edgecrew",
    baseURL,
    apiKey: key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  const ways: ReadonlyArray<readonly [string, Model]> = [
    ["responses", (id) => provider(id)],
    ["chat", (id) => provider.chat(id)],
    ["compatible", (id) => other(id)],
  ];
  for (const [way, model] of ways) {
    await calls(`${name}, ${way}`, ai, model);
    // OpenAI's own chat completions show no thoughts, so its provider reads none there.
    if (way !== "chat") await thoughts(`${name}, ${way}`, ai, model);
  }
  await chatTransport(name, ai, other(CLERK));
  if (isSlice) break;
}
leave();

type Model = (id: string) => Ai.LanguageModel;

async function calls(name: string, ai: typeof Ai, model: Model): Promise<void> {
  const lookup = ai.tool({
    description: "Looks a word up.",
    inputSchema: z.object({ word: z.string() }),
    execute: ({ word }) => Promise.resolve(`${word} is a leaf`),
  });
  const of = (what: string, run: () => Promise<void>): Promise<void> => check(name, what, run);
  await together([
    of("generateText", async () => {
      const { text, usage, finishReason } = await ai.generateText({
        model: model(CLERK),
        prompt: "SAY good day",
      });
      assert.equal(text, "good day");
      assert.equal(finishReason, "stop");
      assert.ok((usage.totalTokens ?? 0) > 0, "no usage");
    }),
    of("streamText", async () => {
      const result = ai.streamText({ model: model(CLERK), prompt: "SLOW 10 one two three" });
      const pieces: string[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      assert.equal(pieces.join(""), "one two three");
      assert.ok(pieces.length >= 3, `${pieces.length} pieces`);
      assert.ok(((await result.usage).totalTokens ?? 0) > 0, "no usage");
    }),
    of("several turns", async () => {
      const { text } = await ai.generateText({
        model: model(CLERK),
        messages: [
          { role: "user", content: "my dog is Rex" },
          { role: "assistant", content: "good" },
          { role: "user", content: "RECALL" },
        ],
      });
      assert.match(text, /RECALLED.*my dog is Rex/);
    }),
    of("generateObject", async () => {
      const { object } = await ai.generateObject({
        model: model(CLERK),
        schema: weather,
        prompt: `SAY ${OBJECT}`,
      });
      assert.deepEqual(object, JSON.parse(OBJECT));
    }),
    of("streamObject", async () => {
      const { object, partialObjectStream } = ai.streamObject({
        model: model(CLERK),
        schema: weather,
        prompt: `SAY ${OBJECT}`,
      });
      for await (const part of partialObjectStream) assert.ok(part);
      assert.deepEqual(await object, JSON.parse(OBJECT));
    }),
    of("generateObject of a crew", async () => {
      const { object } = await ai.generateObject({
        model: model("crew/shaped"),
        schema: weather,
        prompt: OBJECT,
      });
      assert.deepEqual(object, JSON.parse(OBJECT));
    }),
    of("a loop of tools", async () => {
      const { text, steps } = await ai.generateText({
        model: model(CLERK),
        prompt: 'CALL lookup {"word":"tea"} CALL lookup {"word":"mint"}',
        tools: { lookup },
        stopWhen: ai.stepCountIs(3),
      });
      assert.match(text, /^RESULT .*tea is a leaf.*mint is a leaf/);
      assert.equal(steps.length, 2);
    }),
    of("a streamed loop of tools", async () => {
      const result = ai.streamText({
        model: model(CLERK),
        prompt: 'CALL lookup {"word":"tea"}',
        tools: { lookup },
        stopWhen: ai.stepCountIs(3),
      });
      assert.match(await result.text, /RESULT .*tea is a leaf/);
    }),
    of("a tool that must be called", async () => {
      const { toolCalls } = await ai.generateText({
        model: model(CLERK),
        prompt: 'SAY {"word":"tea"}',
        tools: { lookup },
        toolChoice: "required",
      });
      assert.equal(toolCalls.length, 1);
    }),
    of("a history with calls of another provider", async () => {
      const { text } = await ai.generateText({
        model: model(CLERK),
        tools: { lookup },
        messages: [
          { role: "user", content: "What is tea?" },
          {
            role: "assistant",
            content: [
              {
                type: "tool-call",
                toolCallId: "toolu_elsewhere",
                toolName: "lookup",
                input: { word: "tea" },
              },
            ],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: "toolu_elsewhere",
                toolName: "lookup",
                output: { type: "text", value: "a leaf" },
              },
            ],
          },
        ],
      });
      assert.match(text, /a leaf/);
    }),
    of("leaving a stream", async () => {
      const leaving = new AbortController();
      const result = ai.streamText({
        model: model(CLERK),
        prompt: "SLOW 150 a b c d e f g h",
        abortSignal: leaving.signal,
      });
      let said = "";
      for await (const piece of result.textStream) {
        said += piece;
        leaving.abort();
      }
      assert.ok(said.length < 12, said);
    }),
  ]);
  await of("one failed call is one run and an error with its reason", () =>
    expectOneRun(async (crew) => {
      await assert.rejects(
        ai.generateText({ model: model(`crew/${crew}`), prompt: name }),
        (error: Error) => /the provider answered 400/.test(error.message),
      );
    }),
  );
  await of("one failed stream is one run", () =>
    expectOneRun(async (crew) => {
      const errors: unknown[] = [];
      const result = ai.streamText({
        model: model(`crew/${crew}`),
        prompt: name,
        onError: ({ error }) => void errors.push(error),
      });
      await result.consumeStream();
      // Version 5 reads a failed response as one that ended for an unknown reason.
      const ended = await Promise.resolve(result.finishReason).catch(() => "error");
      assert.ok(errors.length === 1 || ended !== "stop", `ended with ${ended}`);
    }),
  );
}

async function thoughts(name: string, ai: typeof Ai, model: Model): Promise<void> {
  await together([
    check(name, "thoughts, streamed", async () => {
      const result = ai.streamText({ model: model(CLERK), prompt: "THINK leaves first" });
      let thought = "";
      for await (const part of result.fullStream)
        if (part.type === "reasoning-delta") thought += part.text;
      assert.match(thought, /leaves first/);
    }),
    check(name, "thoughts of a whole answer", async () => {
      const { reasoningText } = await ai.generateText({
        model: model(CLERK),
        prompt: "THINK leaves first",
      });
      assert.match(reasoningText ?? "nothing", /leaves first/);
    }),
  ]);
}
