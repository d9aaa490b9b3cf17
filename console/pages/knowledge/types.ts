import type { client } from "../../api.ts";

type Knowledge = typeof client.knowledge;
type ItemOf<Name extends keyof Knowledge> = Knowledge[Name] extends (
  ...input: never[]
) => Promise<{ readonly items: readonly (infer Item)[] }>
  ? Item
  : never;

export type Collection = ItemOf<"collections">;
export type DocumentRow = ItemOf<"documents">;
export type Chunk = ItemOf<"chunks">;
export type Snippet = ItemOf<"query">;
