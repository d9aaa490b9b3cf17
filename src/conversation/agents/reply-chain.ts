// The reply chain of an agent, with AG2's positions.
//
//   RLC1. A position means the same as in AG2. There, each built-in link has an asynchronous twin before it, and
//         function calls have their own link before tools. Here these are empty places.
//   RLC2. The agent's work and the keys of its steps count only links, not places.
import type { ReplyLink } from "../turns/reply-function.ts";

/** Links in order, and places that only count. */
export type ReplyChain = readonly (ReplyLink | Place)[];

type Place = { readonly kind: "place" };

const PLACE: Place = { kind: "place" };

/** Chain of an agent without registered replies. */
export const BUILT_IN: ReplyChain = [
  PLACE,
  { kind: "termination" },
  PLACE,
  PLACE,
  PLACE,
  { kind: "tools" },
  PLACE,
  { kind: "model" },
];

/** Returns the chain with a link at a position. A position beyond the end is the last one. */
export function insertedAt(chain: ReplyChain, position: number, link: ReplyLink): ReplyChain {
  return chain.toSpliced(position, 0, link);
}

/** Returns the chain with a link right before or after a built-in one; at the front if that one is gone. */
export function insertedBy(
  chain: ReplyChain,
  by: { readonly before: "model" } | { readonly after: "termination" | "tools" },
  link: ReplyLink,
): ReplyChain {
  const find = (built: ReplyLink["kind"]): number => chain.findIndex(({ kind }) => kind === built);
  const position = "before" in by ? Math.max(0, find(by.before)) : find(by.after) + 1;
  return insertedAt(chain, position, link);
}

/** Returns the links without the empty places, in order. */
export function linksOf(chain: ReplyChain): readonly ReplyLink[] {
  return chain.filter((link) => link.kind !== "place");
}
