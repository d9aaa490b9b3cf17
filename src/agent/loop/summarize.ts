// Shortens a conversation too long for the model's context window.
import { EngineError, unreachable } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import type { ContentPart, Message, ToolCall } from "../../llm/language-model.ts";
import { usableContextWindow } from "../../llm/model-data.ts";
import { estimateTokens } from "../../llm/token-estimate.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import type { AgentWork } from "../agent-work.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { withAttachments } from "../prompts/first-messages.ts";
import { fill } from "../prompts/prompts.ts";

/** Minimum length of a text to halve, in characters. Shorter texts are not the cause of a full window. */
const SMALLEST_HALVED = 500;

/**
 * Returns the shortened conversation: its system messages, and one user message with a summary of the rest and its
 * images. Other files are left out: they may be the cause of the length, and a tool can read them.
 */
export async function summarize(
  scope: RunScope,
  messages: readonly Message[],
  work: AgentWork,
): Promise<readonly Message[]> {
  const { prompts, model } = work;
  const kept = messages.filter((message) => message.role === "system");
  const rest = messages.filter((message) => message.role !== "system");
  const chunks = chunksOf(rest, usableContextWindow(model.contextWindow));
  const summaries = await Promise.all(
    chunks.map((chunk, index) => summaryOf(scope.at(`chunk:${index + 1}`), chunk, work)),
  );
  const merged = fill(prompts.slices.summary, { merged_summary: summaries.join("\n\n") });
  return [...kept, { role: "user", content: withAttachments(merged, imagesIn(rest)) }];
}

/** Summarizes a text. If the model has no room for it, despite the estimate, the text is halved. */
async function summaryOf(place: RunScope, text: string, work: AgentWork): Promise<string> {
  const { summarizerSystemMessage, summarizeInstruction } = work.prompts.slices;
  const transcript = new Transcript([
    { role: "system", content: summarizerSystemMessage },
    { role: "user", content: fill(summarizeInstruction, { group: text }) },
  ]);
  try {
    const answer = await callModel(place, work, {
      request: { messages: transcript.messages },
      inputHash: transcript.hash,
      purpose: "summary",
    });
    return /<summary>([^]*?)<\/summary>/.exec(answer.text)?.[1]?.trim() ?? answer.text.trim();
  } catch (error) {
    const isFull = EngineError.is(error) && error.code === "context_window_exceeded";
    if (!isFull || text.length < SMALLEST_HALVED) throw error;
    const halves = await Promise.all(
      halvesOf(text).map((half, index) => summaryOf(place.at(`half:${index + 1}`), half, work)),
    );
    return halves.join("\n\n");
  }
}

/** Returns two parts, split at a line break near the middle if there is one. */
function halvesOf(text: string): readonly [string, string] {
  const middle = Math.floor(text.length / 2);
  const line = text.lastIndexOf("\n", middle);
  const at = line > middle / 2 ? line + 1 : middle;
  // A character of two units stays whole.
  const end = /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
  return [text.slice(0, end), text.slice(end)];
}

/** The images of the run, each once. */
function imagesIn(messages: readonly Message[]): readonly ContentPart[] {
  const found = new Map<string, ContentPart>();
  for (const { content } of messages)
    if (typeof content !== "string")
      for (const part of content)
        if (part.type === "image" && "runFile" in part)
          found.set(JSON.stringify(part.runFile), part);
  return [...found.values()];
}

/** The conversation as texts of at most `limit` tokens each, split between messages where possible. */
function chunksOf(messages: readonly Message[], limit: number): string[] {
  const chunks: string[][] = [];
  let room = 0;
  for (const text of messages.flatMap((message) => split(labelled(message), limit))) {
    const size = tokens(text);
    const current = chunks.at(-1);
    if (current === undefined || size > room) {
      chunks.push([text]);
      room = limit - size;
    } else {
      current.push(text);
      room -= size;
    }
  }
  return chunks.map((texts) => texts.join("\n\n"));
}

function split(text: string, limit: number): string[] {
  if (tokens(text) <= limit) return [text];
  const length = Math.max(1, Math.floor((text.length * (limit - 5)) / tokens(text)));
  const count = Math.ceil(text.length / length);
  return Array.from(
    { length: count },
    (_, index) =>
      `[Part ${index + 1}/${count}]\n${text.slice(index * length, (index + 1) * length)}`,
  );
}

function tokens(text: string): number {
  return Math.floor(estimateTokens(text));
}

function labelled(message: Message): string {
  switch (message.role) {
    case "system":
      return `[SYSTEM]: ${message.content}`;
    case "user":
      return `[USER]: ${textOfContent(message.content)}`;
    case "tool":
      return `[TOOL_RESULT (${message.toolName})]: ${message.content}`;
    case "assistant":
      return `[ASSISTANT]: ${[message.content, called(message.toolCalls)].filter((part) => part !== "").join(" ")}`;
    default:
      return unreachable(message);
  }
}

function called(calls: readonly ToolCall[] = []): string {
  return calls.length === 0 ? "" : `[Called tools: ${calls.map((call) => call.name).join(", ")}]`;
}
