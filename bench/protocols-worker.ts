// The Worker that bench/protocols.ts measures: one agent whose model streams at once, over every protocol that streams.
import { a2a } from "../src/entry/a2a.ts";
import { agUi } from "../src/entry/ag-ui.ts";
import { NO_USAGE } from "../src/base/usage.ts";
import { Agent } from "../src/index.ts";
import type { LanguageModel } from "../src/entry/models.ts";
import { openai } from "../src/entry/openai.ts";
import { defineApp } from "../src/worker.ts";

const WORDS = ["A ", "short ", "answer."];

const streaming: LanguageModel = {
  id: "bench/streaming",
  capabilities: { tools: true, responseSchema: true, stop: true },
  contextWindow: 100_000,
  generate: async (_, { onDelta }) => {
    for (const word of WORDS) onDelta?.(word);
    return {
      text: WORDS.join(""),
      toolCalls: [],
      finishReason: "stop",
      usage: { ...NO_USAGE, promptTokens: 100, completionTokens: 5, totalTokens: 105, requests: 1 },
    };
  },
};

const writer = new Agent({
  role: "Writer",
  goal: "Write",
  backstory: "Quick.",
  llm: streaming,
  stream: true,
});
const expose = "all";

const app = defineApp({
  agents: { writer },
  parts: [a2a({ expose }), agUi({ expose }), openai({ expose })],
});

export default app;
export const { CrewRun } = app.durableObjects;
