import {
  MAX_UPLOADS,
  UPLOAD_MARGIN_MS,
  type Upload,
  type UploadCache,
  type UploadKey,
} from "../../files/upload-cache.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";
import { D1TimedStore } from "./d1-tenant-store.ts";

/** Number of expired rows deleted with each new one. */
const FORGOTTEN_AT_ONCE = 20;

type Row = {
  readonly provider: string;
  readonly account: string;
  readonly sha256: string;
  readonly file_id: string;
  readonly model: string;
  readonly expires_at: number;
};

/** A tenant's uploads in D1. */
export class D1UploadCache extends D1TimedStore<BatchDatabase> implements UploadCache {
  get({ provider, account, sha256 }: UploadKey): Promise<Upload | undefined> {
    return onDatabase(async () => {
      const row = (await this.db
        .prepare(
          "SELECT * FROM provider_files WHERE tenant = ? AND provider = ? AND account = ? AND sha256 = ? AND expires_at > ?",
        )
        .bind(this.tenant, provider, account, sha256, this.clock.now() + UPLOAD_MARGIN_MS)
        .first()) as Row | null;
      return row === null ? undefined : uploadOf(row);
    });
  }

  async put({ provider, account, sha256 }: UploadKey, upload: Upload): Promise<void> {
    const nowMs = this.clock.now();
    const { fileId, model, expiresAtMs } = upload;
    await onDatabase(() =>
      this.db.batch([
        this.db
          .prepare(
            "DELETE FROM provider_files WHERE (tenant, provider, account, sha256) IN (SELECT tenant, provider, account, sha256 FROM provider_files WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
          )
          .bind(nowMs, FORGOTTEN_AT_ONCE),
        this.db
          .prepare("INSERT OR REPLACE INTO provider_files VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
          .bind(this.tenant, provider, account, sha256, fileId, model, nowMs, expiresAtMs),
        this.db
          .prepare(
            "DELETE FROM provider_files WHERE tenant = ?1 AND (provider, account, sha256) IN (SELECT provider, account, sha256 FROM provider_files WHERE tenant = ?1 ORDER BY created_at DESC LIMIT ?2 OFFSET ?3)",
          )
          .bind(this.tenant, FORGOTTEN_AT_ONCE, MAX_UPLOADS),
      ]),
    );
  }

  async delete({ provider, account, sha256 }: UploadKey): Promise<void> {
    await onDatabase(() =>
      this.db
        .prepare(
          "DELETE FROM provider_files WHERE tenant = ? AND provider = ? AND account = ? AND sha256 = ?",
        )
        .bind(this.tenant, provider, account, sha256)
        .run(),
    );
  }

  ofFile(sha256: string): Promise<ReadonlyArray<UploadKey & Upload>> {
    return onDatabase(async () => {
      const { results } = (await this.db
        .prepare("SELECT * FROM provider_files WHERE tenant = ? AND sha256 = ?")
        .bind(this.tenant, sha256)
        .all()) as { readonly results: readonly Row[] };
      return results.map((row) => {
        const { provider, account } = row;
        return { provider, account, sha256, ...uploadOf(row) };
      });
    });
  }
}

function uploadOf({ file_id: fileId, model, expires_at: expiresAtMs }: Row): Upload {
  return { fileId, model, expiresAtMs };
}
