// Scope and source of a person's memory, across runs, crews, flows and conversations.
//
//   MPS1. Two ids have two scopes, neither within the other: an id becomes one segment of a path, with a hash of the
//        whole id unless it is short and plain. Slashes, dots, case and look-alike letters never meet another id.
//   MPS2. Records of a person are private, and their source is the person. So no other recall finds them, also one of
//        the whole memory.
import { checkPersonId } from "../base/person-id.ts";
import { sha256Hex } from "../base/sha256.ts";
import { plainSegment } from "./memory-path.ts";

/** Owner of the records in a view. */
export type MemoryOwner = {
  /** Path of the records, below the root. */
  readonly scope: string;
  /** Source of the records, and of the view's recalls. */
  readonly source: string;
};

/** Short, plain ids are readable in paths. One that ends like a hash is not plain (MPS1). */
const PLAIN = /^(?!.*-[0-9a-f]{32}$)[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_READABLE = 31;

/** Returns the owner of a person's memory. Fails with `invalid_input` for an invalid id. */
export function memoryOwner(person: string): MemoryOwner {
  const id = checkPersonId(person);
  const name = PLAIN.test(id)
    ? id
    : `${plainSegment(id.slice(0, MAX_READABLE))}-${sha256Hex(id).slice(0, 32)}`;
  return { scope: `/person/${name}`, source: `person:${name}` };
}
