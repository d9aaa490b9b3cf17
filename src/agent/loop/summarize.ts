// Shortens a conversation that does not fit the model's context window any more.
import { errorMessage, unreachable } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import type { ContentPart, Message, ToolCall } from "../../llm/language-model.ts";
import { usableContextWindow } from "../../llm/model-data.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import type { AgentWork } from "../agent-work.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { withAttachments } from "../prompts/first-messages.ts";
import { fill } from "../prompts/prompts.ts";

const CHARACTERS_PER_TOKEN = 4;

/**
 * The shortened conversation: its system messages, and one user message with a summary of the rest and the images that were in it. Other
 * files are left out: they may be what it was too long by, and a tool reads them.
 */
export async function summarize(
  scope: RunScope,
  messages: readonly Message[],
  work: AgentWork,
): Promise<readonly Message[]> {
  const { agent, taskName, model } = work;
  const about = {
    agentRole: agent.role,
    model: model.id,
    ...(taskName === undefined ? {} : { taskName }),
  };
  scope.emit("context_window_summarization_started", about);
  try {
    const shortened = await shorten(scope, messages, work);
    scope.emit("context_window_summarization_completed", about);
    return shortened;
  } catch (error) {
    scope.emit("context_window_summarization_failed", { ...about, error: errorMessage(error) });
    throw error;
  }
}

async function shorten(
  scope: RunScope,
  messages: readonly Message[],
  work: AgentWork,
): Promise<readonly Message[]> {
  const { prompts, model } = work;
  const kept = messages.filter((message) => message.role === "system");
  const rest = messages.filter((message) => message.role !== "system");
  const chunks = chunksOf(rest, usableContextWindow(model.contextWindow));
  const summaries = await Promise.all(
    chunks.map(async (chunk, index) => {
      const transcript = new Transcript([
        { role: "system", content: prompts.slices.summarizerSystemMessage },
        { role: "user", content: fill(prompts.slices.summarizeInstruction, { group: chunk }) },
      ]);
      const request = { messages: transcript.messages };
      const { text } = await callModel(scope.at(`chunk:${index + 1}`), work, {
        request,
        inputHash: transcript.hash,
        purpose: "summary",
      });
      return /<summary>([^]*?)<\/summary>/.exec(text)?.[1]?.trim() ?? text.trim();
    }),
  );
  const merged = fill(prompts.slices.summary, { merged_summary: summaries.join("\n\n") });
  return [...kept, { role: "user", content: withAttachments(merged, imagesIn(rest)) }];
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
  const length = Math.max(1, limit - 5) * CHARACTERS_PER_TOKEN;
  const count = Math.ceil(text.length / length);
  return Array.from(
    { length: count },
    (_, index) =>
      `[Part ${index + 1}/${count}]\n${text.slice(index * length, (index + 1) * length)}`,
  );
}

function tokens(text: string): number {
  return Math.floor(text.length / CHARACTERS_PER_TOKEN);
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
