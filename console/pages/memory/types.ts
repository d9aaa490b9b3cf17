import type { client } from "../../api.ts";

type Memory = typeof client.memory;
type Answer<Name extends keyof Memory> = Memory[Name] extends (
  ...input: never[]
) => Promise<infer Result>
  ? Result
  : never;

export type MemoryRow = Answer<"get">;
export type ScopeBranch = Answer<"treeNodes">;
export type Recalled = Answer<"recall">;
export type Match = Recalled["items"][number];
