// The reply chain of an agent, with the places that it has in AG2.
//
//   RLC1. A position means what it means in AG2: each of its built-in links has an asynchronous twin before it, and calls of functions
//         have a link of their own before that of tools. These are places here, where nothing is asked.
//   RLC2. What an agent runs, and the keys of its steps, count the links alone: the places have none.
import type { ReplyLink } from "../turns/reply-function.ts";

/** Links in their order, and places that only count. */
export type ReplyChain = readonly (ReplyLink | Place)[];

type Place = { readonly kind: "place" };

const PLACE: Place = { kind: "place" };

/** The chain of an agent that has registered nothing. */
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

/** The chain with a link at a position. One beyond the end is the last. */
export function insertedAt(chain: ReplyChain, position: number, link: ReplyLink): ReplyChain {
  return chain.toSpliced(position, 0, link);
}

/** The chain with a link right before or after a built-in one; first where that is gone. */
export function insertedBy(
  chain: ReplyChain,
  by: { readonly before: "model" } | { readonly after: "termination" | "tools" },
  link: ReplyLink,
): ReplyChain {
  const find = (built: ReplyLink["kind"]): number => chain.findIndex(({ kind }) => kind === built);
  const position = "before" in by ? Math.max(0, find(by.before)) : find(by.after) + 1;
  return insertedAt(chain, position, link);
}

/** The links that are asked, the first one first. */
export function linksOf(chain: ReplyChain): readonly ReplyLink[] {
  return chain.filter((link) => link.kind !== "place");
}
