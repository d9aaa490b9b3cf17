// What a model wants back unchanged and in place, or its next turn is refused: thinking, and what the provider's own tools did,
// or the model forgets which tools it had found. A turn with such blocks keeps the order of all its blocks: those themselves, and
// markers for what the message already holds.
import type { JsonObject } from "../base/json.ts";
import type { CallIds } from "./call-ids.ts";
import type { Message, ToolCall } from "./language-model.ts";
import { isJson, parseObject, textOf, type Fields } from "./wire.ts";

type AssistantMessage = Message & { readonly role: "assistant" };

const TEXT = "anthropic.text";
const TOOL_USE = "anthropic.tool_use";

/** How a wire writes the blocks of a turn. */
export type BlockForm<Block> = {
  readonly text: (text: string) => Block;
  readonly call: (id: string, call: ToolCall) => Block;
  /** A block that goes back as it came. */
  readonly kept: (part: JsonObject) => Block | undefined;
  /** One that does so also in a message that was changed since. */
  readonly thought: (part: JsonObject) => Block | undefined;
};

/** What to keep of a turn's blocks; empty when the message itself holds them all. */
export function partsToKeep(blocks: readonly Fields[]): JsonObject[] {
  if (blocks.every((block) => block["type"] === "text" || block["type"] === "tool_use")) return [];
  return blocks.flatMap((block): JsonObject[] => {
    if (block["type"] === "text") return [{ type: TEXT, length: textOf(block["text"]).length }];
    if (block["type"] === "tool_use") return [{ type: TOOL_USE, id: textOf(block["id"]) }];
    const part = wholeBlock(block);
    return isJsonFields(part) ? [part] : [];
  });
}

/** A block as it goes back: what a stream brought of its input in pieces is put together. */
export function wholeBlock({ json, ...whole }: Fields): Fields {
  return json === undefined ? whole : { ...whole, input: parseObject(textOf(json)) ?? {} };
}

/** The blocks of an assistant's turn, thinking included. */
export function assistantBlocks<Block>(
  message: AssistantMessage,
  ids: CallIds,
  form: BlockForm<Block>,
): Block[] {
  const text = textBlocks(message.content, form);
  const uses = (message.toolCalls ?? []).map((call) => ({
    of: call.id,
    block: form.call(ids.ofCall(call.id), call),
  }));
  const calls = uses.map(({ block }) => block);
  const parts = message.providerParts ?? [];
  if (!parts.some((part) => form.kept(part) !== undefined)) return [...text, ...calls];
  const thinking = parts.map(form.thought).filter((block) => block !== undefined);
  return (
    inOrder({ parts, content: message.content, uses }, form) ?? [...thinking, ...text, ...calls]
  );
}

type Turn<Block> = {
  readonly parts: readonly JsonObject[];
  readonly content: string;
  readonly uses: readonly { readonly of: string; readonly block: Block }[];
};

/** The blocks as the model sent them; undefined when the message was changed since and they no longer fit. */
function inOrder<Block>(
  { parts, content, uses }: Turn<Block>,
  form: BlockForm<Block>,
): Block[] | undefined {
  const blocks: Block[] = [];
  let used = 0;
  const called = new Set<Block>();
  for (const part of parts) {
    const kept = form.kept(part);
    if (kept) {
      blocks.push(kept);
    } else if (part["type"] === TEXT && typeof part["length"] === "number") {
      blocks.push(...textBlocks(content.slice(used, used + part["length"]), form));
      used += part["length"];
    } else if (part["type"] === TOOL_USE) {
      // The first of two calls with one id belongs to the first marker.
      const use = uses.find(({ of, block }) => of === part["id"] && !called.has(block));
      if (use === undefined) return undefined;
      blocks.push(use.block);
      called.add(use.block);
    }
  }
  return used === content.length && called.size === uses.length ? blocks : undefined;
}

/** Empty text is refused, so there is no block for it. */
function textBlocks<Block>(text: string, form: BlockForm<Block>): Block[] {
  return text.trim() === "" ? [] : [form.text(text)];
}

/** Arguments of a call as an object: only another model of a fallback chain can have written some that do not parse. */
export function inputOf({ arguments: text }: ToolCall): JsonObject {
  return parseObject(text || "{}") ?? { unparsed: text };
}

function isJsonFields(block: Fields): block is JsonObject {
  return isJson(block);
}
