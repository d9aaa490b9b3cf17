// Orders that a caller writes into a message, and the model follows: one a line, or in the middle of a task's description.
//
//   ECHO <words>             answers these words
//   CALL <tool> <JSON>       calls a tool; `& CALL` in the same line makes two calls at once, the next line is the next turn
//   JSON <JSON>              answers this JSON
//   SLOW <milliseconds>      takes so long
//   THINK <words>            thinks these words before it answers
//   FAIL                     fails for good
//   LATE                     fails with a time-out, which may pass
//   SEEN                     answers the conversation as the model sees it
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { toolCall, toolsMessage, type ScriptedReply } from "../../../src/testing/index.ts";

/** A conversation in words, oldest first. */
export type Said = { readonly role: string; readonly text: string };

/** Answer of a message without an order. */
export const WORDS = "alpha beta gamma delta";

/** Follows the orders of the last user's message. The same conversation gets the same reply. */
export function followOrders(conversation: readonly Said[]): ScriptedReply {
  const asked = conversation.findLastIndex(({ role }) => role === "user");
  const text = conversation[asked]?.text ?? "";
  const since = conversation.slice(asked + 1);
  // Results of calls that others made are in the user's words.
  const before = Array.from(text.matchAll(/It answered: (.*)\)$/gm), ([, result = ""]) => result);
  const turn = before.length + since.filter(({ role }) => role === "assistant").length;
  const calls = [...text.matchAll(/^.*?\bCALL .*$/gm)][turn]?.[0];
  if (calls !== undefined) return toolsMessage(...callsIn(calls));
  const results = since.filter(({ role }) => role === "tool").map((result) => result.text);
  const all = [...before, ...results];
  if (all.length > 0) return `RESULT ${all.join(" | ")}`;
  return {
    ...waitOf(text),
    ...thoughtOf(text),
    ...answerOf(text, conversation.slice(0, asked + 1)),
  };
}

function callsIn(line: string): ReturnType<typeof toolCall>[] {
  return line.split(/ & (?=CALL )/).map((call) => {
    const [, name = "", input = "{}"] = /CALL (\S+)(?: (\{.*\}))?/.exec(call) ?? [];
    return toolCall(name, JSON.parse(input) as JsonObject);
  });
}

function waitOf(text: string): { readonly delayMs?: number } {
  const wait = /\bSLOW (\d+)/.exec(text)?.[1];
  return wait === undefined ? {} : { delayMs: Number(wait) };
}

function thoughtOf(text: string): { readonly thinking?: string } {
  const thought = /\bTHINK (.*)$/m.exec(text)?.[1];
  return thought === undefined ? {} : { thinking: thought };
}

function answerOf(text: string, seen: readonly Said[]): Exclude<ScriptedReply, string> {
  if (/\bFAIL\b/.test(text))
    return { error: new EngineError("model_rejected", "the model refuses this for good") };
  if (/\bLATE\b/.test(text))
    return { error: new EngineError("timeout", "the model is late", { retryable: true }) };
  if (/\bSEEN\b/.test(text))
    return { text: seen.map((message) => `${message.role}: ${message.text}`).join("\n") };
  return { text: /\bJSON (\{.*\})/.exec(text)?.[1] ?? /\bECHO (.*)$/m.exec(text)?.[1] ?? WORDS };
}
