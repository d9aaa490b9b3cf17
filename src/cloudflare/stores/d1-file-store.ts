import { EngineError } from "../../base/error.ts";
import type {
  FileQuery,
  FileRange,
  FileStat,
  FileStore,
  OpenFile,
} from "../../files/file-store.ts";
import { bytesOf, streamOf } from "../../files/stream-bytes.ts";
import { pageOf, type Page } from "../../runtime/page.ts";
import { onDatabase } from "../d1.ts";
import { D1TimedStore } from "./d1-tenant-store.ts";

/** Maximum size of a file; D1 allows rows of up to 2 MB. */
export const D1_MAX_FILE_BYTES = 1_900_000;

const MAX_LISTED = 1000;
/** Maximum number of paths in one statement; D1 allows 100 values. */
const MAX_DELETED = 90;

type StatRow = { readonly path: string; readonly media_type: string; readonly bytes: number };
/** Type of a blob from D1, a list of numbers. */
type Blob = ArrayLike<number> | ArrayBuffer;

/** A tenant's files in D1, for texts and small files. Fails with `value_too_large` above 1.9 MB. */
export class D1FileStore extends D1TimedStore implements FileStore {
  async put(
    path: string,
    content: string | Uint8Array | ReadableStream<Uint8Array>,
    mediaType: string,
  ): Promise<void> {
    const bytes =
      typeof content === "string"
        ? new TextEncoder().encode(content)
        : content instanceof Uint8Array
          ? content
          : await bytesOf(content, D1_MAX_FILE_BYTES);
    if (bytes === undefined || bytes.length > D1_MAX_FILE_BYTES) {
      throw new EngineError(
        "value_too_large",
        `the file "${path}" has ${bytes?.length ?? "more"} bytes; D1 takes at most ${D1_MAX_FILE_BYTES}: keep files in R2`,
      );
    }
    await onDatabase(() =>
      this.db
        .prepare(
          "INSERT OR REPLACE INTO files (tenant, path, media_type, content, updated_at) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(this.tenant, path, mediaType, bytes, this.clock.now())
        .run(),
    );
  }

  get(path: string): Promise<{ content: Uint8Array; mediaType: string } | undefined> {
    return onDatabase(async () => {
      const row = (await this.db
        .prepare("SELECT media_type, content FROM files WHERE tenant = ? AND path = ?")
        .bind(this.tenant, path)
        .first()) as { media_type: string; content: Blob } | null;
      if (row === null) return undefined;
      return { content: new Uint8Array(row.content), mediaType: row.media_type };
    });
  }

  open(
    path: string,
    { offset = 0, length = D1_MAX_FILE_BYTES }: FileRange = {},
  ): Promise<OpenFile | undefined> {
    return onDatabase(async () => {
      const row = (await this.db
        .prepare(
          "SELECT path, media_type, length(content) AS bytes, substr(content, ?, ?) AS piece FROM files WHERE tenant = ? AND path = ?",
        )
        .bind(offset + 1, length, this.tenant, path)
        .first()) as (StatRow & { piece: Blob }) | null;
      if (row === null) return undefined;
      return { ...statOf(row), stream: streamOf(new Uint8Array(row.piece)) };
    });
  }

  stat(path: string): Promise<FileStat | undefined> {
    return onDatabase(async () => {
      const row = await this.db
        .prepare(
          "SELECT path, media_type, length(content) AS bytes FROM files WHERE tenant = ? AND path = ?",
        )
        .bind(this.tenant, path)
        .first();
      return row === null ? undefined : statOf(row as StatRow);
    });
  }

  list({ prefix = "", cursor = "", limit = MAX_LISTED }: FileQuery = {}): Promise<Page<FileStat>> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          // The second bound ends the search at the last path with the prefix. The last condition is the exact one.
          "SELECT path, media_type, length(content) AS bytes FROM files WHERE tenant = ?1 AND path >= ?2 AND path > ?3 AND path <= ?2 || char(1114111) AND substr(path, 1, length(?2)) = ?2 ORDER BY path LIMIT ?4",
        )
        .bind(this.tenant, prefix, cursor, limit + 1)
        .all();
      return pageOf(results as StatRow[], limit, { item: statOf, cursor: ({ path }) => path });
    });
  }

  async delete(paths: string | readonly string[]): Promise<void> {
    const all = [paths].flat();
    for (let at = 0; at < all.length; at += MAX_DELETED) {
      const some = all.slice(at, at + MAX_DELETED);
      await onDatabase(() =>
        this.db
          .prepare(
            `DELETE FROM files WHERE tenant = ? AND path IN (${some.map(() => "?").join(", ")})`,
          )
          .bind(this.tenant, ...some)
          .run(),
      );
    }
  }
}

function statOf({ path, media_type: mediaType, bytes }: StatRow): FileStat {
  return { path, mediaType, bytes };
}
