// A conversation in turns of blocks that alternate between the user and the model, with a separate system prompt: the
// form of Anthropic's messages API and Bedrock's Converse.
import { CallIds, type CallIdForm } from "./call-ids.ts";
import { sendableParts, type SendableMedia } from "./content.ts";
import { assistantBlocks, type BlockForm } from "./kept-parts.ts";
import type { Message, ModelCapabilities } from "./language-model.ts";

/** A request takes four breakpoints; one is the system prompt's. */
const MAX_BREAKPOINTS = 3;

/** A conversation converted so far. */
export type Conversation<Block> = {
  readonly system: string[];
  readonly turns: Turn<Block>[];
  /** The system prompt ends at a cache breakpoint. */
  cachesSystem: boolean;
  /** Cache breakpoints in the turns. */
  breakpoints: number;
  /** Names of the tools called in it. */
  readonly called: Set<string>;
  readonly ids: CallIds;
};

export type Turn<Block> = { readonly role: "user" | "assistant"; readonly content: Block[] };

/** Form of both sides' blocks on a wire. */
export type TurnForm<Block> = BlockForm<Block> & {
  readonly media: (part: SendableMedia) => Block;
  readonly result: (id: string, content: string) => Block;
  /** The blocks, with all up to their end to be cached. */
  readonly cached: (blocks: readonly Block[]) => Block[];
};

type Reader = { readonly id: string; readonly capabilities: ModelCapabilities };

export function startTurns<Block>(ids: CallIdForm): Conversation<Block> {
  return {
    system: [],
    turns: [],
    cachesSystem: false,
    breakpoints: 0,
    called: new Set(),
    ids: new CallIds(ids),
  };
}

/** Adds a message. All messages of the user's side between two answers become one turn. */
export function appendTurn<Block>(
  conversation: Conversation<Block>,
  message: Message,
  { form, reader }: { readonly form: TurnForm<Block>; readonly reader: Reader },
): void {
  const { system, turns, ids } = conversation;
  switch (message.role) {
    case "system":
      system.push(message.content);
      if (message.cacheBreakpoint) conversation.cachesSystem = true;
      return;
    case "user": {
      const blocks = userBlocks(message.content, reader, form);
      const isCached = message.cacheBreakpoint && conversation.breakpoints < MAX_BREAKPOINTS;
      if (isCached) conversation.breakpoints += 1;
      addBlocks(turns, "user", isCached ? form.cached(blocks) : blocks);
      return;
    }
    case "assistant":
      for (const { name } of message.toolCalls ?? []) conversation.called.add(name);
      addBlocks(turns, "assistant", assistantBlocks(message, ids, form));
      return;
    case "tool":
      addBlocks(turns, "user", [form.result(ids.ofResult(message.toolCallId), message.content)]);
  }
}

/** Returns the system prompt; undefined without one. */
export function systemText({ system }: Conversation<unknown>): string | undefined {
  return system.filter((part) => part.trim() !== "").join("\n\n") || undefined;
}

/** Returns the turns to send: beginning and ending with the user. */
export function sentTurns<Block>(
  { turns }: Conversation<Block>,
  text: (text: string) => Block,
): Turn<Block>[] {
  // Copies: the remembered turns may grow while this request is on its way.
  const sent = turns.map(({ role, content }): Turn<Block> => ({ role, content: [...content] }));
  if (turns[0]?.role !== "user") sent.unshift({ role: "user", content: [text("Hello.")] });
  if (sent.at(-1)?.role === "assistant")
    sent.push({ role: "user", content: [text("Please go on.")] });
  return sent;
}

function userBlocks<Block>(
  content: (Message & { readonly role: "user" })["content"],
  reader: Reader,
  { text, media }: TurnForm<Block>,
): Block[] {
  const parts =
    typeof content === "string"
      ? [{ type: "text", text: content } as const]
      : sendableParts(content, reader);
  const blocks = parts
    .filter((part) => part.type !== "text" || part.text.trim() !== "")
    .map((part) => (part.type === "text" ? text(part.text) : media(part)));
  return blocks.length === 0 ? [text("(empty)")] : blocks;
}

function addBlocks<Block>(
  turns: Turn<Block>[],
  role: Turn<Block>["role"],
  blocks: readonly Block[],
): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else turns.push({ role, content: [...blocks] });
}
