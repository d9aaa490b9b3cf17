// `offline/demo`: the model of a fresh clone, without a key and without a network. It is no language model.
//
//   DM1. The same request gets the same answer, byte for byte.
//   DM2. It calls each tool at most once in answer to one ask, then answers: a run always ends.
//   DM3. A text answer ends with a notice about its origin; JSON and tool calls stay pure.
//   DM4. If its input does not answer the ask, the text states this, and the response is `no_answer`.
import { sleep, type Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { systemClock } from "../../base/system.ts";
import type { Usage } from "../../base/usage.ts";
import { NO_USAGE } from "../../base/usage.ts";
import { plainMessages, textOfContent } from "../content.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ToolCall,
  ToolSpec,
} from "../language-model.ts";
import { DEMO, type DemoOptions } from "./capabilities.ts";
import { chooseTool } from "./choose-tool.ts";
import { composeAnswer } from "./compose-answer.ts";
import { factsOf } from "./facts.ts";
import { fillSchema, requiredOf } from "./fill-schema.ts";
import { isNoAnswer } from "./no-answer.ts";
import { NOTICE, readRequest } from "./reading.ts";
import type { Reading } from "./reading.ts";
import type { Source } from "./source.ts";
import { titleOf } from "./title.ts";
import { overlap, stemSet } from "./words.ts";

const CHARACTERS_PER_TOKEN = 4;

/** Creates a model that picks tools by shared words and extracts its answers from its input. */
export function createDemoModel({
  delayMs = 0,
  clock = systemClock,
}: DemoOptions = {}): LanguageModel {
  return {
    ...DEMO,
    generate: async (modelRequest, options) => {
      options.signal.throwIfAborted();
      const request = { ...modelRequest, messages: plainMessages(modelRequest.messages, DEMO) };
      const { text, toolCalls, isUnanswered } = respond(request);
      const stopped = beforeStop(text, request.stop ?? []);
      await stream(stopped, { options, delayMs, clock });
      return {
        text: stopped,
        toolCalls,
        finishReason: toolCalls.length > 0 ? "tool_calls" : isUnanswered ? "no_answer" : "stop",
        usage: usageOf(request, { text: stopped, toolCalls }),
      };
    },
  };
}

type DemoReply = Pick<ModelResponse, "text" | "toolCalls"> & { readonly isUnanswered?: boolean };

function respond(request: ModelRequest): DemoReply {
  const reading = readRequest(request);
  const tool = chooseTool(reading);
  if (tool !== undefined) return callOf(tool, { reading, turn: request.messages.length });
  const answer = composeAnswer(reading);
  const text = finalText(reading, answer);
  return {
    text: reading.isTextForm ? `Thought: I have what I need.\nFinal Answer: ${text}` : text,
    toolCalls: [],
    isUnanswered: isNoAnswer(answer),
  };
}

function callOf(tool: ToolSpec, { reading, turn }: { reading: Reading; turn: number }): DemoReply {
  const input = JSON.stringify(
    pointedInput(tool, reading) ?? fillSchema(tool.parameters, sourceOf(reading)),
  );
  if (!reading.isTextForm)
    return {
      text: "",
      toolCalls: [{ id: `demo_${turn}_${tool.name}`, name: tool.name, arguments: input }],
    };
  return {
    text: `Thought: ${tool.name} fits what is asked.\nAction: ${tool.name}\nAction Input: ${input}`,
    toolCalls: [],
  };
}

/** Returns the one argument of a tool the prompt points to: the listed entry with most words in common with the ask. */
function pointedInput(tool: ToolSpec, { pointer, instructions }: Reading): JsonObject | undefined {
  const [key, ...others] = requiredOf(tool.parameters);
  if (pointer?.tool !== tool.name || key === undefined || others.length > 0) return undefined;
  const said = stemSet(...instructions);
  const [closest = ""] = pointer.options.toSorted((a, b) => overlap(said, b) - overlap(said, a));
  return { [key]: closest };
}

function finalText(reading: Reading, answer: string): string {
  if (reading.schema !== undefined)
    return JSON.stringify(fillSchema(reading.schema, sourceOf(reading, answer)));
  return `${answer}\n\n${NOTICE}`;
}

/**
 * Returns the source of values: for an answer the whole input and the answer in prose, for a tool's arguments the input
 * alone.
 */
function sourceOf(reading: Reading, answer?: string): Source {
  const input = [...reading.toolResults.map(({ content }) => content), ...reading.material];
  // Findings from beside the ask are only in the answer.
  const fromAnswer = input.length > 0 || isNoAnswer(answer ?? "") ? input : [answer ?? ""];
  const ask = reading.instructions.join("\n");
  return {
    purpose: answer === undefined ? "arguments" : "answer",
    ask,
    title: titleOf(ask),
    texts: answer === undefined ? reading.material : fromAnswer,
    facts: factsOf(input),
    answer: answer ?? "",
  };
}

function beforeStop(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

const THINKING_SHARE = 0.25;
/** Shorter pauses than this are not worth a timer. */
const LEAST_PAUSE_MS = 20;

/** Word by word, as a model would; an abort in between ends it. */
async function stream(
  text: string,
  { options, delayMs, clock }: { options: CallOptions; delayMs: number; clock: Clock },
): Promise<void> {
  const { onDelta, signal } = options;
  const words = onDelta === undefined ? [] : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []);
  const speakingMs = words.length === 0 ? 0 : delayMs * (1 - THINKING_SHARE);
  if (delayMs > 0) await sleep(clock, delayMs - speakingMs, signal);
  const perPause = Math.max(1, Math.ceil((words.length * LEAST_PAUSE_MS) / (speakingMs || 1)));
  for (const [at, word] of words.entries()) {
    signal.throwIfAborted();
    onDelta?.(word);
    if (speakingMs > 0 && (at + 1) % perPause === 0)
      await sleep(clock, (speakingMs * perPause) / words.length, signal);
  }
}

function usageOf({ messages, tools }: ModelRequest, { text, toolCalls }: DemoReply): Usage {
  const promptTokens = tokens(
    messages.map(shown).join("") + (tools === undefined ? "" : JSON.stringify(tools)),
  );
  const completionTokens = tokens(text + callText(toolCalls));
  return {
    ...NO_USAGE,
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    requests: 1,
  };
}

function shown(message: ModelRequest["messages"][number]): string {
  return (
    textOfContent(message.content) +
    (message.role === "assistant" ? callText(message.toolCalls ?? []) : "")
  );
}

function callText(toolCalls: readonly ToolCall[]): string {
  return toolCalls.map((call) => call.name + call.arguments).join("");
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
