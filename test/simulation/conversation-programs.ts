// Random conversations, drawn and shrunk by fast-check.
import * as fc from "fast-check";
import type { ConversationNode } from "./conversation.ts";
import type { ProgramNode } from "./program.ts";

export const nodeName = fc.constantFrom("a", "b", "c");

/** Two to four members; who follows is drawn among as many places as there are members. */
function conversationOf(count: number): fc.Arbitrary<ConversationNode> {
  const next = fc.option(fc.nat({ max: count - 1 }), { freq: 6 });
  const member = fc.record({
    says: fc.constantFrom(
      "model" as const,
      "model" as const,
      "person" as const,
      "function" as const,
      "nested" as const,
    ),
    flaky: fc.constantFrom(false, false, false, true),
    ms: fc.constantFrom(0, 1, 5, 20),
    dueMs: fc.constantFrom(null, null, null, 1_000, 60_000, 40 * 86_400_000),
    otherwise: fc.boolean(),
    counts: fc.boolean(),
    next,
    once: fc.option(fc.record({ count: fc.integer({ min: 1, max: 4 }), next }), { freq: 3 }),
  });
  return fc.record({
    type: fc.constant("conversation" as const),
    name: nodeName,
    by: fc.constantFrom("handoffs" as const, "graph" as const, "function" as const),
    members: fc.array(member, { minLength: count, maxLength: count }),
    maxRounds: fc.integer({ min: 2, max: 8 }),
  });
}

export const conversation: fc.Arbitrary<ProgramNode> = fc.oneof(...[2, 3, 4].map(conversationOf));
