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
];
