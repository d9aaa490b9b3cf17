import type { FileStore } from "./file-store.ts";

/** Files in this process, for tests and for runs that need no others. */
export class InMemoryFileStore implements FileStore {
  readonly #files = new Map<string, { content: Uint8Array; mediaType: string }>();

  async put(path: string, content: string | Uint8Array, mediaType: string): Promise<void> {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
    this.#files.set(path, { content: bytes, mediaType });
  }

  async get(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    const file = this.#files.get(path);
    return file === undefined ? undefined : { ...file, content: file.content.slice() };
  }

  /** All paths, in the order in which they were first written. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** A file as text; undefined for a path that nothing was put at. */
  text(path: string): string | undefined {
    const file = this.#files.get(path);
    return file === undefined ? undefined : new TextDecoder().decode(file.content);
  }
}
