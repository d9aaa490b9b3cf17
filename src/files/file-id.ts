const ID = /^file_[A-Za-z0-9_-]{1,59}$/;

/** True for the id of a stored file, false for a path or an address. */
export function isFileId(text: unknown): text is string {
  return typeof text === "string" && ID.test(text);
}

/** An id of a stored file. `unique` has letters, digits, `_` and `-`, at most 59 of them. */
export function fileId(unique: string): string {
  return `file_${unique}`;
}
