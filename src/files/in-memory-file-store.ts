import { pageOf, type Page } from "../runtime/page.ts";
import type { FileQuery, FileRange, FileStat, FileStore, OpenFile } from "./file-store.ts";
import { bytesOf, streamOf } from "./stream-bytes.ts";

/** Files in this process, for tests and for runs without a persistent store. */
export class InMemoryFileStore implements FileStore {
  readonly #files = new Map<string, { content: Uint8Array; mediaType: string }>();

  async put(
    path: string,
    content: string | Uint8Array | ReadableStream<Uint8Array>,
    mediaType: string,
  ): Promise<void> {
    this.#files.set(path, { content: await ownBytes(content), mediaType });
  }

  async get(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    const file = this.#files.get(path);
    return file === undefined ? undefined : { ...file, content: file.content.slice() };
  }

  async open(
    path: string,
    { offset = 0, length = Number.POSITIVE_INFINITY }: FileRange = {},
  ): Promise<OpenFile | undefined> {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    const piece = file.content.slice(offset, offset + length);
    return { ...statOf(path, file), stream: streamOf(piece) };
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const file = this.#files.get(path);
    return file === undefined ? undefined : statOf(path, file);
  }

  async list({ prefix = "", cursor, limit = 1000 }: FileQuery = {}): Promise<Page<FileStat>> {
    const found = [...this.#files]
      .filter(([path]) => path.startsWith(prefix) && (cursor === undefined || path > cursor))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return pageOf(found, limit, {
      item: ([path, file]) => statOf(path, file),
      cursor: ([path]) => path,
    });
  }

  async delete(paths: string | readonly string[]): Promise<void> {
    for (const path of [paths].flat()) this.#files.delete(path);
  }

  /** All paths, in the order in which they were first written. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** Returns a file as text. Undefined for a path without a file. */
  text(path: string): string | undefined {
    const file = this.#files.get(path);
    return file === undefined ? undefined : new TextDecoder().decode(file.content);
  }
}

function statOf(
  path: string,
  { content, mediaType }: { readonly content: Uint8Array; readonly mediaType: string },
): FileStat {
  return { path, mediaType, bytes: content.length };
}

async function ownBytes(
  content: string | Uint8Array | ReadableStream<Uint8Array>,
): Promise<Uint8Array> {
  if (typeof content === "string") return new TextEncoder().encode(content);
  if (content instanceof Uint8Array) return content.slice();
  return (await bytesOf(content)) ?? new Uint8Array();
}
