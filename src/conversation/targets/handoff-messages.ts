// Traces of hand-overs in the transcript, and their filter for models.
import type { ConversationMessage } from "../messages.ts";
import { targetLabel, type FunctionTargetResult, type TransitionTarget } from "./targets.ts";

/** Returns the message of an agent whose context variables handed over before its model was asked. */
export function handoffNotice(target: TransitionTarget): string {
  return `[Handing over to ${targetLabel(target)}]`;
}

/** A note for one member. */
export type MemberNote = { readonly to: string; readonly message: ConversationMessage };

/**
 * Returns the notes of a target function. A text is for the next agent, the user, or else the agent that handed over.
 */
export function functionTargetNotes(
  { messages = [], target }: FunctionTargetResult,
  {
    functionName,
    currentAgent,
    userAgent,
  }: { readonly functionName: string; readonly currentAgent: string; readonly userAgent?: string },
): readonly MemberNote[] {
  const receiver =
    target.kind === "agent"
      ? target.name
      : target.kind === "revertToUser"
        ? (userAgent ?? currentAgent)
        : currentAgent;
  const notes = typeof messages === "string" ? [{ content: messages, to: receiver }] : messages;
  return notes
    .filter(({ content }) => content !== "")
    .map(({ content, to }) => ({ to, message: { role: "system", name: functionName, content } }));
}

/** Removes hand-over calls and their results from a growing history: models take them for unfinished work. */
export class TransferFilter {
  readonly #tools: ReadonlySet<string>;
  /** Models reuse ids, so an id is removed only until another call has it. */
  readonly #removed = new Set<string>();

  constructor(transferTools: ReadonlySet<string>) {
    this.#tools = transferTools;
  }

  /** Returns the remaining part of the next message, or undefined. */
  next(message: ConversationMessage): ConversationMessage | undefined {
    const { toolCalls, toolResponses, ...rest } = message;
    if (toolCalls !== undefined) {
      const calls = toolCalls.filter(({ name }) => !this.#tools.has(name));
      for (const { id, name } of toolCalls)
        if (this.#tools.has(name)) this.#removed.add(id);
        else this.#removed.delete(id);
      if (calls.length === toolCalls.length) return message;
      if (calls.length > 0) return { ...message, toolCalls: calls };
      return isBlank(rest.content) ? undefined : rest;
    }
    if (message.toolCallId !== undefined && this.#removed.has(message.toolCallId)) return undefined;
    if (toolResponses === undefined) return message;
    const responses = toolResponses.filter(({ toolCallId }) => !this.#removed.has(toolCallId));
    if (responses.length === toolResponses.length) return message;
    if (message.role !== "tool")
      return responses.length === 0 ? rest : { ...rest, toolResponses: responses };
    const content = responses.map((response) => response.content).join("\n");
    return responses.length === 0 ? undefined : { ...message, content, toolResponses: responses };
  }
}

function isBlank(content: ConversationMessage["content"]): boolean {
  return content === null || content.length === 0;
}
