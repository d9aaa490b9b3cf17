import { EngineError } from "../base/error.ts";
import { systemClock } from "../base/system.ts";
import { isoTime } from "../base/clock.ts";
import { loadPart } from "../base/load-part.ts";
import { endingOf } from "./detection/extensions.ts";
import type { FileSource } from "./file-source.ts";
import type { StoredFile, StoredFiles } from "./stored-files.ts";

/** Files of a run's start in this process. Falls back to the stored files. */
export class HeldFiles implements StoredFiles {
  readonly #next: StoredFiles | undefined;
  readonly #held = new Map<string, FileSource>();
  readonly #known = new Map<string, Promise<StoredFile>>();

  constructor(next: StoredFiles | undefined) {
    this.#next = next;
  }

  /** Number of files in this process. */
  get count(): number {
    return this.#held.size;
  }

  /** Returns the id of a source's content. */
  hold(source: FileSource): string {
    const id = `held-${this.#held.size}`;
    this.#held.set(id, source);
    return id;
  }

  async get(id: string): Promise<StoredFile | undefined> {
    const source = this.#held.get(id);
    if (source === undefined) return this.#next?.get(id);
    const known = this.#known.get(id) ?? held(id, source);
    this.#known.set(id, known);
    return known;
  }
}

async function held(id: string, { content, options }: FileSource): Promise<StoredFile> {
  if (!("bytes" in content)) throw new EngineError("internal", `${id} has no bytes`);
  const bytes = await content.bytes();
  const { name, mediaType: declared } = options;
  const { fileFacts } = await loadPart(() => import("./detection/file-facts.ts"));
  const facts = await fileFacts(bytes, { name, declared });
  const ref = {
    id,
    name: name ?? `file.${endingOf(facts.mediaType)}`,
    ...facts,
    createdAt: isoTime(systemClock.now()),
  };
  return {
    ref,
    open: async () => new Response(new Uint8Array(bytes)).body ?? new ReadableStream(),
  };
}
