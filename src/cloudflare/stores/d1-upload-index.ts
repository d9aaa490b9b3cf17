import type { OpenUpload, UploadData, UploadIndex } from "../../files/upload-index.ts";
import { onDatabase, type Statement } from "../d1.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

type Row = {
  id: string;
  path: string;
  upload_id: string;
  bytes: number;
  received: number;
  data: string;
  due_at: number;
};

/** A tenant's open uploads in D1. */
export class D1UploadIndex extends D1TenantStore implements UploadIndex {
  async add({ id, path, uploadId, bytes, received, data, dueAtMs }: OpenUpload): Promise<void> {
    await this.#changes(
      "INSERT INTO file_uploads (tenant, id, path, upload_id, bytes, received, data, held_until, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
      [id, path, uploadId, bytes, received, JSON.stringify(data), dueAtMs],
    );
  }

  async get(id: string): Promise<OpenUpload | undefined> {
    const [upload] = await this.#uploads("tenant = ? AND id = ?", [id]);
    return upload;
  }

  hold(
    id: string,
    holder: string,
    { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean> {
    return this.#changes(
      "UPDATE file_uploads SET holder = ?2, held_until = ?3 WHERE tenant = ?1 AND id = ?4 AND (held_until <= ?5 OR holder = ?2)",
      [holder, untilMs, id, nowMs],
    );
  }

  advance(
    { id, received, data }: Pick<OpenUpload, "id" | "received" | "data">,
    holder: string,
    untilMs: number,
  ): Promise<boolean> {
    return this.#changes(
      "UPDATE file_uploads SET received = ?2, data = ?3, held_until = ?4 WHERE tenant = ?1 AND id = ?5 AND holder = ?6",
      [received, JSON.stringify(data), untilMs, id, holder],
    );
  }

  async release(id: string, holder: string): Promise<void> {
    await this.#changes(
      "UPDATE file_uploads SET held_until = 0 WHERE tenant = ? AND id = ? AND holder = ?",
      [id, holder],
    );
  }

  async delete(id: string): Promise<void> {
    await this.#changes("DELETE FROM file_uploads WHERE tenant = ? AND id = ?", [id]);
  }

  due(nowMs: number, limit: number): Promise<readonly OpenUpload[]> {
    return this.#uploads("tenant = ? AND due_at <= ? LIMIT ?", [nowMs, limit]);
  }

  /** Runs a statement. Returns true if it changed a row. */
  #changes(sql: string, values: ReadonlyArray<string | number>): Promise<boolean> {
    return onDatabase(async () => (await this.#on(sql, values).run()).meta.changes > 0);
  }

  #uploads(
    condition: string,
    values: ReadonlyArray<string | number>,
  ): Promise<readonly OpenUpload[]> {
    return onDatabase(async () => {
      const sql = `SELECT id, path, upload_id, bytes, received, data, due_at FROM file_uploads WHERE ${condition}`;
      const { results } = await this.#on(sql, values).all();
      return (results as Row[]).map(({ upload_id, due_at, data, ...row }) => ({
        ...row,
        uploadId: upload_id,
        data: JSON.parse(data) as UploadData,
        dueAtMs: due_at,
      }));
    });
  }

  #on(sql: string, values: ReadonlyArray<string | number>): Statement {
    return this.db.prepare(sql).bind(this.tenant, ...values);
  }
}
