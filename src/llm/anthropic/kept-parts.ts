// Thinking blocks must come back unchanged and in place, or the next turn is refused; so must what the provider's own
// tools did, or the model forgets which tools it had found. A turn with such blocks keeps the order of all its blocks:
// those themselves, and markers for what the message already holds.
import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject } from "../../base/json.ts";
import type { CallIds } from "../call-ids.ts";
import type { Message, ToolCall } from "../language-model.ts";
import { isJson, parseObject, textOf, type Fields } from "../wire.ts";

type AssistantMessage = Message & { readonly role: "assistant" };

const TEXT = "anthropic.text";
const TOOL_USE = "anthropic.tool_use";

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
export function assistantBlocks(message: AssistantMessage, ids: CallIds): ContentBlockParam[] {
  const text = textBlocks(message.content);
  const uses = (message.toolCalls ?? []).map((call) => ({
    of: call.id,
    block: toolUse(call, ids),
  }));
  const calls = uses.map(({ block }) => block);
  const parts = message.providerParts ?? [];
  if (!parts.some((part) => keptBlock(part) !== undefined)) return [...text, ...calls];
  const thinking = parts.map(thinkingBlock).filter((block) => block !== undefined);
  return inOrder(parts, message.content, uses) ?? [...thinking, ...text, ...calls];
}

/** The blocks as the model sent them; undefined when the message was changed since and they no longer fit. */
function inOrder(
  parts: readonly JsonObject[],
  content: string,
  uses: readonly { readonly of: string; readonly block: ContentBlockParam }[],
): ContentBlockParam[] | undefined {
  const blocks: ContentBlockParam[] = [];
  let used = 0;
  const called = new Set<ContentBlockParam>();
  for (const part of parts) {
    const kept = keptBlock(part);
    if (kept) {
      blocks.push(kept);
    } else if (part["type"] === TEXT && typeof part["length"] === "number") {
      blocks.push(...textBlocks(content.slice(used, used + part["length"])));
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

function thinkingBlock(part: JsonObject): ContentBlockParam | undefined {
  const { type, thinking, signature, data } = part;
  if (type === "thinking" && typeof thinking === "string" && typeof signature === "string") {
    return { type, thinking, signature };
  }
  return type === "redacted_thinking" && typeof data === "string" ? { type, data } : undefined;
}

/** A block that goes back as it came. */
function keptBlock(part: JsonObject): ContentBlockParam | undefined {
  const { type } = part;
  const isServerTool =
    type === "server_tool_use" || (typeof type === "string" && type.endsWith("_tool_result"));
  return isServerTool ? (part as unknown as ContentBlockParam) : thinkingBlock(part);
}

/** Empty text is refused, so there is no block for it. */
function textBlocks(text: string): ContentBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toolUse(call: ToolCall, ids: CallIds): ContentBlockParam {
  return {
    type: "tool_use",
    id: ids.ofCall(call.id),
    name: call.name,
    // Only another model of a fallback chain can have written arguments that do not parse.
    input: parseObject(call.arguments || "{}") ?? { unparsed: call.arguments },
  };
}

function isJsonFields(block: Fields): block is JsonObject {
  return isJson(block);
}
