// A request of the chat API as the text that the model reads: ChatML, with tools in the form that its family was trained on.
import { CALL_BEGIN, CALL_END, type ToolOfRequest } from "./grammar.ts";

export type WireMessage = {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
};

/** The prompt, which ends where the assistant begins. */
export function promptOf(
  messages: readonly WireMessage[],
  tools: readonly ToolOfRequest[],
): string {
  const turns = messages.map((message) => turn(roleOf(message), textOf(message)));
  const described = tools.length === 0 ? "" : turn("system", toolsText(tools));
  return `${described}${turns.join("")}<|im_start|>assistant\n`;
}

function turn(role: string, text: string): string {
  // A text cannot end its own turn.
  return `<|im_start|>${role}\n${text.replaceAll("<|im_", "<| im_")}<|im_end|>\n`;
}

function roleOf({ role }: WireMessage): string {
  if (role === "developer") return "system";
  return role === "tool" ? "user" : role;
}

function textOf({ role, content, tool_calls: calls = [] }: WireMessage): string {
  const text = Array.isArray(content)
    ? content.map((part) => (part as { readonly text?: string }).text ?? "").join("\n")
    : typeof content === "string"
      ? content
      : "";
  if (role === "tool") return `<tool_response>${text}</tool_response>`;
  const made = calls.map(
    ({ function: { name, arguments: input } }) =>
      `${CALL_BEGIN}{"name":${JSON.stringify(name)},"arguments":${input}}${CALL_END}`,
  );
  return [text, ...made].filter((part) => part !== "").join("\n");
}

function toolsText(tools: readonly ToolOfRequest[]): string {
  const lines = tools.map(
    ({ name, description, parameters }) =>
      `${name}(${Object.keys(parameters["properties"] ?? {}).join(", ")}): ${description}`,
  );
  return `Tools:\n${lines.join("\n")}\nTo use one, write ${CALL_BEGIN}{"name":…,"arguments":{…}}${CALL_END}`;
}
