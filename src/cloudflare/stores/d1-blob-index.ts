import type { BlobIndex } from "../../files/blob-index.ts";
import { onDatabase } from "../d1.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

/** Index of a tenant's blobs, in D1. */
export class D1BlobIndex extends D1TenantStore implements BlobIndex {
  async pathOf(sha256: string): Promise<string | undefined> {
    const [path] = await this.#paths(
      "SELECT path FROM file_blobs WHERE tenant = ? AND sha256 = ?",
      [this.tenant, sha256],
    );
    return path;
  }

  async expect(path: string, dueAtMs: number): Promise<void> {
    await onDatabase(() =>
      this.db
        .prepare("INSERT INTO file_removals (tenant, path, due_at) VALUES (?, ?, ?)")
        .bind(this.tenant, path, dueAtMs)
        .run(),
    );
  }

  surplus(paths: readonly string[]): Promise<readonly string[]> {
    return this.#paths(
      "SELECT path FROM file_removals WHERE tenant = ? AND path IN (SELECT value FROM json_each(?))",
      [this.tenant, JSON.stringify(paths)],
    );
  }

  due(nowMs: number, limit: number): Promise<readonly string[]> {
    return this.#paths(
      "SELECT path FROM file_removals WHERE tenant = ? AND due_at <= ? ORDER BY due_at LIMIT ?",
      [this.tenant, nowMs, limit],
    );
  }

  async removed(paths: readonly string[]): Promise<void> {
    await onDatabase(() =>
      this.db
        .prepare(
          "DELETE FROM file_removals WHERE tenant = ? AND path IN (SELECT value FROM json_each(?))",
        )
        .bind(this.tenant, JSON.stringify(paths))
        .run(),
    );
  }

  #paths(sql: string, values: ReadonlyArray<string | number>): Promise<readonly string[]> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(sql)
        .bind(...values)
        .all();
      return (results as ReadonlyArray<{ path: string }>).map(({ path }) => path);
    });
  }
}
