import type { FileFacts } from "../llm/run-file.ts";

export type { FileFacts, FileKind, FileMode, FilePlace, RunFile } from "../llm/run-file.ts";

/** A stored file of a tenant, without its bytes. */
export type FileRef = FileFacts & {
  readonly id: string;
  /** Name from the sender: never a path, and cleaned before it is sent on. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly expiresAt?: string;
};
