/** Index of a tenant's bytes in the file store. Each content is stored once; files refer to it by its SHA-256. */
export interface BlobIndex {
  /** Returns the path of these bytes. Undefined if no file refers to them. */
  pathOf(sha256: string): Promise<string | undefined>;
  /** Notes a path before it is written. The path is removed at `dueAtMs`, unless a file refers to it by then. */
  expect(path: string, dueAtMs: number): Promise<void>;
  /** Returns the paths, of those listed, with no file and a pending removal. */
  surplus(paths: readonly string[]): Promise<readonly string[]>;
  /** Returns the paths due for removal. */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
  /** Notes the deletion of these paths. */
  removed(paths: readonly string[]): Promise<void>;
}
