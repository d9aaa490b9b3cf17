import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { FileStore } from "../../files/file-store.ts";
import { onDatabase, type Database } from "../d1.ts";

/** D1 takes rows of up to 2 MB. */
const MAX_BYTES = 1_900_000;

/** A tenant's files in D1: for texts and small files. Throws `value_too_large` for one above 1.9 MB. */
export class D1FileStore implements FileStore {
  readonly #db: Database;
  readonly #tenant: string;
  readonly #clock: Clock;

  constructor(db: Database, tenant: string, clock: Clock) {
    this.#db = db;
    this.#tenant = tenant;
    this.#clock = clock;
  }

  async put(path: string, content: string | Uint8Array, mediaType: string): Promise<void> {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    if (bytes.length > MAX_BYTES) {
      throw new EngineError(
        "value_too_large",
        `the file "${path}" has ${bytes.length} bytes; D1 takes at most ${MAX_BYTES}: keep files in R2`,
      );
    }
    await onDatabase(() =>
      this.#db
        .prepare(
          "INSERT OR REPLACE INTO files (tenant, path, media_type, content, updated_at) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(this.#tenant, path, mediaType, bytes, this.#clock.now())
        .run(),
    );
  }

  get(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    return onDatabase(async () => {
      const row = (await this.#db
        .prepare("SELECT media_type, content FROM files WHERE tenant = ? AND path = ?")
        .bind(this.#tenant, path)
        .first()) as { media_type: string; content: ArrayLike<number> | ArrayBuffer } | null;
      if (row === null) return undefined;
      // D1 gives a blob back as a list of numbers.
      return { content: new Uint8Array(row.content), mediaType: row.media_type };
    });
  }
}
