// Texts of values that cross a boundary. Images and files are not inspected.
import type { Message, ToolCall } from "../../llm/language-model.ts";
import type { ConversationMessage } from "../messages.ts";
import { argumentsText } from "./arguments-text.ts";

/** Access to the texts of a value. */
export type PassingForm<Value> = {
  /** Non-empty texts of a value. */
  readonly texts: (value: Value) => readonly string[];
  readonly changed: (value: Value, change: TextChange) => Promise<Value>;
};

type TextChange = (text: string) => Promise<string>;

/** A text, such as a person's input. */
export const TEXT: PassingForm<string> = {
  texts: (text) => present([text]),
  changed: changedText,
};

/** A call of a tool. */
export const CALL: PassingForm<ToolCall> = {
  texts: (call) => present([argumentsText(call.arguments)]),
  changed: changedCall,
};

/** A message of a conversation: its text, the arguments of its calls, and its results. */
export const MESSAGE: PassingForm<ConversationMessage> = {
  texts: (message) => {
    const { functionCall, toolResponses = [] } = message;
    const called = functionCall === undefined ? [] : [argumentsText(functionCall.arguments)];
    const results = toolResponses.map(({ content }) => content);
    return [...textsOf(message), ...present([...called, ...results])];
  },
  changed: async (message, change) => {
    const { functionCall, toolResponses } = message;
    const changed = await changedTexts(message, change);
    const called = functionCall && (await changedCall(functionCall, change));
    const results =
      toolResponses &&
      (await each(toolResponses, async ({ content, ...rest }) => ({
        ...rest,
        content: await changedText(content, change),
      })));
    return {
      ...changed,
      ...(called === undefined ? undefined : { functionCall: called }),
      ...(results === undefined ? undefined : { toolResponses: results }),
    };
  },
};

/** A request to a model. */
export const REQUEST: PassingForm<readonly Message[]> = {
  texts: (messages) => messages.flatMap(textsOf),
  changed: (messages, change) => each(messages, (message) => changedTexts(message, change)),
};

/** A message with content and possibly calls: of a conversation, or of a model. */
type Worded = {
  readonly content: string | ReadonlyArray<object> | null;
  readonly toolCalls?: readonly ToolCall[];
};

function textsOf(message: Worded): readonly string[] {
  const { content, toolCalls = [] } = message;
  const own = typeof content === "string" ? [content] : (content ?? []).map(partText);
  return present([...own, ...toolCalls.map((call) => argumentsText(call.arguments))]);
}

async function changedTexts<Value extends Worded>(
  message: Value,
  change: TextChange,
): Promise<Value> {
  const { content, toolCalls } = message;
  const text =
    content === null || typeof content === "string"
      ? await changedText(content ?? "", change)
      : await each(content, async (part) => {
          const own = partText(part);
          return own === "" ? part : { ...part, text: await change(own) };
        });
  const calls = toolCalls && (await each(toolCalls, (call) => changedCall(call, change)));
  return {
    ...message,
    content: content === null ? null : text,
    ...(calls === undefined ? undefined : { toolCalls: calls }),
  };
}

function partText(part: { readonly text?: unknown }): string {
  return typeof part.text === "string" ? part.text : "";
}

async function changedCall<Call extends { readonly arguments: string }>(
  call: Call,
  change: TextChange,
): Promise<Call> {
  return { ...call, arguments: await changedText(argumentsText(call.arguments), change) };
}

async function changedText(text: string, change: TextChange): Promise<string> {
  return text === "" ? text : change(text);
}

function present(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== "");
}

function each<Item, Changed>(
  items: readonly Item[],
  change: (item: Item) => Promise<Changed>,
): Promise<readonly Changed[]> {
  return Promise.all(items.map(change));
}
