/** Where a tenant's bytes are in the file store: each once, named by files by its SHA-256. */
export interface BlobIndex {
  /** Undefined for bytes that no file names. */
  pathOf(sha256: string): Promise<string | undefined>;
  /** Notes a path before anything is written there: it is removed at that time, unless a file names it by then. */
  expect(path: string, dueAtMs: number): Promise<void>;
  /** Of these paths, those that no file names and that are still to be removed. */
  surplus(paths: readonly string[]): Promise<readonly string[]>;
  /** What is due. */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
  /** These paths are deleted. */
  removed(paths: readonly string[]): Promise<void>;
}
