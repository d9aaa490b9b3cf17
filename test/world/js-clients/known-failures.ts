// Gaps of the product that clients of others meet. A row turns red when all of its checks hold.
import type { KnownFailure } from "./calls.ts";

/** Checks by a part of their name. */
function named(name: RegExp): KnownFailure["concerns"] {
  return (call) => name.test(call.name);
}

export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    id: "equal-words",
    reason:
      "two chats that begin with the same words share a session of a conversational flow, unless `X-Thread-Id` or `user` tells them apart",
    issue: "front doors",
    concerns: named(/two chats of equal words/),
    says: /Noted: \d+ packets/,
  },
  {
    id: "equal-approvals",
    reason:
      "where two chats of equal words wait for the approval of a tool call, yes in one of them approves that of the newer run",
    issue: "front doors",
    concerns: named(/an approval belongs to its chat/),
    says: /Missing expected rejection/,
  },
  {
    id: "last-words",
    reason: "a conversation that ends with the assistant's words, to be continued, is 400",
    issue: "front doors",
    concerns: named(/ends with the assistant's words/),
    says: /400/,
  },
  {
    id: "allowed-tools",
    reason: "`tool_choice` of the type `allowed_tools` is 400",
    issue: "front doors",
    concerns: named(/allowed tools/),
    says: /400/,
  },
  {
    id: "forced-tool",
    reason:
      "`tool_choice: required`, or a named tool, is a sentence in the prompt: a model that does not obey answers in words",
    issue: "front doors",
    concerns: named(/a tool that must be called/),
    says: /tool choice was required|0 !== 1|undefined/,
  },
  {
    id: "whole-thoughts",
    reason: "thoughts of a model are in streams, not in whole answers",
    issue: "front doors",
    concerns: named(/thoughts of a whole answer/),
    says: /undefined|nothing|null/,
  },
  {
    id: "no-limit",
    reason: "`max_tokens: -1`, which some clients send for no limit, is 400",
    issue: "front doors",
    concerns: named(/settings that mean no limit/),
    says: /max_tokens expected at least 1/,
  },
  {
    id: "conversation-unread",
    reason:
      "a conversation of the Responses API cannot be read: `GET /v1/conversations/{id}` is 404",
    issue: "front doors",
    concerns: named(/a conversation is read/),
    says: /404/,
  },
  {
    id: "background-words",
    reason:
      "a run that begins in the background sends its whole text at once to those who subscribe while it goes on",
    issue: "front doors",
    concerns: named(/background run streams|words of a subscription/),
    says: /^1 (?:pieces|chunks)/,
  },
  {
    id: "failed-stream-again",
    reason:
      "a stream of the Responses API that fails before its first words says so in a way that AI SDK 7 takes for a passing fault: it asks twice more, which is three runs; it depends on time, so it may hold",
    issue: "front doors",
    concerns: ({ client, name, ok }) =>
      !ok && client === "ai 7, responses" && /failed stream/.test(name),
    says: /^3 runs for one call/,
  },
];
