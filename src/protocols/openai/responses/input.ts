// Converts the input of a response to chat messages, one for each item.
import { preview } from "../../../base/json.ts";
import { wrong } from "../errors.ts";
import type { ChatMessage } from "../chat/schema.ts";
import type { InputItem, ResponseBody } from "./schema.ts";

/** Finds the text of an earlier item by its id. */
export type Referenced = (id: string) => Promise<string | undefined>;

/** Reads the items. `referenced` resolves an `item_reference`. Fails with `invalid_input`. */
export function messagesIn(
  input: ResponseBody["input"],
  referenced: Referenced,
): Promise<readonly ChatMessage[]> {
  if (typeof input === "string") return Promise.resolve([{ role: "user", content: input }]);
  return Promise.all(input.map((item, index) => messageOf(item, `/input/${index}`, referenced)));
}

async function messageOf(
  item: InputItem,
  where: string,
  referenced: Referenced,
): Promise<ChatMessage> {
  const { type, role, content, id, call_id: callId, name, output } = item;
  switch (type ?? "message") {
    case "message":
      if (role == null) throw wrong(`${where}/role`, "{} must be set, as in a message");
      return { role, content };
    case "custom_tool_call":
    case "function_call": {
      const called = { name: name ?? "", arguments: item.input ?? item.arguments ?? "{}" };
      const call = { id: callId ?? "", type: "function", function: called } as const;
      return { role: "assistant", content: "", tool_calls: [call] };
    }
    case "custom_tool_call_output":
    case "function_call_output": {
      const isContent = typeof output === "string" || Array.isArray(output);
      const text = isContent ? (output as ChatMessage["content"]) : JSON.stringify(output ?? null);
      return { role: "tool", tool_call_id: callId, content: text };
    }
    case "reasoning":
      return { role: "assistant", content: "" };
    case "item_reference": {
      const said = id == null ? undefined : await referenced(id);
      if (said !== undefined) return { role: "assistant", content: said };
      throw wrong(`${where}/id`, `{} names the item ${preview(id ?? null)}, which is unknown`);
    }
    default:
      throw wrong(
        `${where}/type`,
        `{} must be a message, a function_call or a function_call_output, got ${preview(type ?? null)}`,
      );
  }
}
