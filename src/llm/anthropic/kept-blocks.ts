import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject } from "../../base/json.ts";
import { inputOf, type BlockForm } from "../kept-parts.ts";

/** Blocks of a turn in the messages API. */
export const BLOCKS: BlockForm<ContentBlockParam> = {
  text: (text) => ({ type: "text", text }),
  call: (id, call) => ({ type: "tool_use", id, name: call.name, input: inputOf(call) }),
  thought: thinkingBlock,
  kept: (part) => {
    const { type } = part;
    const isServerTool =
      type === "server_tool_use" || (typeof type === "string" && type.endsWith("_tool_result"));
    return isServerTool ? (part as unknown as ContentBlockParam) : thinkingBlock(part);
  },
};

function thinkingBlock(part: JsonObject): ContentBlockParam | undefined {
  const { type, thinking, signature, data } = part;
  if (type === "thinking" && typeof thinking === "string" && typeof signature === "string") {
    return { type, thinking, signature };
  }
  return type === "redacted_thinking" && typeof data === "string" ? { type, data } : undefined;
}
