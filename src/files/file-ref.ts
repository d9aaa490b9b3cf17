import type { FileFacts } from "../llm/run-file.ts";

export type { FileFacts, FileKind, FileMode, FilePlace, RunFile } from "../llm/run-file.ts";

/** A file that is stored for a tenant, without its bytes. */
export type FileRef = FileFacts & {
  readonly id: string;
  /** As it was given: never a path, and never sent on as it is. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly expiresAt?: string;
};
