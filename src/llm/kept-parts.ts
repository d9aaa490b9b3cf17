// Parts of a turn the provider requires back unchanged and in place: thinking, and records of the provider's own tools.
// Without them the next turn is refused, or the model forgets the tools it had found. A turn with such blocks keeps the
// order of all its blocks: those themselves, and markers for the content of the message.
import { parsedObject, type JsonObject } from "../base/json.ts";
import type { CallIds } from "./call-ids.ts";
import type { Message, ToolCall } from "./language-model.ts";
import { isJson, textOf, type Fields } from "./wire.ts";

type AssistantMessage = Message & { readonly role: "assistant" };

const TEXT = "anthropic.text";
const TOOL_USE = "anthropic.tool_use";

/** Form of a turn's blocks on a wire. */
export type BlockForm<Block> = {
  readonly text: (text: string) => Block;
  readonly call: (id: string, call: ToolCall) => Block;
  /** Block sent back unchanged. */
  readonly kept: (part: JsonObject) => Block | undefined;
  /** Block sent back unchanged even in a later changed message. */
  readonly thought: (part: JsonObject) => Block | undefined;
};

/** Returns the parts to keep of a turn's blocks; empty if the message itself holds them all. */
export function partsToKeep(blocks: readonly Fields[]): JsonObject[] {
  if (blocks.every((block) => block["type"] === "text" || block["type"] === "tool_use")) return [];
  return blocks.flatMap((block): JsonObject[] => {
    if (block["type"] === "text") return [{ type: TEXT, length: textOf(block["text"]).length }];
    if (block["type"] === "tool_use") return [{ type: TOOL_USE, id: textOf(block["id"]) }];
    const part = wholeBlock(block);
    return isJsonFields(part) ? [part] : [];
  });
}

/** Returns a block to send back, with its streamed input pieces joined. */
export function wholeBlock({ json, ...whole }: Fields): Fields {
  return json === undefined ? whole : { ...whole, input: parsedObject(textOf(json)) ?? {} };
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

/**
 * Returns the arguments of a call as an object. Only another model of a fallback chain can have written unparseable
 * ones.
 */
export function inputOf({ arguments: text }: ToolCall): JsonObject {
  return parsedObject(text || "{}") ?? { unparsed: text };
}

function isJsonFields(block: Fields): block is JsonObject {
  return isJson(block);
}
